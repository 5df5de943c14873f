// mno simulate EQUATION: ensembles of a stochastic equation, written while they are drawn, into one file or
// as shards.
#include "simulate.hpp"

#include <iostream>
#include <memory>
#include <mno/core/channel_first.hpp>
#include <mno/data/paths.hpp>
#include <mno/io/safetensors/model_file.hpp>
#include <mno/io/zip/npz.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "ranks.hpp"
#include "shards.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

struct SimulateOptions {
  mno::Sampling sampling{};
  std::filesystem::path output{};
  Index shards = 0;  // none: one file
  int threads = 0;
  bool json = false, paths = false;
};

/// Samples are drawn in pieces of about this many bytes: what is in memory at once.
constexpr Index piece_bytes = Index(64) << 20;

/// The axes of an array of fields in a file: `rows…`, channel, grid….
template <class Equation>
std::vector<Index> file_shape(const Equation& equation, std::vector<Index> rows, Index times = 1) {
  rows.push_back(times * Equation::channels);
  for (const Index n : equation.grid().points) rows.push_back(n);
  return rows;
}
/// The times of every sample as channels of one condition.
template <int D> mno::Collected<float, D> as_paths(const mno::Collected<float, D>& drawn, Index times) {
  const Index samples = drawn.conditions() / times, channels = drawn.initial.channels();
  mno::Collected<float, D> paths{{samples, drawn.initial.grid(), times * channels},
                                 {},
                                 {samples * drawn.members_each, drawn.initial.grid(), times * channels},
                                 drawn.members_each};
  for (Index s = 0; s < samples; ++s) {
    paths.times.push_back(drawn.times[std::size_t(s * times + times - 1)]);
    for (Index k = 0; k < times; ++k) {
      mno::detail::put_time<float, D>(drawn.initial.view().samples(s * times, 1), k,
                                      paths.initial.view().samples(s, 1));
      mno::detail::put_time<float, D>(
          drawn.of(s * times + k), k,
          paths.members.view().samples(s * drawn.members_each, drawn.members_each));
    }
  }
  return paths;
}
/// How many samples are drawn at once.
template <class Equation> Index samples_at_once(const Equation& equation, const mno::Sampling& all) {
  const Index bytes = 4 * all.queries() * all.members * equation.grid().size() * Equation::channels;
  return std::clamp<Index>(piece_bytes / bytes, 1, all.samples);
}
/// What members of all samples are in a file, where the times of a sample may be channels.
template <class Equation>
io::Layout members_layout(const Equation& equation, const mno::Sampling& all, bool paths) {
  const Index times_each = paths ? all.queries() : 1;
  return {io::Type::f32,
          file_shape(equation, {all.samples * all.queries() / times_each, all.members}, times_each)};
}
template <class Equation>
void check_ensembles(const Equation& equation, const mno::Sampling& all, bool paths) {
  equation.check();
  mno::detail::check_sampling(all);
  mno::require(!paths || !all.one_time_per_sample, "simulate", "paths",
               mno::Text("the same times for all samples"), mno::Text("one for each"));
  const io::Layout members = members_layout(equation, all, paths);
  mno::require(members.representable(), "simulate", "samples", mno::Text("an array that a file can hold"),
               mno::Text(members.str()));
}

/// One file. `go_on` is asked before every piece of samples; false if it says no, and then nothing is
/// written. `name` is what progress calls it.
template <class Equation>
bool write_file(const std::string& name, const Equation& equation, const mno::Sampling& all,
                const std::filesystem::path& output, io::Keep keep, mno::Cpu& device, Progress& progress,
                bool paths, const GoOn& go_on) {
  const Index times_each = paths ? all.queries() : 1, rows = all.samples * all.queries() / times_each;
  const Index piece = samples_at_once(equation, all);
  std::vector<float> initial;  // (row, channel, grid…)
  std::vector<double> times;   // (row)
  io::NpzWriter file(output, io::Compression::none, keep);
  file.begin("uT", members_layout(equation, all, paths));
  for (Index done = 0; done < all.samples; done += piece) {
    if (!go_on()) return false;
    mno::Sampling part = all;
    part.samples = std::min(piece, all.samples - done);
    part.first_sample = all.first_sample + done;
    part.progress = [&](Index within, Index) {
      if (interruption()) throw std::runtime_error("interrupted");
      const Index now = done + within, percent = 100 * now / all.samples;
      if (progress.terminal() && percent != 100 * (now - 1) / all.samples)
        progress.show(name + ": " + std::to_string(now) + " of " + std::to_string(all.samples) + " samples");
    };
    try {
      auto drawn = mno::collect<float>(equation, part, device);
      if (paths) drawn = as_paths(drawn, times_each);
      file.append(std::span<const float>(mno::to_channel_first(std::as_const(drawn.members).view())));
      const std::vector<float> fields = mno::to_channel_first(std::as_const(drawn.initial).view());
      initial.insert(initial.end(), fields.begin(), fields.end());
      times.insert(times.end(), drawn.times.begin(), drawn.times.end());
    } catch (const std::runtime_error&) {
      if (!interruption()) throw;
      while (go_on()) {
      }  // until all have heard of it
      return false;
    }
  }
  file.end();
  file.write("u0", io::Array::of(file_shape(equation, {rows}, times_each), initial));
  file.write("t", io::Array::of({rows}, times));
  if (const auto known = known_of(equation); known.size() > 0) {
    std::vector<Index> shape{known.channels()};
    for (const Index n : known.grid().points) shape.push_back(n);
    file.write("fields", io::Array::of(shape, mno::to_channel_first(known.view())));
  }
  const mno::Domain<Equation::dimension> domain = equation.grid().domain;
  const Index axes = Equation::dimension;
  file.write("length",
             io::Array::of({axes}, std::vector<double>(domain.length.begin(), domain.length.end())));
  if (domain.has_walls())
    file.write("bounded", io::Array::of({axes}, std::vector<std::int32_t>(domain.bounded.begin(),
                                                                          domain.bounded.end())));
  file.commit();
  return true;
}

/// False if it was interrupted: then nothing is written.
template <class Equation>
bool write_ensembles(const std::string& name, const Equation& equation, const mno::Sampling& all,
                     const std::filesystem::path& output, int asked_threads, Progress& progress, bool paths) {
  require_folder_of(output);
  check_ensembles(equation, all, paths);
  mno::Cpu device(threads(asked_threads));
  listen_for_interruption();
  const bool done = write_file(name, equation, all, output, io::Keep::previous, device, progress, paths,
                               [] { return !interruption(); });
  progress.close();
  return done;
}

/// The same as shards of a folder, by all ranks: a sample's draws depend on its number alone, whoever draws
/// it. False if it was interrupted.
template <class Equation>
bool write_sharded(const std::string& name, const Equation& equation, const SimulateOptions& options,
                   const std::filesystem::path& folder, Progress& progress) {
  const mno::Sampling& all = options.sampling;
  check_ensembles(equation, all, options.paths);
  mno::Cpu device(threads_of_rank(options.threads));
  listen_for_interruption();
  const auto some = [&](Index first, Index count) {
    mno::Sampling part = all;
    part.first_sample = all.first_sample + first;
    part.samples = count;
    return part;
  };
  ShardJob job;
  job.folder = folder;
  job.shards = options.shards;
  job.units = all.samples;
  job.samples_each = options.paths ? 1 : all.queries();
  job.steps = [&](Index count) {
    const Index piece = samples_at_once(equation, some(0, count));
    return (count + piece - 1) / piece;
  };
  job.write = [&](Index shard, Index first, Index count, const std::filesystem::path& file,
                  const GoOn& go_on) {
    const std::string which =
        name + ", shard " + std::to_string(shard + 1) + " of " + std::to_string(options.shards);
    return write_file(which, equation, some(first, count), file, io::Keep::nothing, device, progress,
                      options.paths, go_on);
  };
  const bool done = write_shards(job);
  progress.close();
  return done;
}

template <class Equation>
int simulate(const std::string& name, const Equation& equation, const SimulateOptions& options) {
  const mno::Sampling& all = options.sampling;
  require_shards_of_ranks("simulate", options.shards);
  Progress progress(options.json || silent_rank());
  std::filesystem::path output = options.output;
  if (options.shards > 0) {
    output = shard_folder("simulate", options.output, options.shards, all.samples);
    const bool done = write_sharded(name, equation, options, output, progress);
    if (!done && !silent_rank()) std::cerr << "Interrupted; " << not_data(output) << "\n";
    if (!done || silent_rank()) return done ? succeeded : stopped;
  } else if (!write_ensembles(name, equation, all, output, options.threads, progress, options.paths)) {
    std::cerr << "Interrupted; nothing was written.\n";
    return stopped;
  }
  const Index rows = options.paths ? all.samples : all.samples * all.queries(),
              points = equation.grid().size();
  if (options.json) {
    nlohmann::ordered_json json{{"command", "simulate"},
                                {"equation", name},
                                {"rows", rows},
                                {"members", all.members},
                                {"points", points},
                                {"seed", all.seed},
                                {"first_sample", all.first_sample},
                                {"file", output.string()}};
    if (options.shards > 0) json["shards"] = options.shards;
    std::cout << json.dump() << "\n";
  } else {
    std::cout << "Wrote " << output.string() << ": " << rows << " sample(s) of " << all.members
              << " member(s) on " << points << " points";
    if (options.shards > 0) std::cout << ", in " << options.shards << " shard(s)";
    std::cout << ".\n";
  }
  return succeeded;
}

template <class Equation> struct Setup {
  Equation equation;
  SimulateOptions options{};
};

/// The options that every equation has, and what runs.
template <class Equation>
std::shared_ptr<Setup<Equation>> add_equation(CLI::App& parent, Run& run, const std::string& name,
                                              const std::string& what, const Equation& equation,
                                              CLI::App*& command) {
  auto setup = std::make_shared<Setup<Equation>>(Setup<Equation>{equation});
  command = parent.add_subcommand(name, what);
  setup->options.sampling.samples = 256;
  setup->options.sampling.members = 64;
  auto& [own, options] = *setup;
  command->add_option("--samples", options.sampling.samples, "Initial conditions")->capture_default_str();
  command->add_option("--ensemble", options.sampling.members, "Members for each")->capture_default_str();
  command->add_option("--seed", options.sampling.seed, "All draws depend on it alone")->capture_default_str();
  command
      ->add_option("--first-sample", options.sampling.first_sample,
                   "Where in the seed's sequence to begin: test data is another piece of it")
      ->capture_default_str();
  command->add_option("--times", options.sampling.times, "Query times, increasing (default: the final time)")
      ->delimiter(',');
  command->add_flag("--paths", options.paths,
                    "The times of a sample as channels of one field, so that a law is one of paths");
  command->add_option("--time", own.time, "Final time")->capture_default_str();
  command->add_option("-o,--output", options.output, "The .npz file to write; with --shards, the folder")
      ->required();
  command
      ->add_option("--shards", options.shards,
                   "Write so many files into a folder, shared among the processes of mpirun")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", options.threads, "Threads; 0: all")->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options.json, "Say what was done as JSON");
  command->footer("Example:\n  mno simulate " + name + " --samples 256 --ensemble 64 --seed 1 -o data.npz\n" +
                  "  mpirun -n 4 mno simulate " + name + " --samples 4096 --shards 16 -o data");
  command->callback([setup, name, &run] {
    run = [setup, name] { return simulate(name, setup->equation, setup->options); };
  });
  return setup;
}

}  // namespace

std::string name_of(const Equation& equation) {
  static constexpr const char* names[] = {"burgers",          "phi4",       "phi4-spdebench",
                                          "rough-volatility", "heat",       "kuramoto-sivashinsky",
                                          "coupled-heat",     "plane-heat", "navier-stokes",
                                          "gray-scott",       "phi4-plane", "reaction",
                                          "jump-heat",        "heavy-heat", "drift-and-noise",
                                          "finite-rank"};
  static_assert(std::size(names) == std::variant_size_v<Equation>);
  return names[equation.index()];
}

std::string description(const Equation& equation) {
  std::string out = name_of(equation);
  const auto add = [&](const char* name, double value) {
    out += " " + std::string(name) + "=" + io::detail::number(value);
  };
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { e.eta; })
          add("sigma_or_eta", e.eta);
        else if constexpr (requires { e.sigma; })
          add("sigma_or_eta", e.sigma);
        else
          for (const double sigma : e.scheme().sigma) add("sigma_or_eta", sigma);
        add("time", e.time);
        if constexpr (requires { e.nu; }) add("nu", e.nu);
        if constexpr (requires { e.velocity; }) add("velocity", e.velocity);
        if constexpr (requires { e.growth; }) add("growth", e.growth);
        if constexpr (requires { e.length; }) add("length", e.length);
        if constexpr (requires { e.saturation; }) {
          add("diffusion", e.diffusion);
          add("saturation", e.saturation);
          add("size", e.size);
          add("spread", e.spread);
        }
        if constexpr (requires { e.brownian; }) {
          add("rate", e.rate);
          add("brownian", e.brownian);
        }
        if constexpr (requires { e.freedom; }) add("freedom", e.freedom);
        if constexpr (requires { e.start; }) {
          add("start", e.start);
          add("drift", e.drift);
        }
        if constexpr (requires { e.exchange; }) add("exchange", e.exchange);
        if constexpr (requires { e.correlation; }) add("correlation", e.correlation);
        if constexpr (requires { e.wavenumber; }) {
          add("amplitude", e.amplitude);
          add("wavenumber", double(e.wavenumber));
          add("force_known", double(e.force_known));
        }
        if constexpr (requires { e.feed; }) {
          add("diffusion_u", e.diffusion_u);
          add("diffusion_v", e.diffusion_v);
          add("feed", e.feed);
          add("kill", e.kill);
          for (const double mean : e.initial_mean) add("initial.mean", mean);
        }
        if constexpr (requires { e.hurst; }) add("hurst", e.hurst);
        if constexpr (requires { e.steps; }) add("steps", double(e.steps));
        if constexpr (requires { e.simulated; }) add("simulated", double(e.simulated));
        if constexpr (requires { e.noise_at_zero; }) add("noise_at_zero", e.noise_at_zero);
        if constexpr (requires { e.varied; }) add("varied", e.varied);
        add("points", double(e.grid().size()));
        if constexpr (requires { e.initial.modes; }) {
          add("initial.modes", double(e.initial.modes));
          add("initial.decay", e.initial.decay);
          add("initial.amplitude", e.initial.amplitude);
          if constexpr (requires { e.initial.mean_scale; }) add("initial.mean_scale", e.initial.mean_scale);
          if constexpr (requires { e.initial.offset; }) add("initial.offset", e.initial.offset);
        }
        if constexpr (requires { e.noise.amplitude; })
          for (const double q : e.noise.amplitude) add("q", q);
        if constexpr (requires { e.noise.each; })
          for (const double q : e.noise.each.amplitude) add("q", q);
        if constexpr (requires { e.noise.amplitude(0); })
          for (Index i = 0; i < e.noise.rank(); i += 2) add("q", e.noise.amplitude(i));
      },
      equation);
  return out;
}

DataShape data_shape(const Equation& equation) {
  return std::visit(
      []<class E>(const E& e) {
        return DataShape{E::dimension, e.grid().points[0], E::channels, known_of(e).channels()};
      },
      equation);
}

bool simulate_equation(const Equation& equation, const mno::Sampling& sampling,
                       const std::filesystem::path& output, int threads, Progress& progress, bool paths) {
  return std::visit(
      [&](const auto& one) {
        return write_ensembles(name_of(equation), one, sampling, output, threads, progress, paths);
      },
      equation);
}

void add_simulate(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("simulate", "Draw ensembles of a stochastic equation into an .npz file");
  command->require_subcommand(1);
  command->footer(
      "Example:\n  mno simulate burgers --samples 256 --ensemble 64 --seed 1 -o data.npz\n"
      "Each equation has its own options: mno simulate burgers --help");
  for_each_equation([&](const char* name, const char* what, const auto& equation) {
    CLI::App* one = nullptr;
    const auto setup = add_equation(*command, run, name, what, equation, one);
    constants(setup->equation, [&]<class V>(const std::string& key, V& variable, const char* text) {
      if constexpr (std::is_same_v<V, mno::WallNoise>)
        one->add_option_function<std::string>(
               "--" + key, [&variable](const std::string& kind) { variable = walls_named(kind); }, text)
            ->check(CLI::IsMember({"dirichlet", "neumann"}));
      else
        one->add_option("--" + key, variable, text)->capture_default_str();
    });
    one->parse_complete_callback([setup, one] {  // before the callback that runs it
      finish(setup->equation, [&](const std::string& key) { return one->count("--" + key) > 0; });
    });
  });
}

}  // namespace program

// mno simulate EQUATION: ensembles of a stochastic equation, written while they are drawn.
#include "simulate.hpp"

#include <iostream>
#include <memory>
#include <mno/core/channel_first.hpp>
#include <mno/io/safetensors/model_file.hpp>
#include <mno/io/zip/npz.hpp>
#include <mno/simulate/bounded_heat.hpp>
#include <mno/simulate/toy.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

struct SimulateOptions {
  mno::Sampling sampling{};
  std::filesystem::path output{};
  int threads = 0;
  bool json = false;
};

/// Samples are drawn in pieces of about this many bytes: what is in memory at once.
constexpr Index piece_bytes = Index(64) << 20;

/// The axes of an array of fields in a file: `rows…`, channel, grid….
template <class Equation> std::vector<Index> file_shape(const Equation& equation, std::vector<Index> rows) {
  rows.push_back(Equation::channels);
  for (const Index n : equation.grid().points) rows.push_back(n);
  return rows;
}
/// False if it was interrupted: then nothing is written.
template <class Equation>
bool write_ensembles(const std::string& name, const Equation& equation, const mno::Sampling& all,
                     const std::filesystem::path& output, int asked_threads, Progress& progress) {
  require_folder_of(output);
  equation.check();
  mno::detail::check_sampling(all);
  mno::Cpu device(threads(asked_threads));
  const Index queries = all.queries(), rows = all.samples * queries, points = equation.grid().size();
  io::Layout members{io::Type::f32, file_shape(equation, {rows, all.members})};
  mno::require(members.representable(), "simulate", "samples", mno::Text("an array that a file can hold"),
               mno::Text(members.str()));
  const Index piece = std::clamp<Index>(
      piece_bytes / (4 * queries * all.members * points * Equation::channels), 1, all.samples);
  listen_for_interruption();
  std::vector<float> initial;  // (row, channel, grid…)
  std::vector<double> times;   // (row)
  io::NpzWriter file(output);
  file.begin("uT", members);
  for (Index done = 0; done < all.samples; done += piece) {
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
      const auto drawn = mno::collect<float>(equation, part, device);
      file.append(std::span<const float>(mno::to_channel_first(std::as_const(drawn.members).view())));
      const std::vector<float> fields = mno::to_channel_first(std::as_const(drawn.initial).view());
      initial.insert(initial.end(), fields.begin(), fields.end());
      times.insert(times.end(), drawn.times.begin(), drawn.times.end());
    } catch (const std::runtime_error&) {
      if (!interruption()) throw;
      progress.close();
      return false;
    }
  }
  file.end();
  file.write("u0", io::Array::of(file_shape(equation, {rows}), initial));
  file.write("t", io::Array::of({rows}, times));
  const mno::Domain<Equation::dimension> domain = equation.grid().domain;
  const Index axes = Equation::dimension;
  file.write("length",
             io::Array::of({axes}, std::vector<double>(domain.length.begin(), domain.length.end())));
  if (domain.has_walls())
    file.write("bounded", io::Array::of({axes}, std::vector<std::int32_t>(domain.bounded.begin(),
                                                                          domain.bounded.end())));
  file.commit();
  progress.close();
  return true;
}

template <class Equation>
int simulate(const std::string& name, const Equation& equation, const SimulateOptions& options) {
  const mno::Sampling& all = options.sampling;
  Progress progress(options.json);
  if (!write_ensembles(name, equation, all, options.output, options.threads, progress)) {
    std::cerr << "Interrupted; nothing was written.\n";
    return stopped;
  }
  const Index rows = all.samples * all.queries(), points = equation.grid().size();
  if (options.json)
    std::cout << nlohmann::ordered_json{{"command", "simulate"},
                                        {"equation", name},
                                        {"rows", rows},
                                        {"members", all.members},
                                        {"points", points},
                                        {"seed", all.seed},
                                        {"first_sample", all.first_sample},
                                        {"file", options.output.string()}}
                     .dump()
              << "\n";
  else
    std::cout << "Wrote " << options.output.string() << ": " << rows << " sample(s) of " << all.members
              << " member(s) on " << points << " points.\n";
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
  command->add_option("--time", own.time, "Final time")->capture_default_str();
  command->add_option("-o,--output", options.output, "The .npz file to write")->required();
  command->add_option("--threads", options.threads, "Threads; 0: all")->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options.json, "Say what was done as JSON");
  command->footer("Example:\n  mno simulate " + name + " --samples 256 --ensemble 64 --seed 1 -o data.npz");
  command->callback([setup, name, &run] {
    run = [setup, name] { return simulate(name, setup->equation, setup->options); };
  });
  return setup;
}

/// What equations on squares have in common that are solved step by step.
template <class Equation>
void add_plane_options(CLI::App* one, const std::shared_ptr<Setup<Equation>>& setup) {
  Equation& own = setup->equation;
  one->add_option("--steps", own.steps, "Steps to the final time")->capture_default_str();
  const CLI::Option* simulated =
      one->add_option("--simulated", own.simulated, "Points of the simulation on each axis")
          ->capture_default_str();
  one->add_option("--points", own.kept, "Points that are kept on each axis")->capture_default_str();
  one->parse_complete_callback([setup, simulated] {  // at least 64, and a multiple of what is kept
    Equation& own = setup->equation;
    if (simulated->count() == 0 && own.kept >= 1) own.simulated = (63 + own.kept) / own.kept * own.kept;
  });
}

}  // namespace

std::string name_of(const Equation& equation) {
  static constexpr const char* names[] = {"burgers",          "phi4",       "phi4-spdebench",
                                          "rough-volatility", "heat",       "kuramoto-sivashinsky",
                                          "coupled-heat",     "plane-heat", "navier-stokes",
                                          "gray-scott",       "phi4-plane", "reaction"};
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
        if constexpr (requires { e.exchange; }) add("exchange", e.exchange);
        if constexpr (requires { e.correlation; }) add("correlation", e.correlation);
        if constexpr (requires { e.wavenumber; }) {
          add("amplitude", e.amplitude);
          add("wavenumber", double(e.wavenumber));
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

Index points_of(const Equation& equation) {
  return std::visit([](const auto& e) { return e.grid().size(); }, equation);
}

Index channels_of(const Equation& equation) {
  return std::visit([]<class E>(const E&) { return Index(E::channels); }, equation);
}

bool simulate_equation(const Equation& equation, const mno::Sampling& sampling,
                       const std::filesystem::path& output, int threads, Progress& progress) {
  return std::visit(
      [&](const auto& one) {
        return write_ensembles(name_of(equation), one, sampling, output, threads, progress);
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
  CLI::App* one = nullptr;

  const auto burgers =
      add_equation(*command, run, "burgers", "u_t = nu u_xx - u u_x + sigma dW", mno::spde::Burgers{}, one);
  one->add_option("--nu", burgers->equation.nu, "Viscosity")->capture_default_str();
  one->add_option("--sigma", burgers->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--steps", burgers->equation.steps, "Steps to the final time")->capture_default_str();
  const CLI::Option* simulated =
      one->add_option("--simulated", burgers->equation.simulated, "Points of the simulation")
          ->capture_default_str();
  one->add_option("--points", burgers->equation.kept, "Points that are kept")->capture_default_str();
  one->parse_complete_callback([burgers, simulated] {  // before the callback that runs it
    if (simulated->count() == 0)
      burgers->equation.simulated = std::max<Index>(128, 2 * burgers->equation.kept);
  });

  const auto phi4 = add_equation(*command, run, "phi4", "u_t = nu u_xx + growth u - u^3 + sigma dW",
                                 mno::spde::Phi4{}, one);
  one->add_option("--nu", phi4->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--sigma", phi4->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--growth", phi4->equation.growth, "Linear growth")->capture_default_str();
  one->add_option("--steps", phi4->equation.steps, "Steps to the final time")->capture_default_str();
  one->add_option_function<Index>(
      "--points", [phi4](Index n) { phi4->equation.simulated = phi4->equation.kept = n; }, "Points [64]");

  const auto reaction = add_equation(*command, run, "reaction",
                                     "du = (D u_xx + a u - b u^3) dt + s u dW, with sizes of u_0 that vary",
                                     mno::spde::Reaction{}, one);
  one->add_option("--diffusion", reaction->equation.diffusion, "D")->capture_default_str();
  one->add_option("--growth", reaction->equation.growth, "a")->capture_default_str();
  one->add_option("--saturation", reaction->equation.saturation, "b")->capture_default_str();
  one->add_option("--sigma", reaction->equation.sigma, "s: noise, in proportion to u")->capture_default_str();
  one->add_option("--size", reaction->equation.size, "Typical max |u_0|")->capture_default_str();
  one->add_option("--spread", reaction->equation.spread, "Standard deviation of log max |u_0|")
      ->capture_default_str();
  one->add_option("--steps", reaction->equation.steps, "Steps to the final time")->capture_default_str();
  one->add_option_function<Index>(
      "--points",
      [reaction](Index n) {
        reaction->equation.kept = n;
        reaction->equation.simulated = std::max<Index>(1, (127 + n) / std::max<Index>(n, 1)) * n;
      },
      "Points that are kept [64]");

  const auto bench = add_equation(*command, run, "phi4-spdebench", "phi4 as SPDEBench solves it",
                                  mno::spde::Phi4SpdeBench{}, one);
  one->add_option("--sigma", bench->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--steps", bench->equation.steps, "Steps to the final time")->capture_default_str();
  one->add_option("--points", bench->equation.points, "Points")->capture_default_str();
  one->add_option("--varied", bench->equation.varied, "Size of the random part of u_0")
      ->capture_default_str();

  const auto rough = add_equation(*command, run, "rough-volatility", "log sigma_t = u_0 + eta W^H_t",
                                  mno::spde::RoughVolatility{}, one);
  one->add_option("--hurst", rough->equation.hurst, "Hurst exponent")->capture_default_str();
  one->add_option("--eta", rough->equation.eta, "Noise")->capture_default_str();
  one->add_option("--steps", rough->equation.steps, "Steps of the time grid")->capture_default_str();
  one->add_option("--points", rough->equation.points, "Points")->capture_default_str();

  const auto heat = add_equation(
      *command, run, "heat", "u_t = nu u_xx - c u_x + sigma dW, whose law is known", mno::spde::Heat{}, one);
  one->add_option("--nu", heat->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--velocity", heat->equation.velocity, "Velocity c")->capture_default_str();
  one->add_option("--sigma", heat->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--points", heat->equation.points, "Points")->capture_default_str();

  const auto walls =
      add_equation(*command, run, "heat-walls", "the heat equation between two walls, whose law is known",
                   mno::spde::BoundedHeat{}, one);
  one->add_option("--nu", walls->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--sigma", walls->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--points", walls->equation.points, "Points")->capture_default_str();
  one->add_option_function<std::string>(
         "--walls",
         [walls](const std::string& kind) {
           walls->equation.noise =
               mno::WallNoise::of_unit_sum(kind == "neumann" ? mno::Wall::neumann : mno::Wall::dirichlet);
         },
         "What holds at the walls: dirichlet (u = 0) or neumann (u_x = 0) [dirichlet]")
      ->check(CLI::IsMember({"dirichlet", "neumann"}));

  const auto flow = add_equation(*command, run, "kuramoto-sivashinsky",
                                 "u_t = -u_xx - u_xxxx - u u_x + sigma dW, a chaotic flow",
                                 mno::spde::KuramotoSivashinsky{}, one);
  one->add_option("--length", flow->equation.length, "Length of the box")->capture_default_str();
  one->add_option("--sigma", flow->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--steps", flow->equation.steps, "Steps to the final time")->capture_default_str();
  one->add_option_function<Index>(
      "--points", [flow](Index n) { flow->equation.simulated = flow->equation.kept = n; }, "Points [64]");

  const auto coupled = add_equation(*command, run, "coupled-heat",
                                    "two fields that exchange heat, with correlated noise; the law is known",
                                    mno::spde::CoupledHeat{}, one);
  one->add_option("--nu", coupled->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--velocity", coupled->equation.velocity, "Velocity c")->capture_default_str();
  one->add_option("--exchange", coupled->equation.exchange, "Exchange between the two")
      ->capture_default_str();
  one->add_option("--correlation", coupled->equation.correlation, "… of their noises, in [-1, 1]")
      ->capture_default_str();
  one->add_option("--sigma", coupled->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--points", coupled->equation.points, "Points")->capture_default_str();

  const auto plane =
      add_equation(*command, run, "plane-heat", "the heat equation on a square, whose law is known",
                   mno::spde::PlaneHeat{}, one);
  one->add_option("--nu", plane->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--sigma", plane->equation.sigma, "Noise")->capture_default_str();
  one->add_option_function<Index>(
      "--points",
      [plane](Index n) {
        plane->equation.points = {n, n};
      },
      "Points on each axis [32]");

  const auto stokes =
      add_equation(*command, run, "navier-stokes",
                   "w_t = -u.grad w + nu Laplace w + A cos(m y) + sigma dW, a flow on a square",
                   mno::spde::NavierStokes{}, one);
  one->add_option("--nu", stokes->equation.nu, "Viscosity")->capture_default_str();
  one->add_option("--amplitude", stokes->equation.amplitude, "Size A of the force")->capture_default_str();
  one->add_option("--wavenumber", stokes->equation.wavenumber, "Wavenumber m of the force")
      ->capture_default_str();
  one->add_option("--sigma", stokes->equation.sigma, "Noise")->capture_default_str();
  add_plane_options(one, stokes);

  const auto gray = add_equation(*command, run, "gray-scott",
                                 "u_t = D_u Laplace u - u v^2 + F (1 - u) + sigma_u dW, "
                                 "v_t = D_v Laplace v + u v^2 - (F + k) v + sigma_v dW",
                                 mno::spde::GrayScott{}, one);
  one->add_option("--diffusion-u", gray->equation.diffusion_u, "D_u")->capture_default_str();
  one->add_option("--diffusion-v", gray->equation.diffusion_v, "D_v")->capture_default_str();
  one->add_option("--feed", gray->equation.feed, "F")->capture_default_str();
  one->add_option("--kill", gray->equation.kill, "k")->capture_default_str();
  one->add_option("--sigma-u", gray->equation.sigma_u, "Noise of u")->capture_default_str();
  one->add_option("--sigma-v", gray->equation.sigma_v, "Noise of v")->capture_default_str();
  one->add_option("--length", gray->equation.length, "Length of the square")->capture_default_str();
  add_plane_options(one, gray);

  const auto phi4_plane =
      add_equation(*command, run, "phi4-plane", "u_t = nu Laplace u + growth u - u^3 + sigma dW on a square",
                   mno::spde::Phi4Plane{}, one);
  one->add_option("--nu", phi4_plane->equation.nu, "Diffusion")->capture_default_str();
  one->add_option("--sigma", phi4_plane->equation.sigma, "Noise")->capture_default_str();
  one->add_option("--growth", phi4_plane->equation.growth, "Linear growth")->capture_default_str();
  add_plane_options(one, phi4_plane);

  const auto toy = [&](const char* name, const char* what, const mno::spde::DriftAndNoise& equation) {
    const auto setup = add_equation(*command, run, name, what, equation, one);
    one->add_option("--drift", setup->equation.drift, "a")->capture_default_str();
    one->add_option("--sigma", setup->equation.sigma, "s")->capture_default_str();
    one->add_option("--points", setup->equation.points, "Points")->capture_default_str();
  };
  toy("brownian", "u_t = u_0 + a t u_0 + s W_t, a = 0", mno::spde::brownian_field());
  toy("drift", "u_t = a t u_0 + s W_t, s = 0", mno::spde::pure_drift());
  toy("noise", "u_t = a t u_0 + s W_t, a = 0", mno::spde::pure_noise());
  toy("drift-noise", "u_t = a t u_0 + s W_t", mno::spde::drift_and_noise());
}

}  // namespace program

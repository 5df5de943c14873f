// mno experiment: a benchmark from nothing to a page. Simulate, train with several seeds, score on initial
// conditions that no choice was made on, and put the floor and the paper's numbers beside.
#include <array>
#include <iostream>
#include <memory>
#include <mno/io/bytes.hpp>
#include <mno/simulate/rough_volatility.hpp>

#include "command.hpp"
#include "history.hpp"
#include "results.hpp"
#include "simulate.hpp"

namespace program {

namespace {

using mno::Index;
using mno::report::Json;
using mno::report::Row;

/// Which table of the paper a benchmark belongs to, and how its rows are named there.
struct Benchmark {
  const char *name, *what, *table, *paper_name;
};
constexpr std::array benchmarks{
    Benchmark{"burgers", "stochastic Burgers", "1d-spde", "burgers"},
    Benchmark{"phi4", "phi^4", "1d-spde", "phi4"},
    Benchmark{"rough-volatility", "rough volatility", "rough-volatility", "rough-vol"},
    Benchmark{"heat", "the linear heat equation, whose law is known", "heat", "heat"}};

struct Sizes {
  Index train = 0, validation = 0, test = 0, members = 0, epochs = 0, seeds = 0;
};
constexpr Sizes quick{512, 64, 64, 64, 150, 1};
constexpr Sizes full{1000, 100, 200, 192, 200, 5};

struct Options {
  const Benchmark* benchmark = nullptr;
  Sizes sizes{};  // 0: of --quick or --full
  std::string recipe = "decoupled";
  double covariance = 1;  // weight of the covariance's own term
  ShapeNumbers shape{};
  std::uint64_t data_seed = 1;
  std::filesystem::path folder{};
  int threads = 0;
  bool full = false, quick = false, restart = false, json = false;
};

void fill(Sizes& sizes, const Sizes& standard) {
  for (const auto member :
       {&Sizes::train, &Sizes::validation, &Sizes::test, &Sizes::members, &Sizes::epochs, &Sizes::seeds})
    if (sizes.*member == 0) sizes.*member = standard.*member;
}

Json settings(const Options& options, const Operator& one) {
  const Sizes& s = options.sizes;
  return {{"benchmark", options.benchmark->name},
          {"shape", one.shape_text()},
          {"recipe", options.recipe},
          {"covariance_weight", options.covariance},
          {"train", s.train},
          {"validation", s.validation},
          {"test", s.test},
          {"ensemble", s.members},
          {"epochs", s.epochs},
          {"data_seed", options.data_seed}};
}

/// The folder belongs to one experiment: what is in it already was made with the same settings.
void claim(const Options& options, const Json& wanted) {
  std::filesystem::create_directories(options.folder);
  const auto file = options.folder / "experiment.json";
  if (std::filesystem::exists(file) && !options.restart) {
    const mno::io::Bytes bytes = mno::io::read_file(file);
    const Json found = Json::parse(mno::io::characters(bytes), nullptr, false);
    if (found != wanted)
      throw mno::Error("mno experiment: '" + options.folder.string() +
                       "' holds an experiment with other settings:\n  " +
                       (found.is_discarded() ? "(not JSON)" : found.dump()) + "\nnot\n  " + wanted.dump() +
                       "\nChoose another folder with -o, or --restart to replace it.");
    return;
  }
  if (options.restart) {  // every seed's model too, so that none is ever taken for one of these settings
    std::vector<std::filesystem::path> old{options.folder / "train.npz", options.folder / "test.npz"};
    for (const auto& entry : std::filesystem::directory_iterator(options.folder))
      if (entry.path().filename().string().starts_with("model-")) old.push_back(entry.path());
    for (const auto& one : old) std::filesystem::remove(one);
  }
  mno::io::SafeFile out(file, mno::io::Keep::nothing);
  out.write(wanted.dump(1) + "\n");
  out.commit();
}

std::filesystem::path model_of(const Options& options, Index seed) {
  return options.folder / ("model-" + std::to_string(seed) + ".safetensors");
}

int interrupted() {
  std::cerr << "Interrupted. What is done stays; to go on, give the same command again:\n  " << command_line()
            << "\n";
  return stopped;
}

/// Trains one seed, or goes on with it. False if it was interrupted.
bool train(const Options& options, const Operator& one, Index seed, Progress& progress) {
  const Sizes& s = options.sizes;
  TrainRequest request;
  request.model = model_of(options, seed);
  request.checkpoint = request.model.string() + ".checkpoint";
  if (std::filesystem::exists(request.model)) return true;
  request.resume = std::filesystem::exists(request.checkpoint);
  request.recipe = options.recipe;
  request.options.recipe = mno::Recipe::named(options.recipe);
  request.options.recipe.hilbert_schmidt.weight = options.covariance;
  request.options.epochs = s.epochs;
  request.options.seed = std::uint64_t(seed);
  request.validation = double(s.validation) / double(s.train + s.validation);
  request.threads = options.threads;
  request.interrupted = interruption;
  HistoryWriter history(history_of(request.model), request.resume);
  request.report = [&](const mno::EpochReport& report) {
    progress.show((s.seeds > 1 ? "seed " + std::to_string(seed) + "/" + std::to_string(s.seeds) + "  " : "") +
                  epoch_line(report));
    history.add(report);
  };
  const auto data = open_ensembles(options.folder / "train.npz");
  const TrainResult result = one.train(*data, request);
  progress.close();
  if (result.interrupted) return false;
  for (const char* end : {".checkpoint", ".checkpoint.previous"})
    std::filesystem::remove(request.model.string() + end);
  return true;
}

int experiment(Options& options) {
  fill(options.sizes, options.full ? full : quick);
  const Sizes& s = options.sizes;
  const Benchmark& benchmark = *options.benchmark;
  options.threads = threads(options.threads);
  if (options.folder.empty()) options.folder = std::filesystem::path("results") / benchmark.name;
  ShapeNumbers wanted = options.shape;
  wanted.dimension = wanted.channels = 1;
  const Operator& one = choose(wanted);
  const Json about = settings(options, one);
  claim(options, about);
  listen_for_interruption();
  Progress progress(options.json);
  const auto say = [&](const std::string& text) {
    if (!options.json) std::cerr << text << "\n";
  };

  const auto simulate = [&](const char* file, Index first, Index samples, const char* what) {
    if (std::filesystem::exists(options.folder / file)) return true;
    say("Simulating " + std::string(benchmark.what) + ": " + std::to_string(samples) +
        " initial conditions " + what + ", " + std::to_string(s.members) + " members each …");
    mno::Sampling sampling{
        .samples = samples, .members = s.members, .seed = options.data_seed, .first_sample = first};
    return simulate_benchmark(benchmark.name, sampling, options.folder / file, options.threads, progress);
  };
  const Index seen = s.train + s.validation;
  if (!simulate("train.npz", 0, seen, "to train and validate on")) return interrupted();
  if (!simulate("test.npz", seen, s.test, "to test on")) return interrupted();

  std::vector<std::vector<Row>> rows;
  Evaluation first;
  for (Index seed = 1; seed <= s.seeds; ++seed) {
    if (!std::filesystem::exists(model_of(options, seed)))
      say("Training for " + std::to_string(s.epochs) + " epochs, seed " + std::to_string(seed) + " …");
    if (!train(options, one, seed, progress)) return interrupted();
    EvaluateRequest request;
    request.model = model_of(options, seed);
    request.threads = options.threads;
    request.seed = std::uint64_t(seed);
    const auto data = open_ensembles(options.folder / "test.npz");
    Evaluation evaluation = one.evaluate(*data, request);
    if (std::string(benchmark.name) == "rough-volatility")
      for (Row& row : evaluation.rows) row.at["hurst"] = mno::spde::RoughVolatility{}.hurst;
    rows.push_back(evaluation.rows);
    if (seed == 1) first = std::move(evaluation);
    if (interruption()) return interrupted();
  }

  auto record = record_of(first, model_of(options, 1));
  record.rows = over_seeds(rows);
  name_rows(record.rows, benchmark.table, benchmark.paper_name, "mno");
  record.title = std::string("A Martingale Neural Operator for ") + benchmark.what;
  record.description =
      mno::text("Trained on ", s.train, " initial conditions, validated on ", s.validation, ", scored on ",
                s.test, " others; ", s.members, " members each, ", s.epochs, " epochs, ", s.seeds,
                " seed(s).",
                options.full ? ""
                             : " This is a reduced run: the protocol has 1000, 100 and 200 conditions, "
                               "192 members and 5 seeds (--full).",
                " Scores are in normalised coordinates, pictures in those of the data and of the first seed. "
                "The paper gives one W2 without its estimator; it stands beside both of ours.")
          .str();
  for (const auto& [key, value] : about.items())
    if (key == "ensemble" || key == "test" || key == "data_seed")
      record.settings.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  const auto page = write_results(record, options.folder);
  if (options.json) {
    std::cout << Json{{"command", "experiment"},
                      {"folder", options.folder.string()},
                      {"page", page.string()},
                      {"rows", mno::report::json_of(record.rows)}}
                     .dump()
              << "\n";
    return succeeded;
  }
  for (const Row& row : record.rows)
    if (row.metric != "coverage")
      std::cout << "  " << row.metric << std::string(20 - std::min<std::size_t>(19, row.metric.size()), ' ')
                << short_number(row.value)
                << (row.interval95 ? " ± " + short_number(*row.interval95) : std::string())
                << (row.floor ? "   floor " + short_number(*row.floor) : std::string())
                << (row.paper ? "   paper " + short_number(*row.paper) : std::string()) << "\n";
  std::cout << "Rows are in " << (options.folder / "results.json").string() << ", the page is "
            << page.string() << "\n";
  return succeeded;
}

}  // namespace

void add_experiment(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("experiment", "Run a benchmark from nothing to a page with pictures");
  command->require_subcommand(1);
  command->footer(
      "Example:\n  mno experiment burgers -o results\n"
      "leaves results/report.html, results/results.json, the data and the models. Given again, the command "
      "goes\non where it was interrupted.");
  for (const Benchmark& benchmark : benchmarks) {
    auto options = std::make_shared<Options>();
    options->benchmark = &benchmark;
    CLI::App* one = command->add_subcommand(benchmark.name, benchmark.what);
    one->footer(std::string("Example:\n  mno experiment ") + benchmark.name + " --full -o results");
    auto& s = options->sizes;
    auto* small =
        one->add_flag("--quick", options->quick, "A minute: 512 conditions of 64 members, 1 seed (default)");
    one->add_flag("--full", options->full, "The protocol: 1000 conditions of 192 members, 5 seeds")
        ->excludes(small);
    const auto size = [&](const char* flag, Index& value, const char* text) {
      one->add_option(flag, value, text)->check(CLI::PositiveNumber);
    };
    size("--samples", s.train, "Initial conditions to train on");
    size("--validation", s.validation, "Initial conditions to validate on");
    size("--test", s.test, "Initial conditions to test on");
    size("--ensemble", s.members, "Members for each");
    size("--epochs", s.epochs, "Times through the data");
    size("--seeds", s.seeds, "Trainings; the rows are means over them");
    one->add_option("--recipe", options->recipe, "Loss: paper or decoupled")
        ->check(CLI::IsMember({"paper", "decoupled"}))
        ->capture_default_str();
    one->add_option("--covariance", options->covariance,
                    "Weight of the covariance's distance to the ensemble's; 0: only pointwise variances are "
                    "trained, as in the paper")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    one->add_option("--rank", options->shape.rank, "Rank of the covariance")->check(CLI::PositiveNumber);
    one->add_option("--width", options->shape.width, "Channels of the backbone")->check(CLI::PositiveNumber);
    one->add_option("--modes", options->shape.modes, "Wavenumbers kept")->check(CLI::PositiveNumber);
    one->add_option("--depth", options->shape.depth, "Fourier layers")->check(CLI::PositiveNumber);
    one->add_option("--data-seed", options->data_seed, "Of the simulation")->capture_default_str();
    one->add_option("-o,--output", options->folder,
                    std::string("A folder for everything [results/") + benchmark.name + "]");
    one->add_option("--threads", options->threads, "Threads; 0: all")->check(CLI::NonNegativeNumber);
    one->add_flag("--restart", options->restart, "Replace what the folder holds");
    one->add_flag("--json", options->json, "Print the rows as JSON");
    one->callback([options, &run] { run = [options] { return experiment(*options); }; });
  }
}

}  // namespace program

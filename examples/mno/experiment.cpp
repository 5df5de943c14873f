// mno experiment: one of the experiments of examples/experiments, from nothing to rows and a page.
#include <iostream>
#include <memory>
#include <mno/io/bytes.hpp>

#include "command.hpp"
#include "demand/kind_list.hpp"
#include "experiments.hpp"
#include "ranks.hpp"

namespace program {

namespace {

using experiment::Experiment;
using experiment::Sizes;
using experiment::Study;
using mno::Index;
using mno::report::Json;
using mno::report::Row;

Json settings(const Experiment& one, const Study& study, const experiment::Options& options) {
  const Sizes& s = study.sizes();
  Json all{{"experiment", one.name},        {"train", s.train},
           {"validation", s.validation},    {"test", s.test},
           {"ensemble", s.members},         {"epochs", s.epochs},
           {"shape", study.shape().list()}, {"ranks", options.ranks},
           {"data_seed", options.data_seed}};
  if (!options.rivals.empty()) all["rivals"] = options.rivals;
  if (options.points > 0) all["points"] = options.points;
  if (!options.sweep.empty()) all["sweep"] = options.sweep.string();
  return all;
}

/// The folder belongs to one experiment: what is in it already was made with the same settings.
void claim(const experiment::Options& options, const Json& wanted) {
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
  mno::io::SafeFile out(file, mno::io::Keep::nothing);
  out.write(wanted.dump(1) + "\n");
  out.commit();
}

std::string place_of(const Row& row) {
  std::string out;
  for (const auto& [name, value] : row.at) {
    const double* number = std::get_if<double>(&value);
    out += (out.empty() ? "" : ", ") + name + " " +
           (number ? short_number(*number) : std::get<std::string>(value));
  }
  return out.empty() ? "" : " (" + out + ")";
}

void print(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string name = row.method + ": " + row.metric + place_of(row);
    std::cout << "  " << name << std::string(name.size() < 50 ? 50 - name.size() : 1, ' ')
              << short_number(row.value)
              << (row.interval95 ? " ± " + short_number(*row.interval95) : std::string())
              << (row.floor ? "   floor " + short_number(*row.floor) : std::string())
              << (row.paper ? "   paper " + short_number(*row.paper) : std::string()) << "\n";
  }
}

int run_experiment(const Experiment& one, experiment::Options& options) {
  if (options.folder.empty()) options.folder = std::filesystem::path("results") / one.name;
  Study study(one, options);
  const Json about = settings(one, study, options);
  // Of several ranks all go through the experiment; each simulates and trains a share, and rank 0 speaks.
  const bool first = ranks().rank() == 0;
  if (first) claim(options, about);
  ranks().meet();
  listen_for_interruption();
  try {
    one.run(study);
  } catch (const experiment::Interrupted&) {
    if (first)
      std::cerr << "Interrupted. What is done stays; to go on, give the same command again:\n  "
                << command_line() << "\n";
    return stopped;
  }
  if (!first) return succeeded;
  const Sizes& s = study.sizes();
  auto& record = study.record();
  record.command = command_line();
  record.title = std::string("Experiment: ") + one.what;
  if (record.description.empty())
    record.description =
        mno::Text(
            "Trained on ", s.train, " initial conditions, validated on ", s.validation, ", scored on ",
            s.test, " others; ", s.members, " members each, ", s.pairs,
            " pair(s) of a data seed and a model seed, each with conditions of its own.",
            options.full ? "" : " This is a reduced run; --full is the protocol.",
            " Scores are in normalised coordinates, pictures in those of the data and of the first pair. "
            "The paper gives one W2 without its estimator; it stands beside both of ours. Its data was "
            "made with constants that it does not give, so its numbers show the size to expect; MNO and "
            "FNO are compared on the same data.")
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
  print(record.rows);
  std::cout << "Rows are in " << (options.folder / "results.json").string() << ", the page is "
            << page.string() << "\n";
  return succeeded;
}

std::string sizes_text(const Sizes& s) {
  if (s.train == 0) return std::to_string(s.pairs) + " model seed(s)";
  return std::to_string(s.train) + " conditions of " + std::to_string(s.members) + " members, " +
         std::to_string(s.pairs) + " pair(s) of seeds";
}

}  // namespace

void add_experiment(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("experiment", "Run a benchmark from nothing to a page with tables and pictures");
  command->require_subcommand(1);
  command->footer(
      "Example:\n  mno experiment burgers -o results/burgers\n"
      "leaves report.html, results.json and run.json there, and data and models in results/cache, where "
      "other\n"
      "experiments find them. Given again, the command goes on where it was interrupted.");
  std::vector<std::string> kinds = demand::kind_names();
  kinds.push_back("all");
  for (const Experiment* one : experiment::all()) {
    auto options = std::make_shared<experiment::Options>();
    CLI::App* sub = command->add_subcommand(one->name, one->what);
    sub->footer(std::string("Example:\n  mno experiment ") + one->name + " --full -o results/" + one->name);
    auto& s = options->sizes;
    auto* small =
        sub->add_flag("--quick", options->quick, "Minutes: " + sizes_text(one->quick) + " (default)");
    sub->add_flag("--full", options->full, "The protocol: " + sizes_text(one->full))->excludes(small);
    const auto size = [&](const char* flag, Index& value, const char* text) {
      sub->add_option(flag, value, text)->check(CLI::PositiveNumber);
    };
    if (one->measured) {
      sub->add_option("--measured", options->measured, "Where examples/measured/fetch has put its files")
          ->capture_default_str();
      size("--pairs", s.pairs, "Model seeds; rows are means over them");
    } else {
      size("--samples", s.train, "Initial conditions to train on");
      size("--validation", s.validation, "Initial conditions to validate on");
      size("--test", s.test, "Initial conditions to test on");
      size("--ensemble", s.members, "Members for each");
      size(
          "--pairs", s.pairs,
          "Pairs of a data seed and a model seed, each with conditions of its own; rows are means over them");
    }
    if (one->shape.dimension == 2) size("--points", options->points, "Points on each axis to train on [32]");
    size("--epochs", s.epochs, "Times through the data (default: chosen on validation, or the recipe's)");
    sub->add_option("--rank", options->shape.rank, "Rank of the covariance")->check(CLI::PositiveNumber);
    sub->add_option("--ranks", options->ranks, "Ranks to compare, where an experiment does")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    sub->add_option("--rivals", options->rivals,
                    "Further kinds of operators to compare, where an experiment does: noise-fno, neural-sde, "
                    "…; all: every rival")
        ->delimiter(',')
        ->check(CLI::IsMember(kinds));
    sub->add_option("--sweep", options->sweep,
                    "Recorded rows of mno experiment sweep, to take the optimiser of every rival from");
    sub->add_option("--width", options->shape.width, "Channels of the backbone")->check(CLI::PositiveNumber);
    sub->add_option("--modes", options->shape.modes, "Wavenumbers kept")->check(CLI::PositiveNumber);
    sub->add_option("--depth", options->shape.depth, "Fourier layers")->check(CLI::PositiveNumber);
    sub->add_option("--data-seed", options->data_seed,
                    "Of the first pair's simulation; the next pair has the next one")
        ->capture_default_str();
    sub->add_option("-o,--output", options->folder,
                    std::string("A folder for the results [results/") + one->name + "]");
    sub->add_option("--cache", options->cache,
                    "A folder for data and models, shared by experiments [cache beside the results]");
    sub->add_option("--threads", options->threads, "Models that are trained side by side; 0: one per core")
        ->check(CLI::NonNegativeNumber);
    sub->add_flag("--restart", options->restart,
                  "Replace what the folder holds, and simulate and train anew");
    sub->add_flag("--json", options->json, "Print the rows as JSON");
    sub->callback([one, options, &run] { run = [one, options] { return run_experiment(*one, *options); }; });
  }
}

}  // namespace program

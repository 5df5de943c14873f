// mno evaluate: a model against ensembles, every metric beside its floor, which no model can beat.
#include <cstdio>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "report/comparison.hpp"
#include "report/tables.hpp"
#include "results.hpp"

namespace program {

namespace {

using mno::Index;

struct EvaluateOptions {
  EvaluateRequest request{};
  std::filesystem::path data{}, folder{};
  std::string benchmark{}, method = "mno";
  bool json = false;
};

/// A line per metric: the model, its references and the floor side by side.
void print_matrix(const std::vector<mno::report::Row>& rows) {
  std::vector<const mno::report::Row*> all;
  for (const auto& row : rows) all.push_back(&row);
  const mno::report::Matrix matrix = mno::report::matrix_of(all);
  const auto& block = matrix.blocks.at(0);
  const auto number = [](const std::optional<double>& value) {
    if (value)
      std::printf(" %18.4g", *value);
    else
      std::printf(" %18s", "-");
  };
  std::printf("%-18s", "metric");
  for (const auto& line : block.lines) std::printf(" %18s", line.method.c_str());
  std::printf(" %18s\n", "floor");
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    std::string name = matrix.columns[c].metric;
    if (matrix.columns[c].level) name += " " + mno::report::shown_at(*matrix.columns[c].level);
    std::printf("%-18s", name.c_str());
    for (const auto& line : block.lines)
      number(line.cells[c] ? std::optional(line.cells[c]->value) : std::nullopt);
    number(block.floors[c]);
    std::printf("\n");
  }
}

int evaluate(EvaluateOptions& options) {
  EvaluateRequest& request = options.request;
  request.threads = threads(request.threads);
  if (!options.data.has_filename()) options.data = options.data.parent_path();  // "shards/" is "shards"
  if (options.benchmark.empty()) options.benchmark = options.data.stem().string();
  const auto opened = open_ensembles(options.data);
  mno::io::EnsembleReader& file = *opened;
  const Operator& one = of_model(request.model);
  const ShapeNumbers shape = one.shape();
  if (file.dimension() != shape.dimension || file.channels() != shape.channels ||
      file.known_fields() != shape.known)
    mno::io::refuse(file.name(), "expected dimension ", shape.dimension, ", ", shape.channels,
                    " channel(s) and ", shape.known, " known field(s) as the model has, found ",
                    file.dimension(), ", ", file.channels(), " and ", file.known_fields());
  if (!options.folder.empty()) {
    std::filesystem::create_directories(options.folder);
    request.fields = options.folder / "evaluation.npz";
  }
  Evaluation evaluation = program::evaluate(file, request);
  evaluation.data.name = options.data.filename().string();
  auto& rows = evaluation.rows;
  name_rows(rows, "evaluation", options.benchmark, options.method);
  for (const auto& [references, method] :
       {std::pair{&evaluation.climatology, mno::report::climatology_method},
        std::pair{&evaluation.constant, mno::report::constant_method}}) {
    name_rows(*references, "evaluation", options.benchmark, method);
    rows.insert(rows.end(), references->begin(), references->end());
  }
  if (!evaluation.verdict)
    evaluation.verdict = {
        "How good this is cannot be said: the model file has no references to compare with, as mno train "
        "writes them now.",
        {}};

  const Index least = file.least_members(), most = file.most_members();
  mno::report::Json members = most;
  if (least < most) members = {least, most};
  const std::string each = members_text(file);
  const mno::report::Json json{{"command", "evaluate"},
                               {"model", request.model.string()},
                               {"data", options.data.string()},
                               {"conditions", file.samples()},
                               {"members", members},
                               {"draws", draws_of(file, request)},
                               {"coordinates", "normalised"},
                               {"verdict", mno::report::json_of(*evaluation.verdict)},
                               {"rows", mno::report::json_of(rows)}};
  if (!options.folder.empty()) {
    auto record = record_of(evaluation, request.model);
    record.title = request.model.filename().string() + " on " + options.data.filename().string();
    record.description = mno::Text("Scores over ", file.samples(), " initial conditions with ", each,
                                   ", in normalised coordinates; pictures in those of the data.")
                             .str();
    write_results(record, options.folder);
  }
  if (options.json) {
    std::cout << json.dump() << "\n";
    return succeeded;
  }
  std::printf("%s\n", evaluation.verdict->sentence.c_str());
  std::printf("%lld conditions, %s; normalised coordinates\n", static_cast<long long>(file.samples()),
              each.c_str());
  print_matrix(rows);
  if (!options.folder.empty()) std::printf("The page is %s\n", (options.folder / "report.html").c_str());
  return succeeded;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Score a model against ensembles");
  command->footer(
      "Example:\n  mno evaluate --model model.safetensors --data test.npz --json\n"
      "Values are in normalised coordinates. The floor is what a model that knows the law exactly would "
      "get,\n"
      "because an ensemble has finitely many members. Data with fewer than four members of a condition has "
      "no\n"
      "floors, and with one no scores that compare with an ensemble. The first line says whether the model "
      "is\n"
      "better than climatology and than its own mean with one constant variance, fitted on its training "
      "data, by\n"
      "the 95 % interval of its CRPS skill, paired over conditions.");
  auto& request = options->request;
  command->add_option("--model", request.model, "The model file")->required();
  command->add_option("--data", options->data, "The .npz or HDF5 file, or the folder of shards: u0, uT, t")
      ->required();
  command->add_option("-o,--output", options->folder,
                      "A folder for results.json, report.html, run.json and the moments per condition,\n"
                      "evaluation.npz");
  command
      ->add_option("--draws", request.draws,
                   "Draws per condition; 0: as many as there are members, 64 where these are fewer than four")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option("--members", request.selection.members,
                   "Members of every condition to score against, the first ones; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--time", request.selection.time, "Conditions of this time alone (default: all)");
  command
      ->add_option("--points", request.selection.points,
                   "Score on so many points of every axis, in equal steps; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--seed", request.seed, "Of the draws")->capture_default_str();
  command->add_option("--benchmark", options->benchmark, "Name in the rows (default: of the data file)");
  command->add_option("--method", options->method, "Name in the rows")->capture_default_str();
  command->add_option("--threads", request.threads, "Threads; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->default_val(0);
  command->add_flag("--json", options->json, "Print the rows as JSON");
  command->callback([options, &run] { run = [options] { return evaluate(*options); }; });
}

}  // namespace program

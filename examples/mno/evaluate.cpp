// mno evaluate: a model against ensembles, every metric beside what no model can beat.
#include <cstdio>
#include <iostream>
#include <memory>
#include <mno/io/safe_file.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "operator.hpp"

namespace program {

namespace {

struct Options {
  EvaluateRequest request{};
  std::filesystem::path data{}, folder{};
  std::string benchmark{}, method = "mno";
  bool json = false;
};

int evaluate(Options& options) {
  EvaluateRequest& request = options.request;
  request.threads = threads(request.threads);
  if (options.benchmark.empty()) options.benchmark = options.data.stem().string();
  const Operator& one = of_model(request.model);
  mno::io::EnsembleFile file(options.data);
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
  const std::vector<MetricRow> rows = one.evaluate(file, request);

  nlohmann::ordered_json json{
      {"command", "evaluate"},         {"model", request.model.string()},
      {"data", options.data.string()}, {"conditions", file.samples()},
      {"members", file.members()},     {"draws", request.draws > 0 ? request.draws : file.members()},
      {"coordinates", "normalised"},   {"rows", nlohmann::ordered_json::array()}};
  for (const MetricRow& row : rows) {
    nlohmann::ordered_json item{{"table", "evaluation"},    {"benchmark", options.benchmark},
                                {"method", options.method}, {"metric", row.metric},
                                {"value", row.value},       {"floor", row.floor}};
    if (row.at) item["at"] = *row.at;
    json["rows"].push_back(std::move(item));
  }
  if (!options.folder.empty()) {
    mno::io::SafeFile out(options.folder / "evaluation.json", mno::io::Keep::nothing);
    out.write(json.dump(1) + "\n");
    out.commit();
  }
  if (options.json) {
    std::cout << json.dump() << "\n";
    return succeeded;
  }
  std::printf("%lld conditions, %lld members each; normalised coordinates\n",
              static_cast<long long>(file.samples()), static_cast<long long>(file.members()));
  std::printf("%-22s %12s %12s\n", "metric", "value", "floor");
  for (const MetricRow& row : rows) {
    char name[64];
    if (row.at)
      std::snprintf(name, sizeof name, "%s at %g", row.metric.c_str(), *row.at);
    else
      std::snprintf(name, sizeof name, "%s", row.metric.c_str());
    std::printf("%-22s %12.4g %12.4g\n", name, row.value, row.floor);
  }
  return succeeded;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("evaluate", "Score a model against ensembles");
  command->footer(
      "Example:\n  mno evaluate --model model.safetensors --data test.npz --json\n"
      "Values are in normalised coordinates. The floor is what a model that knows the law exactly would "
      "get,\n"
      "because an ensemble has finitely many members; that of a coverage is its level.");
  auto& request = options->request;
  command->add_option("--model", request.model, "The model file")->required();
  command->add_option("--data", options->data, "The .npz file: u0, uT, t")->required();
  command->add_option("-o,--output", options->folder,
                      "A folder for evaluation.json and the moments per condition, evaluation.npz");
  command->add_option("--draws", request.draws, "Draws per condition; 0: as many as there are members")
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

// mno predict: the law of the field at a time, from an initial field.
#include <iostream>
#include <memory>
#include <mno/io/npz.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "operator.hpp"

namespace program {

namespace {

struct Options {
  PredictRequest request{};
  std::filesystem::path input{}, fields{};
  bool json = false;
};

/// A .npy file, or an array of an .npz file.
mno::io::Array read(const std::filesystem::path& path, const char* name) {
  return path.extension() == ".npz" ? mno::io::NpzReader(path).read(name) : mno::io::read_npy(path);
}

int predict(Options& options) {
  PredictRequest& request = options.request;
  require_folder_of(request.output);
  request.threads = threads(request.threads);
  const Operator& one = of_model(request.model);
  const mno::io::Array input = read(options.input, "u0");
  mno::io::Array fields;
  if (!options.fields.empty()) fields = read(options.fields, "fields");
  request.input = &input;
  request.fields = options.fields.empty() ? nullptr : &fields;
  one.predict(request);
  if (options.json)
    std::cout << nlohmann::ordered_json{{"command", "predict"},
                                        {"file", request.output.string()},
                                        {"time", request.time},
                                        {"samples", request.samples},
                                        {"seed", request.seed}}
                     .dump()
              << "\n";
  else
    std::cout << "Wrote " << request.output.string() << ": mean, variance, factor"
              << (request.samples > 0 ? " and samples" : "") << " at t = " << request.time << ".\n";
  return succeeded;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("predict", "Ask a model for the law of the field at a time");
  command->footer(
      "Example:\n  mno predict --model model.safetensors --input u0.npy --time 0.5 --samples 100 -o law.npz\n"
      "The input is (sample, channel, x…), (channel, x…) or, for one channel, (x…), on any grid. The output "
      "has\n"
      "mean and variance (sample, channel, x…), factor (sample, rank, channel, x…) and samples\n"
      "(sample, draw, channel, x…).");
  auto& request = options->request;
  command->add_option("--model", request.model, "The model file")->required();
  command->add_option("--input", options->input, "u_0: a .npy file, or an .npz file with an array u0")
      ->required();
  command->add_option("--time", request.time, "t")->required()->check(CLI::NonNegativeNumber);
  command->add_option("--fields", options->fields,
                      "Known fields, if the model has them and they are not stored in it");
  command->add_option("--samples", request.samples, "Draws from each law")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--seed", request.seed, "Of the draws")->capture_default_str();
  command->add_option("-o,--output", request.output, "The .npz file to write")->required();
  command->add_option("--threads", request.threads, "Threads; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->default_val(0);
  command->add_flag("--json", options->json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return predict(*options); }; });
}

}  // namespace program

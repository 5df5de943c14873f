// mno train: an operator from a file of ensembles.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mno/io/safetensors/model_file.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "config.hpp"
#include "demand/kind_list.hpp"
#include "history.hpp"
#include "operator.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "results.hpp"

namespace program {

namespace {

using mno::Index;

struct TrainOptions {
  std::filesystem::path data{}, config{};
  ShapeNumbers shape{};
  TrainRequest request{};
  double validation = 0.1;
  std::string schedule = "cosine";
  Index warmup_epochs = -1, ramp_epochs = -1, draws = 8;
  std::array<std::optional<double>, mno::Recipe::size> weights{};  // in the order of Recipe::names
  std::string residual = "gaussian", warp = "unwarped", places = "auto";
  bool restart = false, explain = false, json = false;
  ConfigKeys keys{};
};

std::string command_to_resume() {
  std::string out;
  bool there = false;
  for (const std::string& word : arguments()) {
    if (word == "--restart") continue;
    there = there || word == "--resume";
    out += (out.empty() ? "" : " ") + quoted(word);
  }
  return there ? out : out + " --resume";
}

/// What was chosen for the data, and why, as the model file has it.
std::map<std::string, std::string> choices_of(const std::filesystem::path& model) {
  const mno::io::SafetensorsReader file(model);
  std::map<std::string, std::string> choices;
  constexpr std::string_view before = "choice.";
  for (const auto& [key, value] : mno::io::model_metadata(file))
    if (key.starts_with(before)) choices[key.substr(before.size())] = value;
  return choices;
}

int train(TrainOptions& options) {
  // Of several ranks all read the options and agree; rank 0 reads the data, writes files and speaks.
  mno::Communicator& together = ranks();
  const bool first = together.rank() == 0;
  if (!options.config.empty()) read_config(options.config, options.keys);
  TrainRequest& request = options.request;
  request.ranks = &together;
  if (options.data.empty())
    throw mno::Error("mno train: --data FILE is required, here or in [data] of the --config file.");
  if (request.model.empty())
    throw mno::Error("mno train: -o MODEL is required, here or in [model] of the --config file.");
  require_folder_of(request.model);
  request.fit.checkpoint = request.model.string() + ".checkpoint";
  const bool there = std::filesystem::exists(request.fit.checkpoint);
  if (request.fit.resume && !there)
    throw mno::Error("mno train: --resume: there is no checkpoint '" + request.fit.checkpoint.string() +
                     "'.");
  if (there && !request.fit.resume && !options.restart)
    throw mno::Error(
        "mno train: '" + request.fit.checkpoint.string() +
        "' holds an unfinished run: add --resume to go on with it, or --restart to begin again.");
  auto& training = request.fit.training;
  const bool weighted = options.warmup_epochs >= 0 || options.ramp_epochs >= 0 ||
                        std::any_of(options.weights.begin(), options.weights.end(),
                                    [](const auto& weight) { return weight.has_value(); });
  if (request.recipe == "auto" && weighted) request.recipe = "decoupled";  // what weights are changes of
  if (weighted && request.recipe == "energy")
    throw mno::Error(
        "mno train: --recipe energy has no terms that a weight, a warm-up or a ramp belongs to.");
  if (request.recipe == "energy") {
    request.loss = mno::energy_loss(options.draws);
  } else if (request.recipe != "auto") {
    mno::Recipe loss = mno::Recipe::named(request.recipe);
    for (std::size_t i = 0; i < mno::Recipe::size; ++i)
      if (options.weights[i]) loss.weight(mno::Recipe::names()[i]) = *options.weights[i];
    if (options.warmup_epochs >= 0) loss.warmup_epochs = options.warmup_epochs;
    if (options.ramp_epochs >= 0) loss.ramp_epochs = options.ramp_epochs;
    request.loss = loss;
  }
  training.decay = options.schedule == "cosine" ? mno::Decay::cosine : mno::Decay::none;
  request.fit.choose_residual = options.residual == "auto";
  if (!request.fit.choose_residual) training.residual = mno::AnyResidual::parse(options.residual);
  request.fit.warp = mno::AnyWarp::parse(options.warp);
  if (options.places != "auto") request.fit.places = options.places == "yes";
  request.fit.validation = options.validation;
  request.fit.split_seed = training.seed;
  request.threads = threads_of_rank(request.threads);
  request.neighbours = ranks_of_machine();
  if (together.size() > 1) request.gpu += rank_of_machine();

  const auto opened = open_ensembles(options.data);
  mno::io::EnsembleReader& file = *opened;
  const ShapeNumbers shape = demand::shape_for(options.shape, file);
  if (first) choose(shape);  // the others find it compiled
  together.meet();
  const Operator& one = choose(shape);

  listen_for_interruption();
  Progress progress(options.json);
  request.fit.interrupted = interruption;
  HistoryWriter history(history_of(request.model), request.fit.resume);
  request.fit.after_epoch = [&](const mno::EpochReport& report) {
    progress.show(epoch_line(report));
    history.add(report);
  };
  request.fit.data = file.name();
  if (request.recipe == "paper") request.fit.factor_scale = 1;
  const mno::FitReport result = demand::train(one, file, nullptr, request);
  progress.close();
  if (!first) return succeeded;
  if (result.interrupted && !std::filesystem::exists(request.fit.checkpoint)) {
    std::cerr << "Interrupted; nothing of it is kept.\n";
    return stopped;
  }
  if (result.interrupted) {
    std::cerr << "Interrupted in epoch " << result.epochs_done + 1 << "; the checkpoint is '"
              << request.fit.checkpoint.string() << "'. To go on:\n  " << command_to_resume() << "\n";
    return stopped;
  }
  std::error_code ignored;  // the run is over: what it would go on from is not needed any more
  std::filesystem::remove(request.fit.checkpoint, ignored);
  std::filesystem::remove(request.fit.checkpoint.string() + ".previous", ignored);
  if (options.json) {
    nlohmann::ordered_json json{{"command", "train"},
                                {"model", request.model.string()},
                                {"shape", one.shape_text()},
                                {"parameters", one.parameters()},
                                {"recipe", request.recipe},
                                {"seed", training.seed},
                                {"epochs", result.epochs_done},
                                {"train_samples", result.train},
                                {"validation_samples", result.validation}};
    if (result.scores)
      for (const auto& [name, value] : result.scores->named()) json["validation"][name] = value;
    for (const auto& [what, why] : choices_of(request.model)) json["choices"][what] = why;
    std::cout << json.dump() << "\n";
    return succeeded;
  }
  std::cout << "Wrote " << request.model.string() << ": " << one.parameters() << " parameters, "
            << result.epochs_done << " epochs on " << result.train << " samples";
  if (result.scores) std::cout << "; on " << result.validation << " others: " << text_of(*result.scores);
  std::cout << ".\n";
  if (options.explain)
    for (const auto& [what, why] : choices_of(request.model))
      std::cout << "  " << what << ": " << why << "\n";
  return succeeded;
}

}  // namespace

void add_train(CLI::App& app, Run& run) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train an operator on a file of ensembles");
  command->footer(
      "Example:\n  mno train --data data.npz -o model.safetensors\n"
      "What is not asked for is chosen for the data; --explain says what, and why.\n"
      "The same from a file, run.toml, with --config run.toml; flags win:\n"
      "  [data]\n  data = \"data.npz\"\n  [model]\n  output = \"model.safetensors\"\n  [training]\n"
      "  epochs = 200\n"
      "MODEL.history.jsonl gets a line per epoch. Ctrl-C writes MODEL.checkpoint and says how to go on. "
      "Dimension and channels come from the data. An\n"
      "operator that the program does not have is compiled once and kept: mno operators.");
  auto& o = *options;
  auto& training = o.request.fit.training;
  // add(table, key, variable, text): a flag and a key of the configuration
  const auto add = [&](const char* table, const std::string& key, auto& variable, const std::string& text) {
    const std::string flags = key == "output" ? "-o,--output" : "--" + key;
    CLI::Option* option = command->add_option(flags, variable, text);
    o.keys[table][key] = option;
    return option;
  };
  command->add_option("--config", o.config,
                      "A TOML file with tables [data], [model], [training] and [weights]");
  add("data", "data", o.data,
      "The .npz or HDF5 file, or a folder of shards: u0, uT, t and, if need be, length and fields");
  add("data", "validation", o.validation, "Fraction of the initial conditions to validate on")
      ->capture_default_str();
  add("model", "output", o.request.model, "The model file to write");
  const std::vector<std::string> kinds = demand::kind_names();
  o.shape.kind = "mno-nugget";
  add("model", "kind", o.shape.kind, "Of the operator")->check(CLI::IsMember(kinds))->capture_default_str();
  add("model", "residual", o.residual,
      "Law of the residuals: gaussian, laplace, 'student_t NU' or …; auto: learned from validation")
      ->capture_default_str();
  add("model", "warp", o.warp,
      "From the law's coordinates to those of the data: unwarped, log or 'asinh SCALE'")
      ->capture_default_str();
  add("model", "calibrate", o.request.fit.calibrate,
      "Widen the law so that its intervals at this level hold on the validation conditions; 0: do not")
      ->check(CLI::Range(0.0, 0.999))
      ->capture_default_str();
  add("model", "rank", o.shape.rank, "Rank of the covariance")->check(CLI::PositiveNumber);
  add("model", "width", o.shape.width, "Channels of the backbone")->check(CLI::PositiveNumber);
  add("model", "modes", o.shape.modes, "Wavenumbers kept per axis")->check(CLI::PositiveNumber);
  add("model", "depth", o.shape.depth, "Fourier layers")->check(CLI::PositiveNumber);
  add("model", "least-points", o.request.fit.least_points,
      "Points per axis that the layers work on at least, where data is coarser; 0: as given")
      ->check(CLI::Range(0, 65536))
      ->default_val(0);
  add("training", "recipe", o.request.recipe,
      "Loss: auto (by what the data has: ensembles or draws), paper, decoupled, or energy (scores of draws)")
      ->check(CLI::IsMember({"auto", "paper", "decoupled", "energy"}))
      ->capture_default_str();
  add("training", "draws", o.draws, "Draws of every condition in a step, for --recipe energy")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  add("training", "epochs", training.epochs, "Times through the data; 0: chosen on validation")
      ->capture_default_str();
  add("training", "batch", training.batch, "Samples per step")->capture_default_str();
  add("training", "learning-rate", training.adamw.learning_rate, "Largest step size of AdamW")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add("training", "beta2", training.adamw.beta2, "Decay of AdamW's second moment")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add("training", "weight-decay", training.adamw.weight_decay, "Weight decay of AdamW")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add("training", "schedule", o.schedule, "Of the learning rate: cosine or constant")
      ->check(CLI::IsMember({"cosine", "constant"}))
      ->capture_default_str();
  add("training", "warmup-steps", training.warmup_steps, "Steps of growing learning rate")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add("training", "warmup-epochs", o.warmup_epochs,
      "Epochs that train the mean alone (default: the recipe's)")
      ->check(CLI::NonNegativeNumber);
  add("training", "ramp-epochs", o.ramp_epochs,
      "Epochs in which the likelihood comes in (default: the recipe's)")
      ->check(CLI::NonNegativeNumber);
  add("training", "clip", training.clip, "Largest norm of a gradient; 0: any")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add("training", "average", training.average, "Decay of a moving average of the weights; 0: none")
      ->check(CLI::Range(0.0, 0.999999))
      ->capture_default_str();
  add("training", "patience", training.patience, "Epochs without improvement before it stops; 0: it does not")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add("training", "seed", training.seed, "Weights, split and order depend on it alone")
      ->capture_default_str();
  add("training", "threads", o.request.threads, "Threads; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->default_val(0);
  add("training", "memory", o.request.memory,
      "Bytes that data may take, as 2G; the rest lies in a file beside the model (default: half of the "
      "machine's)")
      ->transform(CLI::AsSizeValue(false));
  add("training", "device", o.request.device,
      "Where to train: cpu, or cuda where the program was built with it")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  add("training", "gpu", o.request.gpu,
      "Which GPU, as CUDA counts them; the ranks of a machine take it and the next ones")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add("training", "gpu-shards", o.request.gpu_shards,
      "Parts of a batch that GPUs compute one by one, at least as many as ranks; 0: 1, or 8 of several "
      "ranks. "
      "The same number gives the same bits for any ranks")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  o.keys["training"]["tf32"] = command->add_flag(
      "--tf32", o.request.tf32, "On a GPU, products of floats with fewer digits, and faster");
  o.keys["training"]["symmetries"] =
      command->add_flag("--symmetries,!--no-symmetries", o.request.fit.symmetries,
                        "Look for symmetries of the law and train with them, where no recipe is given, or "
                        "energy (default: yes)");
  add("training", "places", o.places,
      "May the law differ from place to place? yes, no, or auto: pilot runs tell")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  add("training", "checkpoint-seconds", o.request.fit.checkpoint_seconds,
      "Least time between checkpoints; 0: after every epoch")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  for (std::size_t i = 0; i < mno::Recipe::size; ++i) {
    const std::string term = mno::Recipe::names()[i];
    o.keys["weights"][term] =
        command->add_option("--weight-" + term, o.weights[i], "Weight of a term (default: the recipe's)")
            ->check(CLI::NonNegativeNumber)
            ->group("Weights of the loss");
  }
  command->add_flag("--resume", o.request.fit.resume, "Go on from MODEL.checkpoint");
  command->add_flag("--restart", o.restart, "Begin again although there is a checkpoint")
      ->excludes("--resume");
  command->add_flag("--explain", o.explain, "Say what was chosen, and why");
  command->add_flag("--json", o.json, "Say what was done as JSON");
  command->callback([options, &run] { run = [options] { return train(*options); }; });
}

}  // namespace program

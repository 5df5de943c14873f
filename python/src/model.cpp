#include "model.hpp"

#include <dlfcn.h>

namespace package {

namespace {

/// The folder of this library.
std::filesystem::path folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&operators), &info) == 0 || !info.dli_fname) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

/// options["name"], if it is there and not None.
template <class T> void take(const nb::dict& options, const char* name, T& value) {
  if (!options.contains(name)) return;
  const nb::object given = options[name];
  if (given.is_none()) return;
  if (!nb::try_cast<T>(given, value))
    throw nb::type_error(mno::Text("mno.Operator: ", name, ": expected ",
                                   std::is_same_v<T, bool>          ? "True or False"
                                   : std::is_same_v<T, std::string> ? "a text"
                                   : std::is_floating_point_v<T>    ? "a number"
                                                                    : "a whole number",
                                   ", got ", nb::repr(given).c_str(), ".")
                             .str()
                             .c_str());
}

demand::TrainRequest request_of(const nb::dict& options) {
  demand::TrainRequest request;
  mno::FitOptions& fit = request.fit;
  mno::TrainingOptions& training = fit.training;
  std::string residual = "gaussian", warp = "unwarped";
  Index draws = 8;
  take(options, "recipe", request.recipe);
  take(options, "draws", draws);
  take(options, "residual", residual);
  take(options, "warp", warp);
  take(options, "seed", training.seed);
  take(options, "epochs", training.epochs);
  take(options, "batch", training.batch);
  take(options, "learning_rate", training.adamw.learning_rate);
  take(options, "weight_decay", training.adamw.weight_decay);
  take(options, "patience", training.patience);
  take(options, "validation", fit.validation);
  take(options, "calibrate", fit.calibrate);
  take(options, "least_points", fit.least_points);
  take(options, "symmetries", fit.symmetries);
  take(options, "resume", fit.resume);
  take(options, "checkpoint_seconds", fit.checkpoint_seconds);
  take(options, "threads", request.threads);
  if (options.contains("places") && !options["places"].is_none()) {
    bool places = false;
    take(options, "places", places);
    fit.places = places;
  }
  fit.split_seed = training.seed;
  fit.choose_residual = residual == "auto";
  if (!fit.choose_residual) training.residual = mno::AnyResidual::parse(residual);
  fit.warp = mno::AnyWarp::parse(warp);
  if (request.recipe == "energy")
    request.loss = mno::energy_loss(draws);
  else if (request.recipe != "auto")
    request.loss = mno::Recipe::named(request.recipe);
  if (request.recipe == "paper") fit.factor_scale = 1;
  return request;
}

demand::ShapeNumbers wanted(const nb::dict& options) {
  demand::ShapeNumbers shape{.kind = "mno-nugget"};
  take(options, "kind", shape.kind);
  mno::require(demand::kind_of(shape.kind), "Operator", "kind", mno::Text("a kind of mno.kinds()"),
               mno::Text("'", shape.kind, "'"));
  const auto number = [&](const char* name, int& value) {
    take(options, name, value);
    mno::require(value >= 0, "Operator", name, mno::Text("a positive number"), mno::Text(value));
  };
  number("rank", shape.rank);
  number("width", shape.width);
  number("modes", shape.modes);
  number("depth", shape.depth);
  return shape;
}

nb::dict dict_of(const mno::Scores& scores) {
  nb::dict all;
  for (const auto& [name, value] : scores.named()) all[nb::str(std::string(name).c_str())] = value;
  return all;
}
nb::dict dict_of(const mno::EpochReport& epoch) {
  nb::dict all;
  all["epoch"] = epoch.epoch;
  all["epochs"] = epoch.epochs;
  all["loss"] = epoch.loss;
  all["learning_rate"] = epoch.learning_rate;
  all["gradient_norm"] = epoch.gradient_norm;
  all["best"] = epoch.best;
  all["finished"] = epoch.finished;
  all["conditions_per_second"] = epoch.conditions_per_second;
  all["seconds_left"] = epoch.seconds_left;
  if (epoch.validation) all["validation"] = dict_of(*epoch.validation);
  return all;
}

std::unique_ptr<io::EnsembleReader> reader(const char* name, const std::map<std::string, Given>& arrays) {
  return std::make_unique<io::EnsembleReader>(name, std::make_unique<GivenFile>(arrays));
}

}  // namespace

demand::Operators& operators() {
  static demand::Operators all({.say =
                                    [](const std::string& text) {
                                      if (Session::current()) Session::current()->say(text);
                                    },
                                .interrupted =
                                    [] {
                                      if (Session::current()) Session::current()->check();
                                      return false;
                                    },
                                .prefix = folder()});
  return all;
}

nb::dict fit(const std::map<std::string, Given>& data,
             const std::optional<std::map<std::string, Given>>& validation, const nb::dict& options,
             const std::string& model, const std::string& checkpoint, nb::callable say,
             nb::callable after_epoch, const nb::object& together) {
  demand::TrainRequest request = request_of(options);
  std::optional<PythonRanks> ranks;
  if (!together.is_none()) request.ranks = &ranks.emplace(together);
  demand::ShapeNumbers shape = wanted(options);
  request.model = model;
  request.fit.checkpoint = checkpoint;
  request.fit.data = "the data given";
  Session session(std::move(say));
  std::optional<nb::python_error> signalled;
  request.fit.interrupted = [&] {
    if (!ranks) {
      session.check();
      return false;
    }
    try {  // of several ranks the first one's word counts, and all stop after the same step
      session.check();
    } catch (nb::python_error& error) {
      signalled.emplace(std::move(error));
    }
    return signalled.has_value();
  };
  request.fit.after_epoch = [&after_epoch](const mno::EpochReport& epoch) {
    const nb::gil_scoped_acquire held;
    after_epoch(dict_of(epoch));
  };
  std::size_t parameters = 0;
  const mno::FitReport report = [&] {
    const nb::gil_scoped_release released;
    const auto train = reader("the data given", data);
    const auto held = validation ? reader("the validation data given", *validation) : nullptr;
    shape = demand::shape_for(shape, *train);
    if (request.ranks->rank() == 0) operators().get(shape);  // the others find it compiled
    request.ranks->meet();
    const demand::Operator& one = operators().get(shape);
    parameters = one.parameters();
    return demand::train(one, *train, held.get(), request);
  }();
  if (signalled) throw std::move(*signalled);
  nb::dict all;
  all["interrupted"] = report.interrupted;
  all["epochs"] = report.epochs_done;
  all["train_samples"] = report.train;
  all["validation_samples"] = report.validation;
  all["loss"] = report.loss;
  all["parameters"] = parameters;
  if (report.scores) all["scores"] = dict_of(*report.scores);
  return all;
}

}  // namespace package

#pragma once
// From data in the user's units to a Surrogate: warp, normaliser, split, factor scale, known fields, path,
// loss, training with checkpoints, the best weights, scores.
//
//   mno::FitOptions options;
//   options.training.epochs = 100;
//   const auto [surrogate, report] = mno::fit<mno::PathMno<Shape>>(data, options);
//
// Data is taken by value: nothing refers to it afterwards.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "mno/data/fingerprint.hpp"
#include "mno/data/noise_variance.hpp"
#include "mno/data/split.hpp"
#include "mno/loss/default_recipe.hpp"
#include "mno/train/checkpoint.hpp"
#include "mno/train/input_units.hpp"
#include "mno/train/open_path.hpp"
#include "mno/train/pilot.hpp"
#include "mno/train/surrogate.hpp"

namespace mno {

struct FitOptions {
  TrainingOptions training{.epochs = 0};  // 0: chosen for the data; the seed is that of the first weights too
  std::optional<Recipe> loss{};           // none: chosen for the data, for draws with clip 1
  double validation = 0.1;       // share of the initial fields that are held back; 0: none
  std::uint64_t split_seed = 0;  // which they are
  AnyResidual residual{};        // the law of ξ and ζ, on prediction
  AnyWarp warp{};                // from the law's coordinates to those of the data
  std::optional<double>
      factor_scale{};      // none: 4√(noise variance), in normalised coordinates; of draws by a pilot
  Index least_points = 0;  // Model::set_least_points
  bool path = true;        // open_path, where the model has one
  std::filesystem::path checkpoint{};   // empty: none is written
  double checkpoint_seconds = 10;       // least time between two
  bool resume = false;                  // go on from the checkpoint
  std::string data = "the data given";  // what sentences call the data
  io::Metadata about{};                 // what the file should say beside
  std::function<void(const EpochReport&)> after_epoch{};
  std::function<bool()> interrupted{};  // asked after every step
};

/// Something that nobody asked for, and why it was chosen.
struct FitChoice {
  std::string what, why;
};

struct FitReport {
  bool interrupted = false;           // the checkpoint, if there is a path for one, goes on from here
  std::vector<EpochReport> epochs{};  // of this call
  Index epochs_done = 0;              // those before a resume included
  Index train = 0, validation = 0;    // conditions
  Split split{};                      // of the data given; empty where validation data was given
  double factor_scale = 1;
  std::string loss{};                // its text
  std::vector<FitChoice> choices{};  // the model file has them too, as choice.WHAT
  std::optional<Scores> scores{};  // on validation, in normalised coordinates
};

template <class M> struct Fit {
  Surrogate<M> surrogate;  // with the best weights on validation; of an interrupted run with the last
  FitReport report;
};

namespace detail {

/// What a device throws when it fails, if it has an exception of its own.
struct NoDeviceError {};
template <class Device> struct DeviceErrorOf { using type = NoDeviceError; };
template <class Device>
requires requires { typename Device::Error; }
struct DeviceErrorOf<Device> {
  using type = typename Device::Error;
};

template <class M> bool has_path() {
  for (const NamedLeaf& leaf : M::leaves())
    if (leaf.name.ends_with("path.scale")) return true;
  return false;
}

/// The model before its first step; the data is normalised.
template <class M> M first_model(const FitOptions& options, const DataOf<M>& train, Cpu& device) {
  using T = typename M::Scalar;
  M model(options.training.seed, train.grid().domain);
  if constexpr (M::stochastic)
    model.set_factor_scale(options.factor_scale ? T(*options.factor_scale)
                                                : 4 * std::sqrt(noise_variance(train)));
  model.set_input_units(input_units<M>(train));
  model.set_least_points(options.least_points);
  if (train.known.batch() == 1) model.store_known_fields(train.known);
  if constexpr (M::stochastic)
    if (options.path && has_path<M>()) open_path(model, train, device);
  return model;
}

/// The length of training, where none is given.
template <class M> FitChoice choose_length(FitOptions& options, const DataOf<M>& train) {
  const bool draws = M::stochastic && train.least_members() < least_ensemble;
  options.training.epochs = default_epochs(train.size(), options.training.batch, draws);
  return {"length", Text(options.training.epochs, " times through ", train.size(), " conditions: ",
                         draws ? "draws are fitted too well by more steps" : "about 5000 steps")
                        .str()};
}

/// The loss that suits data and model; for draws also what it wants of the optimiser, and the factor's scale
/// by a pilot.
template <class M, class Device>
FitChoice choose_loss(FitOptions& options, M& model, const DataOf<M>& train, const DataOf<M>& validation,
                      Device& device) {
  if constexpr (!M::stochastic) {
    options.loss = default_field_recipe();
    return {"loss", "the operator gives a field: the mean alone"};
  } else if (train.least_members() >= least_ensemble) {
    options.loss = ensemble_recipe(train);
    return {"loss", Text("at least ", train.least_members(),
                         " members of every condition: mean, variance and covariance have terms of their own")
                        .str()};
  } else {
    if (options.training.clip == 0) options.training.clip = 1;
    const double noise =
        pilot_noise(model, train, validation.size() > 0 ? validation : train, options.training, device);
    if (!options.factor_scale) model.set_factor_scale(typename M::Scalar(4 * std::sqrt(noise)));
    options.loss = draws_recipe(noise);
    return {"loss", Text("a condition with ", train.least_members(),
                         " member(s): the likelihood of whole fields, with gradients clipped to ",
                         options.training.clip, "; a pilot run leaves a variance of ", noise,
                         " unexplained, in normalised units")
                        .str()};
  }
}

/// Of the trained model; it has seen the training data, so its residuals are taken from other data if there
/// is any, else from the first conditions of that.
template <class M, class Device>
metric::References<typename M::Scalar, M::dimension> references_of(const M& model, const DataOf<M>& train,
                                                                   const std::optional<Scores>& validation,
                                                                   Device& device) {
  if (validation) return metric::references(train, validation->residual_variance);
  std::vector<Index> first(std::size_t(std::min<Index>(train.size(), 128)));
  std::iota(first.begin(), first.end(), Index(0));
  return metric::references(train, score(model, subset(train, first), device).residual_variance);
}

/// A run of training with its checkpoints.
template <class M, class Device> class FitRun {
 public:
  FitRun(const FitOptions& options, M& model, const Normaliser& normaliser,
         Trainer<M, Recipe, Device>& trainer, io::Metadata& about)
      : options_(options),
        model_(model),
        normaliser_(normaliser),
        trainer_(trainer),
        about_(about),
        law_(law_text(options.residual, options.warp)) {}

  void resume() {
    require(!options_.checkpoint.empty(), "fit", "checkpoint", Text("the path of the run to resume"),
            Text("none"));
    const io::SafetensorsReader checkpoint(options_.checkpoint);
    if (io::wanted(checkpoint.name(), io::model_metadata(checkpoint), "data") != about_["data"])
      io::refuse(checkpoint.name(), "expected a run on the data of ", options_.data,
                 ", found one on other data or with another split");
    read_checkpoint(options_.checkpoint, model_, trainer_, law_);
    if (model_.least_points() != options_.least_points)
      io::refuse(checkpoint.name(), "expected a run with least points ", options_.least_points,
                 ", found one with ", model_.least_points());
    remember();
  }

  /// To the end, or until it is interrupted.
  void train(FitReport& report) {
    const auto stop = [&] { return options_.interrupted && options_.interrupted(); };
    using Clock = std::chrono::steady_clock;
    auto written = Clock::now();
    while (!trainer_.finished()) {
      const EpochReport epoch = run_epoch(stop);
      if (options_.after_epoch) options_.after_epoch(epoch);
      report.epochs.push_back(epoch);
      report.epochs_done = epoch.epoch;
      report.interrupted = !epoch.finished || (stop() && !trainer_.finished());
      const bool due =
          std::chrono::duration<double>(Clock::now() - written).count() >= options_.checkpoint_seconds;
      // Weights that give no numbers on validation are nothing to go back to.
      const bool good = !epoch.validation || std::isfinite(epoch.validation->criterion());
      if (report.interrupted || (due && good && !trainer_.finished())) {
        write();
        written = Clock::now();
      }
      if (report.interrupted) return;
    }
  }

 private:
  template <class Stop> EpochReport run_epoch(const Stop& stop) {
    using DeviceError = typename DeviceErrorOf<Device>::type;
    try {
      return trainer_.run_epoch([&](const StepReport&) { return stop(); });
    } catch (const NonFiniteLoss& error) {
      throw NonFiniteLoss(error.what() + (" " + last_good_));
    } catch (const DeviceError& error) {
      if constexpr (!std::is_same_v<DeviceError, NoDeviceError>) {
        try {  // the weights of the last whole step are there, unless the device is gone
          write();
        } catch (const DeviceError&) {
        }
        throw DeviceError(error.what() + (" " + last_good_) +
                          (resumable_ ? " A resumed run goes on from it, on another device too." : ""));
      }
      throw;
    }
  }
  void write() {
    if (options_.checkpoint.empty()) return;
    write_checkpoint(options_.checkpoint, model_, normaliser_, trainer_, about_, law_);
    remember();
  }
  void remember() {
    last_good_ = "The last good checkpoint is '" + options_.checkpoint.string() + "', of epoch " +
                 std::to_string(trainer_.epoch()) + ".";
    resumable_ = true;
  }

  const FitOptions& options_;
  M& model_;
  const Normaliser& normaliser_;
  Trainer<M, Recipe, Device>& trainer_;
  io::Metadata& about_;
  io::LawText law_;
  std::string last_good_ = "No checkpoint was written before it.";
  bool resumable_ = false;
};

}  // namespace detail

/// Data as a model sees it: in the coordinates of its law, and normalised.
template <class T, int D> struct FitData {
  Ensemble<T, D> train, validation;  // an empty ensemble is none
  Normaliser normaliser;
  std::string fingerprint;  // of the data as it was given
};
/// What `fit` makes of data before it looks at the model.
template <class T, int D>
FitData<T, D> fit_data(Ensemble<T, D> train, Ensemble<T, D> validation, const AnyWarp& warp) {
  require(train.size() >= 1, "fit", "train", Text("at least one condition"), Text("none"));
  Fingerprint fingerprint;
  fingerprint.add(train);
  fingerprint.add(validation);
  train = in_law_coordinates(std::move(train), warp);
  validation = in_law_coordinates(std::move(validation), warp);
  Normaliser normaliser = Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(validation);
  return {std::move(train), std::move(validation), std::move(normaliser), fingerprint.str()};
}

template <class M, class Device = Cpu>
Fit<M> fit(FitData<typename M::Scalar, M::dimension> data, FitOptions options = {},
           Device& device = default_device()) {
  const auto& [train, validation, normaliser, fingerprint] = data;
  Cpu& host = [&]() -> Cpu& {
    if constexpr (std::is_same_v<Device, Cpu>)
      return device;
    else
      return default_device();
  }();
  M model = detail::first_model<M>(options, train, host);
  FitReport report;
  if (options.training.epochs == 0) report.choices.push_back(detail::choose_length<M>(options, train));
  if (!options.loss)
    report.choices.push_back(detail::choose_loss(options, model, train, validation, device));
  Trainer<M, Recipe, Device> trainer(model, train, validation.size() > 0 ? &validation : nullptr,
                                     *options.loss, options.training, device);
  io::Metadata about = options.about;
  about["data"] = fingerprint;
  about["data.samples"] =
      std::to_string(train.size()) + " train, " + std::to_string(validation.size()) + " validation";
  for (const FitChoice& choice : report.choices) about["choice." + choice.what] = choice.why;
  report.train = train.size();
  report.validation = validation.size();
  report.loss = options.loss->text();
  {
    detail::FitRun<M, Device> run(options, model, normaliser, trainer, about);
    if (options.resume) run.resume();
    report.epochs_done = trainer.epoch();
    run.train(report);
  }
  report.factor_scale = double(model.factor_scale());
  if (!report.interrupted) {
    trainer.take_best();
    about["training"] = detail::training_text(options.training, *options.loss, train.size());
    if (validation.size() > 0) {
      report.scores = score(model, validation, device);
      for (const auto& [name, value] : report.scores->named())
        about["validation." + name] = io::detail::number(value);
    }
  }
  Fit<M> result{Surrogate<M>(std::move(model), normaliser, options.residual, options.warp, std::move(about)),
                std::move(report)};
  if (!result.report.interrupted)
    result.surrogate.set_references(
        detail::references_of(result.surrogate.model(), train, result.report.scores, device));
  return result;
}

/// With validation data of its own; an empty ensemble is none.
template <class M, class Device = Cpu>
Fit<M> fit(detail::DataOf<M> train, detail::DataOf<M> validation, FitOptions options = {},
           Device& device = default_device()) {
  auto data = fit_data(std::move(train), std::move(validation), options.warp);
  return fit<M>(std::move(data), std::move(options), device);
}

/// Moves options.validation of the initial fields, to validate on, from the data to `validation`.
template <class T, int D>
Split hold_back(Ensemble<T, D>& data, Ensemble<T, D>& validation, const FitOptions& options) {
  Split split = split_by_origin(data.origins, options.validation, 0, options.split_seed);
  if (!split.validation.empty()) {
    validation = subset(data, split.validation);
    data = subset(data, split.train);
  }
  return split;
}

/// Initial fields to validate on are held back from the data: options.validation of them.
template <class M, class Device = Cpu>
Fit<M> fit(detail::DataOf<M> data, FitOptions options = {}, Device& device = default_device()) {
  detail::DataOf<M> validation;
  const Split split = hold_back(data, validation, options);
  Fit<M> result = fit<M>(std::move(data), std::move(validation), std::move(options), device);
  result.report.split = split;
  return result;
}

}  // namespace mno

#pragma once
// Diffusion from data to a surrogate, as `fit` does it for other operators: first the mean, as `fit` chooses,
// then the denoiser of its residuals, both with the symmetries that a pilot finds.
//
//   const auto [surrogate, report] = fit_diffusion<Diffusion<Shape, 50>>(data, options);
//
// Optimiser and batch are those of the options for both. The denoiser trains for the given length, or for the
// longest that `fit` tries, and its weights are averaged. A run that is interrupted while the mean is trained
// can go on from its checkpoint. Later there is none, and the run begins again.
#include "mno/baseline/diffusion_data.hpp"
#include "mno/train/fit.hpp"

namespace mno {

namespace baseline {

template <class M> inline constexpr bool is_diffusion = false;
template <class S, int Evaluations, class T>
inline constexpr bool is_diffusion<Model<DiffusionOperator<S, Evaluations>, S, T>> = true;

/// The law's symmetries by the pilot of a mean; none where `fit` would not look for them.
template <class Mean, class Device>
Symmetries mean_symmetries(FitData<typename Mean::Scalar, Mean::dimension>& data, const FitOptions& options,
                           Device& device) {
  if (!mno::detail::looks_for_symmetries<Mean>(options, data.train)) return options.training.symmetries;
  keep_zero(data);
  TrainingOptions training = options.training;
  training.epochs = mno::detail::lengths<Mean>(training.epochs, training, data.train, true).back();
  const Pilot<Mean> pilot(mno::detail::first_model<Mean>(options, data.train, default_device()), data.train,
                          training, device);
  const bool about_zero = std::ranges::all_of(data.normaliser.shift, [](double s) { return s == 0; });
  return pilot.symmetries(about_zero, device);
}

/// The denoiser's weights, or fewer epochs than asked for: it was interrupted.
template <class S, class T, int D, class Device>
Denoiser<S, T> trained_denoiser(const Ensemble<T, D>& train, const Field<T, D>& mean, T scale,
                                const FitOptions& options, FitReport& report, Device& device) {
  Denoiser<S, T> model(options.training.seed, train.grid().domain);
  const auto units = input_units<MeanFno<S, T>>(train);
  typename Denoiser<S, T>::InputUnits own{units.shift, units.scale};
  for (std::size_t k = 0; k < units.known_shift.size(); ++k) {  // behind [x_τ | t], which stay as they are
    own.known_shift[std::size_t(S::channels + 1) + k] = units.known_shift[k];
    own.known_scale[std::size_t(S::channels + 1) + k] = units.known_scale[k];
  }
  model.set_input_units(own);
  model.set_least_points(options.least_points);
  DiffusionData<T, D> source(train, mean, scale, options.training.seed, options.training.symmetries);
  TrainingOptions training = options.training;
  training.symmetries = {};  // the source moves the data
  training.average = 0.999;
  Trainer trainer(model, source.ensemble, nullptr, MeanSquaredError{}, training, device);
  const auto stop = [&] { return options.interrupted && options.interrupted(); };
  while (!trainer.finished() && !report.interrupted) {
    source.template draw<S>(trainer.epoch());
    const EpochReport epoch = trainer.run_epoch([&](const StepReport&) { return stop(); });
    if (trainer.ranks().rank() == 0 && options.after_epoch) options.after_epoch(epoch);
    report.epochs.push_back(epoch);
    report.epochs_done = epoch.epoch;
    report.interrupted = !epoch.finished || (trainer.ranks().decide(stop()) && !trainer.finished());
  }
  trainer.take_best();
  return model;
}

}  // namespace baseline

/// On data that is prepared already, with members kept.
template <class M, class Device = Cpu>
requires(baseline::is_diffusion<M>) Fit<M> fit_diffusion(FitData<typename M::Scalar, M::dimension> data,
                                                         FitOptions options = {},
                                                         Device& device = default_device()) {
  using S = typename M::ShapeType;
  using T = typename M::Scalar;
  using Mean = MeanFno<S, T>;
  require(data.train.members.size() > 0, "fit_diffusion", "data",
          Text("an ensemble whose members are kept: make_ensemble(counts, …, {.members = true})"),
          Text("one of statistics"));
  options.training.symmetries = baseline::mean_symmetries<Mean>(data, options, device);
  options.symmetries = false;  // they are known now
  const Fit<Mean> mean = fit<Mean>(data, options, device);
  FitReport report = mean.report;
  const Mean& mean_model = mean.surrogate.model();
  M model(options.training.seed, data.train.grid().domain);
  const auto& units = mean_model.input_units();
  model.set_input_units({units.shift, units.scale, units.known_shift, units.known_scale});
  model.set_least_points(options.least_points);
  if (data.train.known.batch() == 1) model.store_known_fields(data.train.known);
  io::Metadata about = options.about;
  about["data"] = data.fingerprint;
  about["data.samples"] = mean.surrogate.about().at("data.samples");
  std::vector<FitChoice> choices = mean.report.choices;
  if (!report.interrupted) {
    std::error_code ignored;
    for (const char* end : {"", ".previous"})
      if (!options.checkpoint.empty()) std::filesystem::remove(options.checkpoint.string() + end, ignored);
    options.training.epochs =
        mno::detail::lengths<Mean>(options.training.epochs, options.training, data.train, true).back();
    const Field<T, M::dimension> fields = predict(mean_model, data.train.condition(), device);
    const T scale = residual_scale(data.train, fields);
    const auto denoiser =
        baseline::trained_denoiser<S, T>(data.train, fields, scale, options, report, device);
    T* to = std::ranges::copy(mean_model.values(), model.values().data()).out;
    to = std::ranges::copy(denoiser.values(), to).out;
    *to = scale;
    about["training"] =
        mno::detail::training_text(options.training, as_loss(MeanSquaredError{}), data.train.size());
    choices.push_back({"loss",
                       "the operator gives draws by diffusion: the mean by itself, then the squared "
                       "error of v"});
    if (!report.interrupted && data.validation.size() > 0)
      report.scores = score(model, data.validation, device, options.training.validation_draws);
    report.loss = as_loss(MeanSquaredError{}).text();
  }
  return mno::detail::fitted(mno::detail::FitTrial<M>{std::move(model), std::move(report), std::move(about)},
                             data, options, std::move(choices), 0.0, device);
}

}  // namespace mno

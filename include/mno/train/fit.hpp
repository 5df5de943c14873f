#pragma once
// From data in the user's units to a Surrogate: warp, normaliser, split, factor scale, known fields, path,
// places, loss, symmetries, length, training with checkpoints, the best weights, scores, residual law.
//
//   const auto [surrogate, report] = mno::fit<mno::NuggetMno<Shape>>(data);
//   for (const auto& [what, why] : report.choices) …
//
// Every option that is not set is chosen for the data (train/fit_choices.hpp). So is the loss, unless one is
// given after the data: fit<M>(data, loss, options). It may be any loss that a Trainer takes: a recipe, a
// term, a sum, a function, or OnDraws{S, terms…} for an operator with noise inside or for draws of a law. A
// loss without a text trains without checkpoints. Data is taken by value: nothing refers to it afterwards.
#include "mno/data/fingerprint.hpp"
#include "mno/metric/likeliest_residual.hpp"
#include "mno/metric/likeliest_shrinkage.hpp"
#include "mno/train/fit_choices.hpp"
#include "mno/train/fit_run.hpp"
#include "mno/train/length_search.hpp"

namespace mno {

namespace detail {

/// Stands for a loss that fit chooses.
struct ChosenByFit {};

/// Is the argument after the data a loss?
template <class L, class M>
concept LossToFit = !std::is_same_v<L, FitOptions> && !std::is_same_v<L, DataOf<M>>;

/// One run of a given length, from `model`.
template <class M, class L, class Device>
FitTrial<M> fit_trial(M model, const FitData<typename M::Scalar, M::dimension>& data, const L& loss,
                      const FitOptions& options, io::Metadata about, Device& device) {
  const auto& [train, validation, normaliser, fingerprint] = data;
  Trainer<M, L, Device> trainer(model, train, validation.size() > 0 ? &validation : nullptr, loss,
                                options.training, device);
  FitReport report;
  {
    FitRun<M, L, Device> run(options, model, normaliser, trainer, about);
    if (options.resume) run.resume();
    report.epochs_done = trainer.epoch();
    run.train(report);
  }
  if (!report.interrupted) {
    trainer.take_best();
    if (validation.size() > 0)
      report.scores =
          score(model, validation, device, options.training.validation_draws, options.training.residual);
    if constexpr (SaysText<L>)
      about["training"] = training_text(options.training, trainer.loss(), train.size());
  }
  return {std::move(model), std::move(report), std::move(about)};
}

/// Validation data with its initial fields and members back in the user's units.
template <class M> DataOf<M> in_user_units(const Surrogate<M>& surrogate, DataOf<M> data) {
  require(data.size() > 0 && data.members.size() > 0, "fit", "calibrate",
          Text("validation data that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text(data.size() > 0 ? "statistics" : "no validation data"));
  surrogate.from_own_coordinates(data.initial);
  surrogate.from_own_coordinates(data.members);
  return data;
}

/// The residual law of the trained model, from the members of validation.
template <class M, class Device>
AnyResidual choose_residual(const FitTrial<M>& trial, const FitData<typename M::Scalar, M::dimension>& data,
                            std::vector<FitChoice>& choices, Device& device) {
  if constexpr (M::stochastic) {
    const auto& held = data.validation;
    if (trial.report.interrupted) return {};
    require(held.size() > 0 && held.members.size() > 0, "fit", "choose_residual",
            Text("validation data that keeps its members: make_ensemble(counts, …, {.members = true})"),
            Text(held.size() > 0 ? "statistics" : "no validation data"));
    const auto choice = metric::likeliest_residual(predict(trial.model, held.condition(), device), held);
    choices.push_back(
        {"residual",
         choice.residual.gaussian()
             ? Text("gaussian: no other law is likelier on validation by two standard errors").str()
             : Text(choice.residual.text(), ": likelier than gaussian on validation by ", choice.gain, " ± ",
                    choice.error, " nats per entry")
                   .str()});
    return choice.residual;
  }
  return {};
}

/// The shrinkage that a law of single draws needs, from those of validation; 0 where they cannot tell.
template <class M, class Device>
double choose_shrinkage(const FitTrial<M>& trial, const FitData<typename M::Scalar, M::dimension>& data,
                        const AnyResidual& residual, std::vector<FitChoice>& choices, Device& device) {
  if constexpr (M::stochastic) {
    const auto& held = data.validation;
    if (trial.report.interrupted || data.train.least_members() >= least_ensemble || held.size() == 0 ||
        held.members.size() == 0 || residual.atom() > 0)
      return 0;
    const double share = metric::likeliest_shrinkage(
        with_residual(predict(trial.model, held.condition(), device), residual), held);
    choices.push_back({"shrinkage", Text(share,
                                         " of the factor's variance on the diagonal: of several shares "
                                         "the likeliest on validation")
                                        .str()});
    return share;
  }
  return 0;
}

/// The surrogate of a run that has come to its end, whatever its loss was.
template <class M, class Device>
Fit<M> fitted(FitTrial<M> trial, const FitData<typename M::Scalar, M::dimension>& data,
              const FitOptions& options, std::vector<FitChoice> choices, double shrinkage, Device& device) {
  FitReport& report = trial.report;
  report.train = data.train.size();
  report.validation = data.validation.size();
  report.factor_scale = double(trial.model.factor_scale());
  for (const FitChoice& choice : choices) trial.about["choice." + choice.what] = choice.why;
  report.choices = std::move(choices);
  if (report.scores)
    for (const auto& [name, value] : report.scores->named())
      trial.about["validation." + name] = io::detail::number(value);
  Fit<M> result{Surrogate<M>(std::move(trial.model), data.normaliser, options.training.residual, options.warp,
                             std::move(trial.about)),
                std::move(report)};
  if (result.report.interrupted) return result;
  result.surrogate.set_references(
      references_of(result.surrogate.model(), data.train, result.report.scores, device));
  if constexpr (M::stochastic) result.surrogate.set_shrinkage(shrinkage);
  if constexpr (M::stochastic)
    if (options.calibrate > 0)
      result.surrogate.calibrate(in_user_units(result.surrogate, data.validation), options.calibrate, 0.9,
                                 device);
  return result;
}

}  // namespace detail

/// With a given loss, on data that is already prepared.
template <class M, class L, class Device = Cpu>
requires detail::LossToFit<L, M> Fit<M> fit(FitData<typename M::Scalar, M::dimension> data, const L& given,
                                            FitOptions options = {}, Device& device = default_device()) {
  const auto& train = data.train;  // not a structured binding: clang 14 lets no lambda use one
  const auto& validation = data.validation;
  Cpu& host = [&]() -> Cpu& {
    if constexpr (std::is_same_v<Device, Cpu>)
      return device;
    else
      return default_device();
  }();
  require(M::stochastic || options.calibrate == 0, "fit", "calibrate",
          Text("0, as this operator gives no law"), Text(options.calibrate));
  const std::string given_residual = options.training.residual.text();
  require(!options.choose_residual || (M::stochastic && options.training.residual.gaussian()), "fit",
          "choose_residual", Text("an operator that gives a law, whose residuals are not given"),
          Text(M::stochastic ? given_residual.c_str() : "an operator without a law"));
  constexpr bool chosen = std::is_same_v<L, detail::ChosenByFit>;
  // EnergyLoss is what fit chooses for a model that gives draws: it trains the same way if it is given.
  constexpr bool moves = chosen || std::is_same_v<L, EnergyLoss>;
  const bool look = moves && detail::looks_for_symmetries<M>(options, train);
  if (look) keep_zero(data);
  const bool validated = validation.size() > 0;
  const Index asked = options.training.epochs;
  const auto lengths_now = [&] { return detail::lengths<M>(asked, options.training, train, validated); };
  options.training.epochs = lengths_now().back();  // a pilot takes a part of them
  M model = detail::first_model<M>(options, train, host);
  std::vector<FitChoice> choices;
  std::optional<Pilot<M>> pilot = detail::choose_places(options, model, train, choices, device);
  const bool noise = chosen && M::stochastic && train.least_members() < least_ensemble;
  if (!pilot && (noise || look)) pilot.emplace(model, train, options.training, device);
  const auto wanted = [&] {
    if constexpr (chosen)
      return detail::choose_loss(options, model, train, pilot, choices);
    else
      return as_loss(given);
  };
  const auto loss = detail::drawn_from(wanted(), options.training.residual);
  if (look) detail::choose_symmetries(options, data, *pilot, choices, device);
  pilot.reset();
  const std::vector<Index> lengths = lengths_now();
  options.training.epochs = lengths.back();
  io::Metadata about = options.about;
  about["data"] = data.fingerprint;
  about["data.samples"] =
      std::to_string(train.size()) + " train, " + std::to_string(validation.size()) + " validation";

  detail::LengthSearch<M, Device> search(lengths, data, options, device);
  detail::FitTrial<M> trial = search.run([&](const FitOptions& of_length) {
    return detail::fit_trial(model, data, loss, of_length, about, device);
  });
  if (asked == 0) choices.push_back(search.choice());
  if constexpr (detail::SaysText<decltype(loss)>) trial.report.loss = loss.text();
  if (options.choose_residual)
    options.training.residual = detail::choose_residual<M>(trial, data, choices, device);
  double shrinkage = 0;
  if constexpr (chosen)
    shrinkage = detail::choose_shrinkage<M>(trial, data, options.training.residual, choices, device);
  return detail::fitted(std::move(trial), data, options, std::move(choices), shrinkage, device);
}

/// With validation data of its own; an empty ensemble is none.
template <class M, class L, class Device = Cpu>
requires detail::LossToFit<L, M> Fit<M> fit(detail::DataOf<M> train, detail::DataOf<M> validation,
                                            const L& loss, FitOptions options = {},
                                            Device& device = default_device()) {
  auto data = fit_data(std::move(train), std::move(validation), options.warp);
  return fit<M>(std::move(data), loss, std::move(options), device);
}

/// Moves a share options.validation of the initial fields from the data to `validation`.
template <class T, int D>
Split hold_back(Ensemble<T, D>& data, Ensemble<T, D>& validation, const FitOptions& options) {
  Split split = split_by_origin(data.origins, options.validation, 0, options.split_seed);
  if (!split.validation.empty()) {
    validation = subset(data, split.validation);
    data = subset(data, split.train);
  }
  return split;
}

/// A share options.validation of the initial fields is held back from the data, to validate on.
template <class M, class L, class Device = Cpu>
requires detail::LossToFit<L, M> Fit<M> fit(detail::DataOf<M> data, const L& loss, FitOptions options = {},
                                            Device& device = default_device()) {
  detail::DataOf<M> validation;
  const Split split = hold_back(data, validation, options);
  Fit<M> result = fit<M>(std::move(data), std::move(validation), loss, std::move(options), device);
  result.report.split = split;
  return result;
}

// The same three with a loss that is chosen for the data.
template <class M, class Device = Cpu>
Fit<M> fit(FitData<typename M::Scalar, M::dimension> data, FitOptions options = {},
           Device& device = default_device()) {
  return fit<M>(std::move(data), detail::ChosenByFit{}, std::move(options), device);
}
template <class M, class Device = Cpu>
Fit<M> fit(detail::DataOf<M> train, detail::DataOf<M> validation, FitOptions options = {},
           Device& device = default_device()) {
  return fit<M>(std::move(train), std::move(validation), detail::ChosenByFit{}, std::move(options), device);
}
template <class M, class Device = Cpu>
Fit<M> fit(detail::DataOf<M> data, FitOptions options = {}, Device& device = default_device()) {
  return fit<M>(std::move(data), detail::ChosenByFit{}, std::move(options), device);
}

}  // namespace mno

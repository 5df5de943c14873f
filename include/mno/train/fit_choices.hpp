#pragma once
// What `fit` chooses by itself: the model before its first step, the loss, lengths of training to try.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mno/data/noise_variance.hpp"
#include "mno/loss/default_recipe.hpp"
#include "mno/loss/energy_loss.hpp"
#include "mno/train/fit_data.hpp"
#include "mno/train/fit_options.hpp"
#include "mno/train/input_units.hpp"
#include "mno/train/open_path.hpp"
#include "mno/train/pilot.hpp"
#include "mno/train/places.hpp"

namespace mno::detail {

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
  if (options.path && has_path<M>()) open_path(model, train, device);
  return model;
}

/// Lengths to try, in epochs: the one that is asked for, or several where it is 0. Without validation data it
/// is not known which is best, and the one in the middle is taken.
template <class M>
std::vector<Index> lengths(Index asked, const TrainingOptions& training, const DataOf<M>& train,
                           bool validated) {
  if (asked > 0) return {asked};
  const bool draws = M::stochastic && train.least_members() < least_ensemble;
  auto all = default_lengths(train.size(), training.batch, draws, training.symmetries.any());
  if (!validated) all = {all[all.size() / 2]};
  return all;
}

/// Symmetries are looked for in data that can tell.
template <class M> bool looks_for_symmetries(const FitOptions& options, const DataOf<M>& train) {
  return options.symmetries && !options.training.symmetries.any() && train.size() >= Pilot<M>::least &&
         train.known.size() == 0;
}

/// May the law differ from place to place? The options say, or else two pilots, the better of which is handed
/// on.
template <class M, class Device>
std::optional<Pilot<M>> choose_places(const FitOptions& options, M& model, const DataOf<M>& train,
                                      std::vector<FitChoice>& choices, Device& device) {
  if (!has_places<M>() || options.places.value_or(false)) return {};
  M closed = model;
  close_places(closed);
  if (options.places || train.size() < Pilot<M>::least) {
    model = std::move(closed);
    return {};
  }
  Pilot<M> open(model, train, options.training, device), same(closed, train, options.training, device);
  const bool differs = open.better_than(same);
  choices.push_back({"places", differs
                                   ? "the law differs from place to place: a pilot run that knows the place "
                                     "foresees better"
                                   : "all alike: a pilot run that knows the place foresees no better"});
  if (differs) return open;
  model = std::move(closed);
  return same;
}

/// For laws: a recipe that suits the data. For draws it also sets gradient clipping and the factor's scale;
/// `noise` is the variance that a pilot leaves unexplained.
template <class M>
Recipe choose_recipe(FitOptions& options, M& model, const DataOf<M>& train, double noise,
                     std::vector<FitChoice>& choices) {
  if (train.least_members() >= least_ensemble) {
    const bool factors = train.covariance_factor.size() > 0;
    choices.push_back(
        {"loss", Text("at least ", train.least_members(), " members of every condition: mean",
                      factors ? ", variance and covariance" : " and variance", " have terms of their own")
                     .str()});
    return ensemble_recipe(train);
  }
  if (options.training.clip == 0) options.training.clip = 1;
  if (!options.factor_scale) model.set_factor_scale(typename M::Scalar(4 * std::sqrt(noise)));
  choices.push_back({"loss", Text("a condition with ", train.least_members(),
                                  " member(s): the likelihood of whole fields, with gradients clipped to ",
                                  options.training.clip, "; a pilot run leaves a variance of ", noise,
                                  " unexplained, in normalised units")
                                 .str()});
  return draws_recipe(
      noise, double(rank_of<typename M::ShapeType>()) / double(train.mean.points() * train.channels()));
}

/// The symmetries that the law seems to have, for the training that follows, and why.
template <class M, class Device>
void choose_symmetries(FitOptions& options, const FitData<typename M::Scalar, M::dimension>& data,
                       const Pilot<M>& pilot, std::vector<FitChoice>& choices, Device& device) {
  const bool about_zero = std::ranges::all_of(data.normaliser.shift, [](double s) { return s == 0; });
  const Symmetries found = options.training.symmetries = pilot.symmetries(about_zero, device);
  choices.push_back({"symmetries", found.any() ? found.text() + ": a pilot run foresees moved data as well "
                                                                "as the data itself"
                                               : "none: a pilot run foresees moved data less well"});
}

/// The loss that suits data and model, and why.
template <class M>
auto choose_loss(FitOptions& options, M& model, const DataOf<M>& train, const std::optional<Pilot<M>>& pilot,
                 std::vector<FitChoice>& choices) {
  if constexpr (M::gives_draws) {
    choices.push_back({"loss", "the operator gives draws: their energy score and CRPS against members"});
    return energy_loss();
  } else if constexpr (!M::stochastic) {
    choices.push_back({"loss", "the operator gives a field: the mean alone"});
    return default_field_recipe();
  } else {
    return choose_recipe(options, model, train, pilot ? pilot->noise() : 0, choices);
  }
}

/// Of the trained model. It has seen the training data, so its residuals are taken from validation data if
/// there is any, else from the first training conditions.
template <class M, class Device>
metric::References<typename M::Scalar, M::dimension> references_of(const M& model, const DataOf<M>& train,
                                                                   const std::optional<Scores>& validation,
                                                                   Device& device) {
  if (validation) return metric::references(train, validation->residual_variance);
  std::vector<Index> first(std::size_t(std::min<Index>(train.size(), 128)));
  std::iota(first.begin(), first.end(), Index(0));
  return metric::references(train, score(model, subset(train, first), device).residual_variance);
}

}  // namespace mno::detail

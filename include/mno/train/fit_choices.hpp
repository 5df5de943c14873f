#pragma once
// What `fit` chooses by itself: the model before its first step, the loss, lengths of training to try.
#include <cmath>
#include <numeric>

#include "mno/data/noise_variance.hpp"
#include "mno/loss/default_recipe.hpp"
#include "mno/loss/energy_loss.hpp"
#include "mno/train/fit_options.hpp"
#include "mno/train/input_units.hpp"
#include "mno/train/open_path.hpp"
#include "mno/train/pilot.hpp"

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
  if constexpr (M::stochastic)
    if (options.path && has_path<M>()) open_path(model, train, device);
  return model;
}

/// Lengths to try, in epochs: the one that is asked for, or several. Without validation data nothing tells
/// which is best, and the one in the middle is taken.
template <class M>
std::vector<Index> lengths(const FitOptions& options, const DataOf<M>& train, bool validated) {
  if (options.training.epochs > 0) return {options.training.epochs};
  const bool draws = M::stochastic && train.least_members() < least_ensemble;
  auto all = default_lengths(train.size(), options.training.batch, draws);
  if (!validated) all = {all[all.size() / 2]};
  return all;
}

template <class L> struct ChosenLoss {
  L loss;
  FitChoice choice;
};

/// The loss that suits data and model; for draws also what it wants of the optimiser, and the factor's scale
/// by a pilot.
template <class M, class Device>
auto choose_loss(FitOptions& options, M& model, const DataOf<M>& train, const DataOf<M>& validation,
                 Device& device) {
  const auto chosen = []<class L>(L loss, std::string why) {
    return ChosenLoss<L>{std::move(loss), {"loss", std::move(why)}};
  };
  if constexpr (M::gives_draws) {
    return chosen(energy_loss(), "the operator gives draws: their energy score and CRPS against members");
  } else if constexpr (!M::stochastic) {
    return chosen(default_field_recipe(), "the operator gives a field: the mean alone");
  } else if (train.least_members() >= least_ensemble) {
    const bool factors = train.covariance_factor.size() > 0;
    return chosen(ensemble_recipe(train),
                  Text("at least ", train.least_members(), " members of every condition: mean",
                       factors ? ", variance and covariance" : " and variance", " have terms of their own")
                      .str());
  } else {
    if (options.training.clip == 0) options.training.clip = 1;
    const double noise =
        pilot_noise(model, train, validation.size() > 0 ? validation : train, options.training, device);
    if (!options.factor_scale) model.set_factor_scale(typename M::Scalar(4 * std::sqrt(noise)));
    return chosen(
        draws_recipe(noise),
        Text("a condition with ", train.least_members(),
             " member(s): the likelihood of whole fields, with gradients clipped to ", options.training.clip,
             "; a pilot run leaves a variance of ", noise, " unexplained, in normalised units")
            .str());
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

}  // namespace mno::detail

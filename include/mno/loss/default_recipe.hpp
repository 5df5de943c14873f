#pragma once
// The loss that suits the data, where none is chosen.
#include "mno/data/noise_variance.hpp"
#include "mno/loss/recipe.hpp"

namespace mno {

/// For a law, from training data as the model sees it, normalised. Ensembles say what mean and variance are,
/// and each has terms of its own. Where some condition has fewer than `least_ensemble` members the likelihood
/// of whole fields learns from draws; train it with clipped gradients.
template <class T, int D> Recipe default_recipe(const Ensemble<T, D>& train) {
  if (train.least_members() >= least_ensemble) return Recipe::decoupled();
  Recipe recipe;
  recipe.exact_nll = {.weight = 1, .floor = 1e-3 * double(noise_variance(train))};
  return recipe;
}

/// For a deterministic operator: the mean alone.
inline Recipe default_field_recipe() {
  Recipe recipe;
  recipe.mean_error.weight = 10;
  recipe.mean_squared_error.weight = 0.1;
  return recipe;
}

}  // namespace mno

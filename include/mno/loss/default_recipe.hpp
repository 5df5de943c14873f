#pragma once
// The loss and the length of training that suit the data, where none are chosen.
// docs/decisions/default-recipe.md has what was measured.
#include <algorithm>

#include "mno/data/ensemble.hpp"
#include "mno/loss/recipe.hpp"

namespace mno {

/// Ensembles tell mean and variance, and each has terms of its own. Leading factors, if they are kept, tell
/// how points vary together. A model with a nugget can fit variance and covariance at once.
template <class T, int D> Recipe ensemble_recipe(const Ensemble<T, D>& train) {
  Recipe recipe = Recipe::decoupled();
  recipe.mean_error.weight = 30;
  if (train.covariance_factor.size() > 0) recipe.hilbert_schmidt.weight = 1;
  return recipe;
}

/// Where some condition has fewer than `least_ensemble` members the likelihood of whole fields learns from
/// draws. Its floor is a share of the noise, in normalised coordinates, without which it fits single draws
/// too well; train it with clipped gradients.
///
/// `factor_share` = r/n, rank over entries of a field, is what the factor counts in that likelihood: log|Γ|
/// has r directions of it and n of the diagonal. On planes it counts so little that a factor which is far too
/// large stays so. The likelihood of every entry by itself makes up for it, to a tenth.
inline Recipe draws_recipe(double noise_variance, double factor_share) {
  Recipe recipe;
  recipe.exact_nll = {.weight = 1, .floor = 0.1 * noise_variance};
  recipe.gaussian_nll = {.weight = std::max(0.0, 0.1 - factor_share), .floor = 1e-3 * noise_variance};
  return recipe;
}

/// Lengths of training that suit the data, in epochs, each twice the one before. In steps they do not depend
/// on the number of conditions. Which one is best depends on the task and on the amount of data. For single
/// draws validation cannot tell (docs/decisions/default-recipe.md), so there is one length; it is twice as
/// long where the law has symmetries, which make several draws of each.
inline std::vector<Index> default_lengths(Index conditions, Index batch, bool draws, bool symmetric = false) {
  const Index each = std::max<Index>(1, (conditions + batch - 1) / std::max<Index>(batch, 1));
  std::vector<Index> epochs;
  for (const Index steps :
       draws ? std::vector<Index>{symmetric ? 4000 : 2000} : std::vector<Index>{1250, 2500, 5000})
    epochs.push_back(std::clamp<Index>((steps + each - 1) / each, 1, 1000));
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  return epochs;
}

/// For a deterministic operator: the mean alone.
inline Recipe default_field_recipe() {
  Recipe recipe;
  recipe.mean_error.weight = 10;
  recipe.mean_squared_error.weight = 0.1;
  return recipe;
}

}  // namespace mno

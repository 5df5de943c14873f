#pragma once
// How the experiments train. Loss, optimiser and length were chosen on validation conditions.
#include "study.hpp"

namespace experiment::recipe {

// What all share: AdamW with half a cosine from its largest step size to 0.
inline constexpr double learning_rate = 2e-3, beta2 = 0.95, weight_decay = 1e-4;
inline constexpr Index batch = 32;
// Times through the data.
inline constexpr Index epochs = 200, spdebench_epochs = 80, rough_epochs = 20, cross_epochs = 150,
                       ablation_epochs = 60, heat_epochs = 60;
// Weight of the mean's own term in the decoupled recipe.
inline constexpr double mean_weight = 30;
// Weight of the covariance's own term beside the pointwise ones of the decoupled recipe.
inline constexpr double covariance = 1, cross_covariance = 3, heat_covariance = 3;

inline mno::TrainingOptions optimiser(Index epochs) {
  mno::TrainingOptions options;
  options.epochs = epochs;
  options.batch = batch;
  options.adamw = {.learning_rate = learning_rate, .beta2 = beta2, .weight_decay = weight_decay};
  return options;
}

/// Mean and variance have terms of their own, and the covariance may have one too.
inline Training decoupled(Index epochs = recipe::epochs, double covariance = recipe::covariance) {
  Training training{"decoupled", optimiser(epochs)};
  training.options.recipe = mno::Recipe::decoupled();
  training.options.recipe.mean_error.weight = mean_weight;
  training.options.recipe.hilbert_schmidt.weight = covariance;
  return training;
}
/// The paper's four terms and its warm-up, with the optimiser of all others.
inline Training paper(Index epochs = recipe::epochs) {
  Training training{"paper", optimiser(epochs), false};
  training.options.recipe = mno::Recipe::paper();
  return training;
}
/// The mean alone, for a deterministic operator.
inline Training mean(Index epochs = recipe::epochs) {
  Training training{"mean", optimiser(epochs), false};
  training.options.recipe = {};
  training.options.recipe.mean_error.weight = 10;
  training.options.recipe.mean_squared_error.weight = 0.1;
  return training;
}

}  // namespace experiment::recipe

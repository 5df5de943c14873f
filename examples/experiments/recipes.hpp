#pragma once
// How the experiments train. Length and weights were chosen on validation conditions of Burgers; other tasks
// have the same, or fewer epochs to save time. The covariance's weight of phi4 was chosen on 300 further
// conditions of its own: on the 100 of validation 1 looks better than 0.1, on those it is worse by a sixth,
// and 0.03 better by a tenth.
#include "study.hpp"

namespace experiment::recipe {

/// What differs from task to task.
struct Task {
  Index epochs = 150;           // times through the data
  double learning_rate = 2e-3;  // the largest, from which half a cosine leads to 0
  double covariance = 0.1;      // weight of the covariance's own term in the decoupled recipe
  double mean = 30;             // weight of the mean's own term in it
  Index batch = 32;
  Index fno_epochs = 0;  // of the deterministic operator, if its own number was better
};
inline constexpr Task burgers{.fno_epochs = 200};
inline constexpr Task phi4{.covariance = 0.03, .fno_epochs = 200};
inline constexpr Task spdebench{.epochs = 30, .mean = 10};
inline constexpr Task rough_volatility{.epochs = 15, .covariance = 0, .mean = 10};
inline constexpr Task cross_covariance{.epochs = 150, .covariance = 3, .mean = 10};
inline constexpr Task ablations{.epochs = 30, .covariance = 0};
inline constexpr Task heat{.epochs = 60, .covariance = 3};

inline mno::TrainingOptions optimiser(const Task& task) {
  mno::TrainingOptions options;
  options.epochs = task.epochs;
  options.batch = task.batch;
  options.adamw = {.learning_rate = task.learning_rate, .beta2 = 0.95, .weight_decay = 1e-4};
  return options;
}

/// Mean and variance have terms of their own, and the covariance may have one too.
inline Training decoupled(const Task& task) {
  Training training{"decoupled", optimiser(task), mno::Recipe::decoupled()};
  training.recipe.mean_error.weight = task.mean;
  training.recipe.hilbert_schmidt.weight = task.covariance;
  return training;
}
/// The paper's four terms and its warm-up, with the optimiser of all others.
inline Training paper(const Task& task) {
  Training training{"paper", optimiser(task), mno::Recipe::paper(), false};
  return training;
}
/// Scores of draws: for an operator with noise inside, or a law by the same loss.
inline Training energy(const Task& task) {
  Training training{"energy", optimiser(task)};
  training.energy = mno::energy_loss();
  return training;
}
/// The mean alone, for a deterministic operator.
inline Training mean(const Task& task) {
  Training training{"mean", optimiser(task), {}, false};
  if (task.fno_epochs > 0) training.options.epochs = task.fno_epochs;
  training.recipe.mean_error.weight = 10;
  training.recipe.mean_squared_error.weight = 0.1;
  return training;
}

}  // namespace experiment::recipe

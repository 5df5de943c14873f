#pragma once
// Trainings other than what `fit` chooses by itself. Nothing here is chosen for a task.
#include "study.hpp"

namespace experiment::recipe {

/// As long as the longest that `fit` tries.
inline constexpr Index steps = 5000;

/// The paper's four terms, with the optimiser and the longest training of all others. Its warm-up and ramp
/// are 10 of its 120 epochs each.
inline Training paper(Index length = steps) {
  return {.name = "paper",
          .loss = mno::Recipe::paper(),
          .steps = length,
          .beginning = 10.0 / 120,
          .factor_scale = 1};
}

/// Steps of operators with noise inside, and of those that are solvers with noise in every step.
inline constexpr Index steps_of_rivals = 2500, steps_of_solvers = 1250;

/// Scores of draws, which train operators with noise inside, and laws as well. Four draws in every step are
/// half of what `fit` takes: twice as many steps in the same time.
inline Training energy(Index length) {
  return {.name = "energy", .loss = mno::energy_loss(4), .steps = length};
}

/// The paper's own optimiser and length: AdamW with its usual constants, 120 epochs of batches of 256 at a
/// constant rate.
inline Training paper_optimiser() {
  Training training = paper();
  training.name = "paper, its own optimiser";
  training.steps = 0;
  training.options.epochs = 120;
  training.options.batch = 256;
  training.options.adamw = {.learning_rate = 1e-3, .beta2 = 0.999, .weight_decay = 1e-2};
  training.options.decay = mno::Decay::none;
  return training;
}

}  // namespace experiment::recipe

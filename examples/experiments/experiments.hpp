#pragma once
// All experiments. Each has a source file of its own that says what it is: data, models, recipe, table.
#include "study.hpp"

namespace experiment {

extern const Experiment burgers, phi4, spdebench_phi4, rough_volatility, superresolution, cross_covariance,
    coverage, ablations, heat, defaults, single_draws, winds, electricity, sweep, budget,
    generative_efficiency, risk, tails, diagnostics, turbulent_flow, gray_scott, resolution_2d, heat_2d;

inline const std::vector<const Experiment*>& all() {
  static const std::vector<const Experiment*> list{&burgers,
                                                   &phi4,
                                                   &spdebench_phi4,
                                                   &rough_volatility,
                                                   &superresolution,
                                                   &cross_covariance,
                                                   &coverage,
                                                   &ablations,
                                                   &heat,
                                                   &defaults,
                                                   &single_draws,
                                                   &winds,
                                                   &electricity,
                                                   &sweep,
                                                   &budget,
                                                   &generative_efficiency,
                                                   &risk,
                                                   &tails,
                                                   &diagnostics,
                                                   &turbulent_flow,
                                                   &gray_scott,
                                                   &resolution_2d,
                                                   &heat_2d};
  return list;
}

// What most experiments have.
inline constexpr Sizes protocol{1000, 100, 200, 192, 0, 5};
inline const program::ShapeNumbers usual_shape{"mno-nugget", 1, 1, 16, 48, 16, 4, 0};

/// mno as mno train makes it without flags, with the paper's loss, fno, and controls around its mean.
void laws_and_controls(Study& study, const program::Equation& equation, const Study::Place& place);

}  // namespace experiment

// The φ⁴ equation, a reaction with two wells: as Burgers.
#include <mno/simulate/phi4.hpp>

#include "experiments.hpp"

namespace experiment {

static void run_phi4(Study& study) {
  laws_and_controls(study, mno::spde::Phi4{}, {.table = "1d-spde", .benchmark = "phi4"});
}

const Experiment phi4{"phi4", "the phi^4 equation", protocol, {256, 32, 32, 64, 0, 1}, usual_shape, run_phi4};

}  // namespace experiment

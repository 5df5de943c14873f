// The stochastic Burgers equation: a law, a deterministic operator, and controls around its mean, on the same
// data.
#include <mno/simulate/burgers.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

void laws_and_controls(Study& study, const program::Equation& equation, const Study::Place& place) {
  const Splits data = study.splits(equation);
  const Trained mno = study.train("mno", study.shape(), {}, data);
  const Trained paper = study.train("mno-paper-recipe", study.shape("mno"), recipe::paper(), data);
  const Trained fno = study.train("fno", study.shape("fno"), {}, data);
  const std::vector<Trained> rivals = study.rivals(data);
  study.run();
  study.tables(place, {mno, paper, fno}, data.test);
  study.tables(place, controls(fno), data.test);
  study.tables(place, rivals, data.test);
  if (!rivals.empty()) {
    study.lengths(place, {mno, paper, fno});
    study.lengths(place, rivals);
  }
  study.show(mno, data.test);
}

static void run_burgers(Study& study) {
  laws_and_controls(study, mno::spde::Burgers{}, {.table = "1d-spde", .benchmark = "burgers"});
}

const Experiment burgers{"burgers",   "stochastic Burgers", protocol, {256, 32, 32, 64, 0, 1},
                         usual_shape, run_burgers};

}  // namespace experiment

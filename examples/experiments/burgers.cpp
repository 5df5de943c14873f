// The stochastic Burgers equation: a law against a deterministic operator, on the same data.
#include <mno/simulate/burgers.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_burgers(Study& study) {
  const Splits data = study.splits(mno::spde::Burgers{});
  const Trained mno = study.train("mno", study.shape("mno-path"), recipe::decoupled(recipe::burgers), data);
  const Trained plain =
      study.train("mno-without-path", study.shape(), recipe::decoupled(recipe::burgers), data);
  const Trained paper = study.train("mno-paper-recipe", study.shape(), recipe::paper(recipe::burgers), data);
  const Trained fno = study.train("fno", study.shape("fno"), recipe::mean(recipe::burgers), data);
  study.run();
  study.table({.table = "1d-spde", .benchmark = "burgers"}, mno, data.test);
  study.table({.table = "1d-spde", .benchmark = "burgers", .paper_method = "mno"}, plain, data.test);
  study.table({.table = "1d-spde", .benchmark = "burgers", .paper_method = "mno"}, paper, data.test);
  study.table({.table = "1d-spde", .benchmark = "burgers"}, fno, data.test);
  study.show(mno, data.test);
}

const Experiment burgers{"burgers",   "stochastic Burgers", protocol, {512, 64, 64, 64, 150, 1},
                         usual_shape, run_burgers};

}  // namespace experiment

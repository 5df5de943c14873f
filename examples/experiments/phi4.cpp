// The φ⁴ equation, a reaction with two wells: a law against a deterministic operator, on the same data.
#include <mno/simulate/phi4.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_phi4(Study& study) {
  const Splits data = study.splits(mno::spde::Phi4{});
  const Trained mno = study.train("mno", study.shape("mno-path"), recipe::decoupled(recipe::phi4), data);
  const Trained plain = study.train("mno-without-path", study.shape(), recipe::decoupled(recipe::phi4), data);
  const Trained paper = study.train("mno-paper-recipe", study.shape(), recipe::paper(recipe::phi4), data);
  const Trained fno = study.train("fno", study.shape("fno"), recipe::mean(recipe::phi4), data);
  study.run();
  study.table({.table = "1d-spde", .benchmark = "phi4"}, mno, data.test);
  study.table({.table = "1d-spde", .benchmark = "phi4", .paper_method = "mno"}, plain, data.test);
  study.table({.table = "1d-spde", .benchmark = "phi4", .paper_method = "mno"}, paper, data.test);
  study.table({.table = "1d-spde", .benchmark = "phi4"}, fno, data.test);
  study.show(mno, data.test);
}

const Experiment phi4{"phi4",  "the phi^4 equation", protocol, {512, 64, 64, 64, 150, 1}, usual_shape,
                      run_phi4};

}  // namespace experiment

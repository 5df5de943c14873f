// φ⁴ as SPDEBench solves it: white noise in every cell, small (σ = 0.1) and large (σ = 1).
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_spdebench_phi4(Study& study) {
  struct Case {
    double sigma;
    Splits data;
    Trained mno, paper, fno;
  };
  std::vector<Case> cases;
  for (const double sigma : {0.1, 1.0}) {
    mno::spde::Phi4SpdeBench equation;
    equation.sigma = sigma;
    const Splits data = study.splits(equation);
    cases.push_back({sigma, data,
                     study.train("mno", study.shape("mno-path"), recipe::decoupled(recipe::spdebench), data),
                     study.train("mno-paper-recipe", study.shape(), recipe::paper(recipe::spdebench), data),
                     study.train("fno", study.shape("fno"), recipe::mean(recipe::spdebench), data)});
  }
  study.run();
  for (const Case& one : cases)
    for (const Trained* trained : {&one.mno, &one.paper, &one.fno})
      study.table({.table = "spdebench", .benchmark = "spdebench-phi4", .at = {{"sigma", one.sigma}}},
                  *trained, one.data.test);
  study.show(cases.front().mno, cases.front().data.test);
}

const Experiment spdebench_phi4{"spdebench-phi4", "phi^4 as SPDEBench solves it",
                                protocol,         {256, 64, 64, 64, 60, 1},
                                usual_shape,      run_spdebench_phi4};

}  // namespace experiment

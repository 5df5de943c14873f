// φ⁴ as SPDEBench solves it: white noise in every cell, small (σ = 0.1) and large (σ = 1).
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static void run_spdebench_phi4(Study& study) {
  struct Case {
    double sigma;
    Splits data;
    Trained mno, paper, fno;
    std::vector<Trained> rivals;
  };
  std::vector<Case> cases;
  for (const double sigma : {0.1, 1.0}) {
    mno::spde::Phi4SpdeBench equation;
    equation.sigma = sigma;
    const Splits data = study.splits(equation);
    cases.push_back({sigma, data, study.train("mno", study.shape(), {}, data),
                     study.train("mno-paper-recipe", study.shape("mno"), recipe::paper(), data),
                     study.train("fno", study.shape("fno"), {}, data), study.rivals(data)});
  }
  study.run();
  for (const Case& one : cases) {
    const Study::Place place{
        .table = "spdebench", .benchmark = "spdebench-phi4", .at = {{"sigma", one.sigma}}};
    study.tables(place, {one.mno, one.paper, one.fno}, one.data.test);
    study.tables(place, controls(one.fno), one.data.test);
    study.tables(place, one.rivals, one.data.test);
  }
  study.show(cases.front().mno, cases.front().data.test);
}

const Experiment spdebench_phi4{"spdebench-phi4", "phi^4 as SPDEBench solves it",
                                protocol,         {128, 32, 32, 64, 0, 1},
                                usual_shape,      run_spdebench_phi4};

}  // namespace experiment

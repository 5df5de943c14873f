// Burgers with the same budget for every method: once in steps, and once in time, with the steps that fit
// into the time that `mno` takes. An operator with noise inside runs eight times per condition in every step,
// so the two budgets differ much.
#include "experiments.hpp"
#include "swept.hpp"

namespace experiment {

static constexpr Index budget_steps = 2500;

static void run_budget(Study& study) {
  const Splits data = study.splits(mno::spde::Burgers{});
  struct Case {
    std::string budget;
    Trained trained;
  };
  std::vector<Case> cases;
  for (const std::string& method : study.compared())
    for (const std::string budget : {"steps", "time"}) {
      Training training = study.tuned(method);
      training.steps = budget == "steps" ? budget_steps : study.swept().in_time_of_mno(method, budget_steps);
      cases.push_back({budget, study.train(method, study.shape_of(method), training, data)});
    }
  study.run();
  for (const Case& one : cases) {
    const Study::Place place{
        .table = "budget", .benchmark = "burgers", .at = {{"budget", one.budget}}, .paper_method = "none"};
    study.table(place, one.trained, data.test);
    study.table(place, one.trained.method, {{{.metric = "steps", .value = double(one.trained.steps)}}});
  }
  study.show(cases.front().trained, data.test);
}

const Experiment budget{"budget",
                        "the same steps, and the same time, for every method",
                        {1000, 100, 200, 192, 0, 3},
                        {256, 32, 32, 64, 0, 1},
                        usual_shape,
                        run_budget};

}  // namespace experiment

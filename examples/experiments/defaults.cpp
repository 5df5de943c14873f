// What mno train reaches with no flag, on data whose law is known or whose ensembles are large: a tenth of
// the training conditions is held back to validate on, and `fit` chooses loss and length. Each task has its
// own number of conditions and members, and goals that were set in advance: relative errors against the exact
// law, errors in normalised coordinates, or multiples of the floor.
#include "experiments.hpp"

namespace experiment {

namespace {

struct Goal {
  std::string metric;
  double value;
  bool of_floor = false;  // a multiple of the floor of the same test conditions
};
struct Task {
  std::string name;
  program::Equation equation;
  Index conditions, members;  // to train on, of the full form
  std::vector<Goal> goals;
};

mno::spde::Heat advected() {
  mno::spde::Heat heat;
  heat.velocity = 0.4;
  return heat;
}

std::vector<Task> with_ensembles() {
  const std::vector<Goal> cov{{"cov_frobenius_rel", 1.2, true}};
  return {
      {"burgers", mno::spde::Burgers{}, 1000, 192, cov},
      {"phi4", mno::spde::Phi4{}, 1000, 192, cov},
      {"advected heat",
       advected(),
       600,
       128,
       {{"mean_to_exact", 0.025}, {"var_to_exact", 0.03}, {"cov_to_exact", 0.06}}},
      {"two channels",
       mno::spde::CoupledHeat{},
       600,
       128,
       {{"mean_to_exact", 0.01}, {"var_to_exact", 0.06}, {"cov_to_exact", 0.08}}},
      {"kuramoto-sivashinsky",
       mno::spde::KuramotoSivashinsky{},
       600,
       128,
       {{"var_rmse", 1.1, true}, {"cov_frobenius_rel", 1.2, true}}},
  };
}

std::vector<Task> with_single_draws() {
  return {
      {"burgers, single draws",
       mno::spde::Burgers{},
       1000,
       1,
       {{"mean_rmse", 0.0080}, {"w2g", 0.0055}, {"cov_frobenius_rel", 0.25}}},
      {"advected heat, single draws",
       advected(),
       4000,
       1,
       {{"mean_to_exact", 0.03}, {"var_to_exact", 0.05}, {"cov_to_exact", 0.06}}},
  };
}

void run_tasks(Study& study, const std::vector<Task>& tasks) {
  struct Case {
    Task task;
    Splits data;
    Trained mno, fno;
  };
  std::vector<Case> cases;
  const Sizes& s = study.sizes();
  for (const Task& task : tasks) {
    const Index conditions = std::max<Index>(4, task.conditions * s.train / 1000),
                members = task.members == 1 ? 1 : std::max<Index>(4, task.members * s.members / 192);
    Splits data;
    data.train = study.data(task.equation, Study::Use::training, {.samples = conditions, .members = members});
    data.test = study.data(task.equation, Study::Use::test,
                           {.samples = s.test, .further = Study::further(task.equation)});
    cases.push_back({task, data, study.train("mno", study.shape(), {}, data),
                     study.train("fno", study.shape("fno"), {}, data)});
  }
  study.run();
  for (const Case& one : cases) {
    const Study::Place place{.table = "defaults", .benchmark = "defaults", .at = {{"task", one.task.name}}};
    const auto rows = study.table(place, one.mno, one.data.test);
    std::vector<Row> goals;
    for (const Goal& goal : one.task.goals)
      goals.push_back({.metric = goal.metric,
                       .value = goal.of_floor ? goal.value * floor_of(rows, goal.metric) : goal.value});
    study.tables(place, {one.fno}, one.data.test);
    study.tables(place, controls(one.fno), one.data.test);
    study.table(place, "goal", {goals});
  }
  study.show(cases.front().mno, cases.front().data.test);
}

}  // namespace

const Experiment defaults{"defaults",
                          "what mno train reaches with no flag",
                          {1000, 0, 200, 192, 0, 5},
                          {128, 0, 32, 64, 0, 1},
                          usual_shape,
                          [](Study& study) { run_tasks(study, with_ensembles()); }};

const Experiment single_draws{"single-draws",
                              "what mno train reaches with no flag from one realisation of every condition",
                              {1000, 0, 200, 192, 0, 5},
                              {128, 0, 32, 64, 0, 1},
                              usual_shape,
                              [](Study& study) { run_tasks(study, with_single_draws()); }};

}  // namespace experiment

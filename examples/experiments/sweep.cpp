// A sweep of the same size for every method: learning rates, each trained for the same number of steps,
// scored on validation conditions. Neither these nor the training conditions are used by another experiment.
// What comes out is recorded, and `--sweep FILE` of other experiments takes the best rate of every method
// from there.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "experiments.hpp"
#include "report/members_json.hpp"
#include "stopwatch.hpp"
#include "swept.hpp"

namespace experiment {

// A whole schedule, so short that the sweep costs no method more than half of its training. Weight decay is
// not swept: at 1e-4 it takes less than a thousandth from any weight in so few steps.
static constexpr Index sweep_steps = 200;
static constexpr double rates[] = {1e-3, 2e-3, 4e-3};

Swept::Swept(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ifstream in(file_, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto json = mno::report::Json::parse(text, nullptr, false);
  if (!in || !json.is_object() || !json.contains("rows"))
    throw mno::Error("'" + file_.string() +
                     "' has no rows of a sweep. To make it:\n  mno experiment sweep --full -o results/sweep\n"
                     "  mno report results/sweep --rows " +
                     file_.string());
  std::vector<Row> all;
  mno::report::read_json(json.at("rows"), mno::report::Place{file_.string(), "rows"}, all);
  std::ranges::copy_if(all, std::back_inserter(rows_), [](const Row& row) { return row.table == "sweep"; });
}

std::vector<const Row*> Swept::of(const std::string& method, const std::string& metric) const {
  std::vector<const Row*> found;
  for (const Row& row : rows_)
    if (row.method == method && row.metric == metric) found.push_back(&row);
  if (found.empty())
    throw mno::Error("'" + file_.string() + "' has no sweep of " + method +
                     ". mno experiment sweep --rivals " + method + " makes one.");
  return found;
}

mno::AdamWOptions Swept::best(const std::string& method, mno::AdamWOptions usual) const {
  if (empty()) return usual;
  const auto found = of(method, "crps");
  const Row& least = **std::ranges::min_element(found, {}, [](const Row* row) { return row->value; });
  usual.learning_rate = std::get<double>(least.at.at("learning_rate"));
  return usual;
}

double Swept::seconds_per_step(const std::string& method) const {
  std::vector<double> all;
  for (const Row* row : of(method, "seconds_per_step")) all.push_back(row->value);
  std::ranges::nth_element(all, all.begin() + Index(all.size() / 2));
  return all[all.size() / 2];
}

Index Swept::in_time_of_mno(const std::string& method, Index of_mno) const {
  if (empty())
    throw mno::Error(
        "The same time for every method needs the seconds of their steps: --sweep FILE, a record of mno "
        "experiment sweep.");
  return std::max<Index>(1, Index(double(of_mno) * seconds_per_step("mno") / seconds_per_step(method)));
}

static void run_sweep(Study& study) {
  const mno::spde::Burgers equation;
  Splits data;
  data.train = study.data(equation, Study::Use::sweep, {.samples = study.sizes().train});
  data.validation = study.data(equation, Study::Use::sweep_validation, {.samples = study.sizes().validation});
  struct Case {
    double rate;
    Trained trained;
  };
  std::vector<Case> cases;
  for (const std::string& method : study.compared())
    for (const double rate : rates) {
      Training training = study.tuned(method);
      training.steps = sweep_steps;
      training.options.adamw.learning_rate = rate;
      cases.push_back({rate, study.train(method, study.shape_of(method), training, data)});
    }
  study.run();
  for (const Case& one : cases) {
    const Study::Place place{.table = "sweep",
                             .benchmark = "burgers",
                             .at = {{"learning_rate", one.rate}},
                             .paper_method = "none"};
    study.table(place, one.trained, data.validation);
    std::vector<std::vector<Row>> seconds;
    for (std::size_t pair = 0; pair < one.trained.models.size(); ++pair)
      seconds.push_back({{.metric = "seconds_per_step",
                          .value = seconds_of(one.trained.models[pair]) / double(one.trained.steps)}});
    study.table(place, one.trained.method, seconds);
  }
  study.show(cases.front().trained, data.validation);
}

const Experiment sweep{"sweep",
                       "the learning rate of every method, on validation",
                       {500, 100, 1, 64, 0, 1},
                       {256, 32, 1, 64, 0, 1},
                       usual_shape,
                       run_sweep};

}  // namespace experiment

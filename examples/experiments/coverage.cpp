// Coverage: does a 90 % band hold 90 % of the members? As predicted, and after calibration on conditions that
// neither training nor validation nor testing has seen: split conformal with a score per initial condition,
// whose guarantee holds for any model and any data, and inflation of the variance by the mean's squared
// error.
#include <mno/metric/conformal.hpp>
#include <mno/metric/coverage.hpp>

#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

namespace {

namespace metric = mno::metric;

struct Condition {
  metric::Moments model;
  metric::Members members;
};

/// The calibrated rows of one pair.
struct Bands {
  std::vector<Row> raw, conformal, guarantee, inflated;
};

const std::vector<double> levels{0.5, 0.8, 0.9, 0.95};
// A new condition's band holds at least its level with this probability. With one half the typical condition
// is right, and this is what a mean over conditions shows.
constexpr double confidence = 0.5, high_confidence = 0.9;

Bands calibrate(const std::vector<Condition>& calibration, const std::vector<Condition>& test) {
  Bands bands;
  const auto row = [](const char* name, double level, double value) {
    return Row{.metric = name, .value = value, .at = {{"level", level}}};
  };
  metric::MeanErrorInflation error;
  for (const Condition& c : calibration) error.add(c.model, metric::moments(c.members));
  const Eigen::VectorXd extra = error.per_channel(1);
  metric::Coverage raw(levels), inflated(levels);
  for (const Condition& c : test) {
    raw.add(c.model, c.members);
    inflated.add(metric::inflated(c.model, extra), c.members);
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    bands.raw.push_back(row("coverage", levels[l], raw.value()[l]));
    bands.inflated.push_back(row("coverage", levels[l], inflated.value()[l]));
    std::vector<double> scores;
    for (const Condition& c : calibration)
      scores.push_back(metric::band_score(c.model, c.members, levels[l]));
    const double typical = metric::conformal_factor(scores, confidence),
                 safe = metric::conformal_factor(scores, high_confidence);
    double inside = 0, held = 0;
    for (const Condition& c : test) {
      Index covered = 0;
      for (Index j = 0; j < c.members.cols(); ++j)
        for (Index i = 0; i < c.members.rows(); ++i)
          covered += std::abs(c.members(i, j) - c.model.mean[i]) <= typical * std::sqrt(c.model.variance[i]);
      inside += double(covered) / double(c.members.size()) / double(test.size());
      held += (metric::band_score(c.model, c.members, levels[l]) <= safe) / double(test.size());
    }
    bands.conformal.push_back(row("coverage", levels[l], inside));
    bands.guarantee.push_back(row("conditions_held", levels[l], held));
  }
  return bands;
}

void run_coverage(Study& study) {
  const mno::spde::Burgers equation;
  const Splits data = study.splits(equation);
  const Data calibration = study.data(equation, Study::Use::calibration,
                                      {.samples = std::max<Index>(2 * study.sizes().validation, 10)});
  const Trained chosen = study.train("mno", study.shape(), {}, data);
  const Trained paper = study.train("mno-paper-recipe", study.shape("mno"), recipe::paper(), data);
  study.run();

  mno::report::Figure curves{.name = "coverage",
                             .title = "Coverage of central bands",
                             .x_label = "nominal probability",
                             .y_label = "fraction covered"};
  curves.lines.push_back({"nominal", levels, levels});
  for (const Trained* trained : {&chosen, &paper}) {
    std::vector<Bands> pairs(trained->models.size());
    study.for_each_pair(*trained, [&](std::size_t pair) {
      const auto conditions = [&](const Data& from) {
        std::vector<Condition> all;
        study.for_each_prediction(*trained, pair, from, [&](const program::Prediction<1>& p) {
          all.push_back({metric::moments(p.law, 0), p.members});
        });
        return all;
      };
      pairs[pair] = calibrate(conditions(calibration), conditions(data.test));
    });
    const auto put = [&](const std::string& how, std::vector<Row> Bands::*part) {
      std::vector<std::vector<Row>> rows;
      for (const Bands& one : pairs) rows.push_back(one.*part);
      const auto means =
          study.table({.table = "coverage", .benchmark = "burgers"}, trained->method + ", " + how, rows);
      if (means.front().metric != "coverage" || trained != &chosen) return;
      mno::report::Curve line{how, levels, {}};
      for (const Row& row : means) line.y.push_back(row.value);
      curves.lines.push_back(line);
    };
    put("raw", &Bands::raw);
    put("split conformal", &Bands::conformal);
    put("variance inflated", &Bands::inflated);
    put("split conformal, 90% of conditions", &Bands::guarantee);
  }
  study.add(curves);
  study.show(chosen, data.test);
}

}  // namespace

const Experiment coverage{"coverage",  "bands that hold what they promise",
                          protocol,    {256, 32, 32, 64, 0, 1},
                          usual_shape, run_coverage};

}  // namespace experiment

// Rough volatility: one model per Hurst exponent H and gate, trained on four times. The variance grows like
// t^{2H}, which the paper's gate 1 − e^{−αt} cannot follow near t = 0 and a PowerGate can.
#include "experiments.hpp"
#include "recipes.hpp"

namespace experiment {

static const std::vector<double> query_times{0.05, 0.1, 0.25, 0.5};

static void run_rough_volatility(Study& study) {
  struct Case {
    double hurst;
    Splits data;
    std::vector<Trained> methods;
  };
  std::vector<Case> cases;
  for (const double hurst : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    mno::spde::RoughVolatility equation;
    equation.hurst = hurst;
    const Splits data = study.splits(equation, query_times);
    cases.push_back({hurst,
                     data,
                     {study.train("mno", study.shape(), {}, data),
                      study.train("mno-power", study.shape("mno-power"), {}, data),
                      study.train("fno", study.shape("fno"), {}, data)}});
    for (const Trained& control : controls(cases.back().methods.back()))
      cases.back().methods.push_back(control);
    for (const Trained& rival : study.rivals(data)) cases.back().methods.push_back(rival);
  }
  study.run();

  // The last time beside the paper, every time for itself.
  mno::report::Figure over_hurst{
      .name = "hurst", .title = "W2g at t = 0.5", .x_label = "H", .y_label = "W2g"},
      over_time{.name = "term-structure",
                .title = "Variance RMSE over t, H = 0.1",
                .x_label = "t",
                .y_label = "variance RMSE",
                .log_x = true};
  over_hurst.lines = {{"mno"}, {"mno-power"}, {"floor"}};
  over_time.lines = {{"mno"}, {"mno-power"}, {"floor"}};
  for (const Case& one : cases)
    for (std::size_t m = 0; m < one.methods.size(); ++m)
      for (const double t : query_times) {
        const auto rows = study.table({.table = "term-structure",
                                       .benchmark = "rough-vol",
                                       .at = {{"hurst", one.hurst}, {"t", t}},
                                       .time = t},
                                      one.methods[m], one.data.test);
        if (m < 2 && one.hurst == 0.1) {
          over_time.lines[m].put(t, value_of(rows, "var_rmse"));
          if (m == 0) over_time.lines[2].put(t, floor_of(rows, "var_rmse"));
        }
        if (t != query_times.back()) continue;
        study.again(
            rows, {.table = "rough-volatility", .benchmark = "rough-vol", .paper_method = m < 2 ? "mno" : ""},
            "t");
        if (m < 2) over_hurst.lines[m].put(one.hurst, value_of(rows, "w2g"));
        if (m == 0) over_hurst.lines[2].put(one.hurst, floor_of(rows, "w2g"));
      }
  study.add(over_hurst);
  study.add(over_time);
  study.show(cases.front().methods.front(), cases.front().data.test);
}

const Experiment rough_volatility{"rough-volatility", "rough volatility, H = 0.1 to 0.5",
                                  protocol,           {64, 16, 16, 64, 10, 1},
                                  usual_shape,        run_rough_volatility};

}  // namespace experiment

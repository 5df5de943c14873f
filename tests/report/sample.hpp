#pragma once
// A record with every part, of plausible numbers that follow from formulas.
#include <cmath>
#include <numbers>
#include <random>

#include "../../examples/mno/report/run_record.hpp"

inline mno::report::RunRecord sample_record() {
  using namespace mno::report;
  RunRecord record;
  record.title = "Burgers' equation with random forcing";
  record.description = "A law of the solution at t = 1 is predicted from u₀ and compared with an ensemble.";
  record.command = "06_burgers results/burgers --epochs 200 --seeds 5 --width 64 --modes 16";
  record.settings = {
      {"epochs", "200"}, {"width", "64"}, {"modes", "16"}, {"learning rate", "0.001"}, {"batch", "32"}};
  for (const std::string benchmark : {"Burgers", "Heat"})
    for (const std::string method : {"MNO", "FNO with dropout"})
      for (const double t : {0.5, 1.0}) {
        const double worse = (method == "MNO" ? 1 : 1.7) * (benchmark == "Heat" ? 0.01 : 1);
        record.rows.push_back({"Accuracy",
                               benchmark,
                               method,
                               "mean_rmse",
                               0.0213 * worse * t,
                               {{"t", t}},
                               5,
                               0.0011 * worse,
                               0.025 * worse,
                               0.0102 * (benchmark == "Heat" ? 0.01 : 1) * t});
        record.rows.push_back({"Accuracy",
                               benchmark,
                               method,
                               "crps",
                               0.0432 * worse * t,
                               {{"t", t}},
                               5,
                               0.0008 * worse,
                               {},
                               0.041 * (benchmark == "Heat" ? 0.01 : 1) * t});
      }
  record.rows.push_back({"Cost", "Burgers", "MNO", "seconds_per_draw", 3.2e-6, {}, {}, {}, {}, {}});
  record.rows.push_back({"Cost", "Burgers", "solver", "seconds_per_draw", 0.0173, {}, {}, {}, {}, {}});

  record.rows.push_back(
      {"Ablation", "Burgers", "MNO", "crps", 0.05, {{"backbone", "split"}}, {}, {}, {}, {}});
  record.figures = {
      {.name = "rank",
       .title = "Error over the rank",
       .note = "Both axes are logarithmic.",
       .x_label = "rank",
       .y_label = "error",
       .log_x = true,
       .log_y = true,
       .lines = {{"MNO", {1, 4, 16}, {0.5, 0.1, 0.02}}, {"theory", {1, 4, 16}, {0.4, 0.08, 0.01}}}}};

  std::mt19937 engine(1);
  const auto uniform = [&] { return (double(engine()) + 0.5) / 4294967296.0; };
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  };
  Curve train{"train", {}, {}}, validation{"validation", {}, {}}, rate{"learning rate/rate", {}, {}};
  for (int epoch = 0; epoch <= 200; ++epoch) {
    const double decay = std::exp(-epoch / 30.0);
    for (Curve* curve : {&train, &validation, &rate}) curve->x.push_back(epoch);
    train.y.push_back((0.5 * decay + 0.004) * std::exp(0.08 * normal()));
    validation.y.push_back((0.5 * decay + 0.009) * std::exp(0.15 * normal()));
    rate.y.push_back(0.0005 * (1 + std::cos(std::numbers::pi * epoch / 200)));
  }
  record.curves = {train, validation, rate};

  const int points = 128;
  for (const double phase : {0.0, 1.0}) {
    Example e{.title = "Test sample " + std::to_string(int(phase)), .marginal_point = 40};
    const auto path = [&](double wide, const std::vector<double>& mean,
                          const std::vector<double>& deviation) {
      Numbers out;
      double a[6];
      for (double& x : a) x = normal() / std::sqrt(3.0);
      for (int i = 0; i < points; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
          sum += a[2 * k] * std::cos(2 * std::numbers::pi * (k + 1) * i / points) +
                 a[2 * k + 1] * std::sin(2 * std::numbers::pi * (k + 1) * i / points);
        out.push_back(mean[std::size_t(i)] + wide * deviation[std::size_t(i)] * sum);
      }
      return out;
    };
    for (int i = 0; i < points; ++i) {
      const double x = double(i) / points, angle = 2 * std::numbers::pi * x + phase;
      e.x.push_back(x);
      e.initial.push_back(std::sin(angle) + 0.3 * std::cos(3 * angle));
      e.truth_mean.push_back(0.6 * std::sin(angle - 0.4));
      e.mean.push_back(0.59 * std::sin(angle - 0.42) + 0.01);
      e.truth_deviation.push_back(0.12 + 0.05 * std::cos(angle));
      e.deviation.push_back(0.115 + 0.045 * std::cos(angle + 0.1));
    }
    for (int d = 0; d < 8; ++d) e.draws.push_back(path(1, e.mean, e.deviation));
    for (int m = 0; m < 400; ++m) {
      Numbers member = path(1, e.truth_mean, e.truth_deviation);
      e.marginal_members.push_back(member[40]);
      if (m < 20) e.members.push_back(std::move(member));
    }
    record.examples.push_back(std::move(e));
  }

  for (const std::string title : {"Predicted mean", "Ensemble mean", "Predicted deviation"}) {
    Image image{title, 96, 96, {}};
    for (int y = 0; y < 96; ++y)
      for (int x = 0; x < 96; ++x)
        image.values.push_back((title == "Predicted deviation" ? 1e-5 : 1.0) *
                               (std::sin(x / 11.0) * std::cos(y / 15.0) + 0.2 * std::sin((x + y) / 5.0)));
    record.images.push_back(std::move(image));
  }
  record.images[0].panel = record.images[1].panel = "Test sample 0/Means";
  Image error{"mean − ensemble mean", 96, 96, record.images[0].values};
  error.panel = "Test sample 0/Errors";
  error.symmetric = true;
  record.images.insert(record.images.begin() + 2, std::move(error));
  record.images.push_back({"A wide field", 40, 10, Numbers(400, 0.0)});
  for (std::size_t i = 0; i < 400; ++i) record.images.back().values[i] = double(i % 40) * 3000;

  record.verdict = {
      "Better than climatology (CRPS 83 ± 2.1 % lower), but no better than its own mean with one "
      "constant variance (CRPS 0.3 ± 0.8 % lower), over 64 conditions.",
      {{"climatology", "better than", 0.83, 0.021},
       {"its own mean with one constant variance", "no better than", 0.003, 0.008}}};
  record.data = {"test.npz", "123", "400 members each", 64, {0.7}};
  record.conditions = Conditions{.metrics = {"w2g", "mean_rmse", "crps"}};
  for (int i = 0; i < 64; ++i) {
    const double hard = std::exp(0.5 * normal());
    record.conditions->all.push_back(
        {.sample = i, .origin = i, .time = 1, .scores = {0.05 * hard, 0.03 * hard, 0.1}});
  }
  Image map{"Where in x the worst conditions have their w2g", 128, 12, {}};
  map.rows.emplace();
  for (int row = 0; row < 12; ++row) {
    map.rows->push_back(std::to_string(5 * row));
    for (int x = 0; x < 128; ++x) map.values.push_back(0.05 * std::abs(std::sin(x / 20.0 + row)));
  }
  record.conditions->maps = {map};
  record.pit = PitHistogram{{0.08, 0.06, 0.05, 0.04, 0.04, 0.04, 0.04, 0.05, 0.04, 0.05,
                             0.05, 0.04, 0.05, 0.04, 0.04, 0.05, 0.05, 0.05, 0.06, 0.08}};
  for (int i = 1; i < 20; ++i) {
    record.calibration.nominal.push_back(i / 20.0);
    record.calibration.covered.push_back(std::pow(i / 20.0, 1.15));
  }
  for (int k = 0; k <= 64; ++k) {
    record.spectra.wavenumber.push_back(k);
    record.spectra.truth_mean.push_back(std::pow(1 + k, -3.0));
    record.spectra.mean.push_back(std::pow(1 + k, -3.0) * (k > 20 ? std::exp(-(k - 20) / 10.0) : 1.0));
    record.spectra.truth_variance.push_back(0.1 * std::pow(1 + k, -2.0));
    record.spectra.variance.push_back(0.09 * std::pow(1 + k, -2.1));
  }
  return record;
}

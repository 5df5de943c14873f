// The Hurst exponent of lines, of Brownian motion and of fractional Brownian motion.
#include "mno/metric/hurst.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// Estimates from groups of fractional Brownian paths, E X(s)X(t) = ½(s^{2H} + t^{2H} − |s − t|^{2H}).
Repeats estimates(double hurst, double order) {
  const Index points = 48;
  Eigen::MatrixXd gamma(points, points);
  const auto power = [&](Index h) { return std::pow(double(h), 2 * hurst); };
  for (Index s = 0; s < points; ++s)
    for (Index t = 0; t < points; ++t)
      gamma(s, t) = 0.5 * (power(s + 1) + power(t + 1) - power(std::abs(s - t)));
  const Eigen::MatrixXd root = gamma.llt().matrixL();
  Stream stream(1);
  Repeats result;
  for (int group = 0; group < 30; ++group) {
    metric::Hurst metric({1, 2, 4, 8}, order);
    for (int path = 0; path < 100; ++path) {
      const Eigen::VectorXd x = root * normal_ensemble(points, 1, stream);
      metric.add(std::span<const double>(x.data(), std::size_t(points)));
    }
    result.add(metric.value());
  }
  return result;
}

}  // namespace

TEST_CASE("a line has exponent 1, for every order and scale") {
  std::vector<float> line;
  for (int t = 0; t < 20; ++t) line.push_back(float(3 * t));
  for (const double order : {0.5, 1.0, 2.0}) {
    metric::Hurst metric({1, 3, 7}, order);
    metric.add(std::span<const float>(line));
    CHECK(metric.value() == doctest::Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("by hand: lags 1 and 2 of a path, two paths pooled") {
  metric::Hurst metric({1, 2});
  metric.add(std::span<const double>(std::vector<double>{0, 1, 3}));  // squares 1, 4 and 9
  metric.add(std::span<const double>(std::vector<double>{0, 0, 1}));  // squares 0, 1 and 1
  CHECK(metric.value() == doctest::Approx(0.5 * std::log(5 / 1.5) / std::log(2.0)).epsilon(1e-14));
}

TEST_CASE("fractional Brownian motion has its exponent") {
  // Judged by the spread of 30 independent estimates, each with a bias of log S of order 1/1000.
  for (const double hurst : {0.1, 0.3, 0.5, 0.8}) {
    CAPTURE(hurst);
    const Repeats second = estimates(hurst, 2), first = estimates(hurst, 1);
    CHECK(std::abs(second.mean() - hurst) < 6 * second.error() + 0.001);
    CHECK(std::abs(first.mean() - hurst) < 6 * first.error() + 0.001);
    CHECK(second.error() < 0.01);
  }
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] { metric::Hurst({4}); }) ==
        "mno::metric::Hurst: argument 'lags': expected at least two, for a slope, got 1.");
  CHECK(sentence([] {
          metric::Hurst({2, 2});
        }) == "mno::metric::Hurst: argument 'lags': expected positive steps that increase, got 2.");
  metric::Hurst metric;
  const std::vector<double> flat(9, 1.0);
  CHECK(sentence([&] { metric.add(std::span(flat).first(8)); }) ==
        "mno::metric::Hurst: argument 'path': expected more points than the largest lag, 8, got 8.");
  metric.add(std::span(flat));
  CHECK(sentence([&] { metric.value(); }) ==
        "mno::metric::Hurst: argument 'path': expected paths that move, by finite steps, got a structure "
        "function of "
        "0.");
}

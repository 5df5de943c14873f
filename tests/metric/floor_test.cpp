// Floors against simulation: what an exact model measures on average is what the floor says.
#include "mno/metric/floor.hpp"

#include <doctest/doctest.h>

#include <boost/math/special_functions/ellint_2.hpp>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// What a law's exact moments measure against ensembles, and what the same ensembles say about it.
struct Simulated {
  Repeats mean, variance;  // measured less foretold squared RMSE
  double w2g_ratio = 0;    // foretold over measured
};
/// The floor's squares are without bias; in groups of conditions their average stays clear of the cut at 0.
template <class Draw>
Simulated simulate(Index members, double mean, double variance, int conditions, Draw&& draw) {
  Stream stream(7);
  const int groups = 200;
  const metric::Moments exact{Eigen::VectorXd::Constant(1, mean), Eigen::VectorXd::Constant(1, variance)};
  Simulated result;
  double foretold = 0, measured = 0;
  for (int group = 0; group < groups; ++group) {
    metric::ExactModelFloor floor;
    metric::MeanRmse mean_rmse;
    metric::VarianceRmse variance_rmse;
    metric::W2g w2g;
    for (int condition = 0; condition < conditions / groups; ++condition) {
      const auto u = ensemble(1, members, stream, draw);
      floor.add(u);
      const auto truth = metric::moments(u);
      mean_rmse.add(exact, truth);
      variance_rmse.add(exact, truth);
      w2g.add(exact, truth);
    }
    REQUIRE(floor.variance_rmse() > 0);
    result.mean.add(std::pow(mean_rmse.value(), 2) - std::pow(floor.mean_rmse(), 2));
    result.variance.add(std::pow(variance_rmse.value(), 2) - std::pow(floor.variance_rmse(), 2));
    foretold += floor.w2g();
    measured += w2g.value();
  }
  result.w2g_ratio = foretold / measured;
  return result;
}

const auto normal = [](Stream& s) { return 1 + 2 * s.normal(); };
const auto exponential = [](Stream& s) { return s.exponential(); };

}  // namespace

TEST_CASE("the exact model's mean and variance errors are estimated without bias, even by few members") {
  const auto gaussian = simulate(8, 1, 4, 30000, normal);
  CHECK(gaussian.mean.z(0) < critical);
  CHECK(gaussian.variance.z(0) < critical);
  const auto skew = simulate(30, 1, 1, 30000, exponential);
  CHECK(skew.mean.z(0) < critical);
  CHECK(skew.variance.z(0) < critical);
}

TEST_CASE("the exact model's W2g is that of the simulation to a few percent at 192 members") {
  // Standard error of the ratio: 0.5 / √20000 ≈ 0.4 %; the expansion itself is good to O(1/√M).
  CHECK(std::abs(simulate(192, 1, 4, 20000, normal).w2g_ratio - 1) < 0.02);
  CHECK(std::abs(simulate(192, 1, 1, 20000, exponential).w2g_ratio - 1) < 0.08);
  // (about 4 % too low: a heavy tail is not always seen by 192 members)
  // Two values, the upper one with q(1 − q) = 1/8: mean and sd err by the same amount and together. Taken for
  // independent they would come out 11 % too large.
  const double q = 0.5 - std::sqrt(0.125);
  const auto two_values = [=](Stream& s) { return s.uniform() < q ? 1.0 : 0.0; };
  CHECK(std::abs(simulate(192, q, 0.125, 20000, two_values).w2g_ratio - 1) < 0.03);
}

TEST_CASE("Gaussian closed forms: sigma/sqrt(M) and sigma^2 sqrt(2/(M-1))") {
  Stream stream(1);
  metric::ExactModelFloor floor;
  for (int condition = 0; condition < 50; ++condition) floor.add(normal_ensemble(100, 192, stream, 3, 0.5));
  CHECK(std::abs(floor.mean_rmse() / (0.5 / std::sqrt(192.0)) - 1) < 0.01);
  CHECK(std::abs(floor.variance_rmse() / (0.25 * std::sqrt(2.0 / 191)) - 1) < 0.03);
}

TEST_CASE("the mean length of a Gaussian vector: a line, a circle, and a rotated ellipse") {
  using metric::detail::expected_length;
  CHECK(expected_length(4, 0, 0) == doctest::Approx(2 * std::sqrt(2 / std::numbers::pi)).epsilon(1e-14));
  CHECK(expected_length(1, 1, 0) == doctest::Approx(std::sqrt(std::numbers::pi / 2)).epsilon(1e-14));
  CHECK(expected_length(2, 2, 2) == doctest::Approx(expected_length(4, 0, 0)).epsilon(1e-7));
  CHECK(expected_length(0, 0, 0) == 0);
  for (const double ratio : {1e-30, 1e-8, 1e-3, 0.2, 0.7, 0.999999})
    CHECK(expected_length(3, 3 * ratio, 0) ==
          doctest::Approx(std::sqrt(6 / std::numbers::pi) * boost::math::ellint_2(std::sqrt(1 - ratio)))
              .epsilon(1e-14));
  Stream stream(2);
  Repeats length;
  for (int i = 0; i < 100000; ++i) {
    const double x = stream.normal(), y = 0.5 * x + 0.3 * stream.normal();
    length.add(std::hypot(x, y));
  }
  CHECK(length.z(expected_length(1, 0.34, 0.5)) < critical);
  CHECK(length.z(expected_length(1, 0.34, 0)) > critical);
}

TEST_CASE("two ensembles of 192 members: moments twice the variance, W2s about 0.165 sd") {
  Stream stream(3);
  metric::EnsembleFloor floor;
  for (int condition = 0; condition < 30; ++condition)
    floor.add(normal_ensemble(50, 192, stream, 1, 2), normal_ensemble(50, 192, stream, 1, 2));
  CHECK(std::abs(floor.mean_rmse() / (2 * std::sqrt(2.0 / 192)) - 1) < 0.1);
  CHECK(std::abs(floor.variance_rmse() / (4 * std::sqrt(4.0 / 191)) - 1) < 0.1);
  CHECK(std::abs(floor.w2s() / (2 * 0.165) - 1) < 0.05);
  CHECK(floor.w2g() < floor.w2s());
}

TEST_CASE("halves are the ensembles of M/2 members that they are") {
  Stream stream(4);
  const auto u = normal_ensemble(6, 21, stream);
  metric::EnsembleFloor halves, two;
  halves.add_halves(u);
  two.add(u.leftCols(10), u.middleCols(10, 10));
  CHECK(halves.mean_rmse() == two.mean_rmse());
  CHECK(halves.variance_rmse() == two.variance_rmse());
  CHECK(halves.w2s() == two.w2s());
  CHECK(halves.w2g() == two.w2g());
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] { metric::EnsembleFloor{}.add_halves(metric::Members::Zero(2, 3)); }) ==
        "mno::metric::EnsembleFloor: argument 'ensemble': expected at least four members, two in each half, "
        "got 3.");
  CHECK(sentence([] { metric::ExactModelFloor{}.add(metric::Members::Zero(2, 3)); }) ==
        "mno::metric::ExactModelFloor: argument 'ensemble': expected at least four members, for a fourth "
        "cumulant, "
        "got 3.");
}

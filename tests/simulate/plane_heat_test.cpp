#include "mno/simulate/plane_heat.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;
using doctest::Approx;

TEST_CASE("members have the exact mean and covariance at every query time") {
  const PlaneHeat heat{.points = {3, 5}, .noise = PlaneNoise(2)};
  constexpr Index members = 20000;
  const auto all = collect<double>(heat, {.samples = 1, .members = members, .seed = 6, .times = {0.1, 1.5}});
  for (Index row = 0; row < 2; ++row) {
    const auto law = exact_law(heat, 6, 0, all.times[std::size_t(row)]);
    statistics::Draws draws(members, 15);
    for (Index m = 0; m < members; ++m)
      for (Index p = 0; p < 15; ++p) draws(m, p) = all.of(row)(m, p, 0);
    const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(law.mean.data(), 15);
    CHECK(statistics::gaussian_law(draws, mean, law.factor.transpose() * law.factor).ok());
  }
}

TEST_CASE(
    "the law solves the equation wave by wave, has one variance everywhere and is the same on every grid") {
  PlaneHeat heat{.points = {8, 8}};
  const PlaneSeries series = heat.draw(1, 1);
  const double t = 0.2, h = 1e-4;
  const auto before = heat.mean(series, t - h), now = heat.mean(series, t), after = heat.mean(series, t + h);
  for (std::size_t i = 0; i < series.waves.size(); ++i) {
    const double squared =
        double(series.waves[i].x * series.waves[i].x + series.waves[i].y * series.waves[i].y);
    CHECK((after.sine[i] - before.sine[i]) / (2 * h) ==
          Approx(-heat.nu * 4 * std::numbers::pi * std::numbers::pi * squared * now.sine[i]).epsilon(1e-4));
  }
  const auto law = exact_law(heat, series, t);
  heat.points = {16, 24};
  const auto fine = exact_law(heat, series, t);
  for (Index x = 0; x < 8; ++x)
    for (Index y = 0; y < 8; ++y) {
      CHECK(law.variance(0, x * 8 + y, 0) == Approx(law.variance(0, 0, 0)).epsilon(1e-12));
      CHECK(fine.mean(0, 2 * x * 24 + 3 * y, 0) == Approx(law.mean(0, x * 8 + y, 0)).epsilon(1e-9));
    }
}

TEST_CASE("constants that make no sense are refused") {
  CHECK_THROWS_WITH(collect<double>(PlaneHeat{.points = {0, 4}}, {}),
                    "mno::PlaneHeat: argument 'points': expected at least one on each axis, got 0x4.");
  CHECK_THROWS_AS(collect<double>(PlaneHeat{.nu = -1}, {}), Error);
}

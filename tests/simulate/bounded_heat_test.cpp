#include "mno/simulate/bounded_heat.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;
using doctest::Approx;

namespace {
BoundedHeat heat_with(Wall wall, Index points, Index modes = 16) {
  return {.points = points, .noise = WallNoise::of_unit_sum(wall, modes)};
}
}  // namespace

TEST_CASE("members have the exact mean and covariance at every query time") {
  for (const Wall wall : {Wall::dirichlet, Wall::neumann}) {
    const BoundedHeat heat = heat_with(wall, 12, 5);
    constexpr Index members = 20000;
    const auto all = collect<double>(heat, {.samples = 1, .members = members, .seed = 6, .times = {0.01, 2}});
    for (Index row = 0; row < 2; ++row) {
      const ExactLaw law = exact_law(heat, 6, 0, all.times[std::size_t(row)]);
      // without the point on the wall, where Dirichlet's field has no spread
      statistics::Draws draws(members, 11);
      for (Index m = 0; m < members; ++m)
        for (Index p = 0; p < 11; ++p) draws(m, p) = all.of(row)(m, p + 1, 0);
      const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(law.mean.data() + 1, 11);
      const Eigen::MatrixXd factor = law.factor.rightCols(11);
      CHECK(statistics::gaussian_law(draws, mean, factor.transpose() * factor).ok());
    }
  }
}

TEST_CASE("the law solves the equation mode by mode, and the walls hold") {
  for (const Wall wall : {Wall::dirichlet, Wall::neumann}) {
    BoundedHeat heat = heat_with(wall, 16);
    heat.sigma = 0.4;
    const WallSeries series = heat.draw(1, 1);
    const double t = 0.2, h = 1e-4;
    const auto before = heat.mean(series, t - h), now = heat.mean(series, t),
               after = heat.mean(series, t + h);
    for (std::size_t k = 1; k <= 12; ++k)
      CHECK((after.amplitude[k] - before.amplitude[k]) / (2 * h) ==
            Approx(-heat.nu * std::pow(std::numbers::pi * double(k), 2) * now.amplitude[k]).epsilon(1e-4));
    for (const Index k : {1, 5}) {
      const auto v = [&](double s) { return std::pow(heat.deviation(k, s), 2); };
      CHECK((v(t + h) - v(t - h)) / (2 * h) == Approx(2 * heat.rate(k) * v(t) + 0.16).epsilon(1e-4));
    }
    CHECK(heat.mean(series, 0).amplitude == series.amplitude);
    const ExactLaw law = exact_law(heat, series, t);
    CHECK(law.factor.rows() == heat.noise.rank());
    if (wall == Wall::dirichlet) {
      CHECK(law.mean(0, 0, 0) == 0);
      CHECK(law.variance(0, 0, 0) == 0);
    } else {
      CHECK(law.variance(0, 0, 0) > law.variance(0, 8, 0));  // a reflecting wall doubles what comes back
    }
  }
}

TEST_CASE("the law at common points is the same on every grid, and the grid has walls") {
  const BoundedHeat coarse = heat_with(Wall::neumann, 32), fine = heat_with(Wall::neumann, 128);
  CHECK(coarse.grid().domain.bounded[0]);
  const ExactLaw a = exact_law(coarse, 3, 1, 0.5), b = exact_law(fine, 3, 1, 0.5);
  const auto x = collect<double>(coarse, {.samples = 2, .members = 5, .seed = 3});
  const auto y = subsample(collect<double>(fine, {.samples = 2, .members = 5, .seed = 3}).members, 32);
  CHECK(y.grid() == x.members.grid());
  for (Index p = 0; p < 32; ++p) {
    CHECK(a.mean(0, p, 0) == Approx(b.mean(0, 4 * p, 0)));
    CHECK(a.variance(0, p, 0) == Approx(b.variance(0, 4 * p, 0)));
    for (Index m = 0; m < 10; ++m) CHECK(x.members(m, p, 0) == Approx(y(m, p, 0)).epsilon(1e-12));
  }
}

TEST_CASE("constants that make no sense are refused") {
  BoundedHeat heat;
  heat.nu = -1;
  CHECK_THROWS_AS(heat.check(), Error);
  heat.nu = 0.1;
  heat.sigma = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(heat.check(), Error);
}

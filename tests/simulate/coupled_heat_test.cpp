#include "mno/simulate/coupled_heat.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;
using doctest::Approx;

TEST_CASE("members have the exact mean and covariance of both channels at every query time") {
  const CoupledHeat heat{.nu = 0.01, .points = 6, .noise = {ModalNoise::with_mean(2)}};
  constexpr Index members = 20000;
  const auto all = collect<double>(heat, {.samples = 1, .members = members, .seed = 6, .times = {0.1, 1.5}});
  for (Index row = 0; row < 2; ++row) {
    const ExactLaw law = exact_law(heat, 6, 0, all.times[std::size_t(row)]);
    statistics::Draws draws(members, 12);
    for (Index m = 0; m < members; ++m)
      for (Index i = 0; i < 12; ++i) draws(m, i) = all.of(row)(m, i / 2, i % 2);
    const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(law.mean.data(), 12);
    CHECK(statistics::gaussian_law(draws, mean, law.factor.transpose() * law.factor).ok());
  }
}

TEST_CASE("at small times the two channels' noises are correlated by rho at every point") {
  const CoupledHeat heat{.correlation = -0.3};
  const ExactLaw law = exact_law(heat, 1, 0, 1e-6);
  REQUIRE(law.factor.rows() == 34);
  for (const Index p : {0, 17}) {
    const double both = law.factor.col(2 * p).dot(law.factor.col(2 * p + 1));
    CHECK(both / std::sqrt(law.variance(0, p, 0) * law.variance(0, p, 1)) == Approx(-0.3).epsilon(1e-3));
    CHECK(law.variance(0, p, 0) ==
          Approx(0.01 * 1e-6 * heat.noise.each.pointwise_variance()).scale(0).epsilon(1e-2));
  }
}

TEST_CASE("without exchange each channel is the heat equation alone; with it the two meet") {
  const CoupledHeat apart{.exchange = 0}, together{.exchange = 20};
  const Heat heat{.velocity = 0.25};
  const ExactLaw law = exact_law(apart, 3, 2, 0.5), met = exact_law(together, 3, 2, 0.5);
  for (Index c = 0; c < 2; ++c) {
    const ExactLaw one = exact_law(heat, 3, 4 + c, 0.5);  // the series that the channel has
    for (Index p = 0; p < 64; ++p) {
      CHECK(law.mean(0, p, c) == Approx(one.mean(0, p, 0)).epsilon(1e-12));
      CHECK(law.variance(0, p, c) == Approx(one.variance(0, p, 0)).epsilon(1e-12));
    }
  }
  for (Index p = 0; p < 64; ++p) {
    CHECK(met.mean(0, p, 0) == Approx(met.mean(0, p, 1)).epsilon(1e-6));
    CHECK(met.mean(0, p, 0) == Approx((law.mean(0, p, 0) + law.mean(0, p, 1)) / 2).epsilon(1e-6));
  }
}

TEST_CASE("the mean solves the equation: dm/dt = nu m_xx - c m_x + kappa (other - m)") {
  const CoupledHeat heat{.points = 64};
  const CoupledSeries series = heat.draw(1, 1);
  const double t = 0.2, h = 1e-4, k = 2 * std::numbers::pi * 2;
  const auto before = heat.mean(series, t - h), now = heat.mean(series, t), after = heat.mean(series, t + h);
  const auto a = [](const CoupledSeries& s, int c) { return s.channel[std::size_t(c)].cosine[1]; };
  const double b = now.channel[0].sine[1];
  CHECK((a(after, 0) - a(before, 0)) / (2 * h) ==
        Approx(-heat.nu * k * k * a(now, 0) - heat.velocity * k * b + heat.exchange * (a(now, 1) - a(now, 0)))
            .epsilon(1e-4));
}

TEST_CASE("constants that make no sense are refused") {
  CHECK_THROWS_WITH(collect<double>(CoupledHeat{.correlation = 1.5}, {}),
                    "mno::CoupledHeat: argument 'correlation': expected a number in [-1, 1], got 1.5.");
  CHECK_THROWS_AS(collect<double>(CoupledHeat{.exchange = -1}, {}), Error);
}

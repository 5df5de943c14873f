#include "mno/simulate/heat.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;
using doctest::Approx;

TEST_CASE("members have the exact mean and covariance at every query time") {
  const Heat heat{.nu = 0.01, .points = 12, .noise = ModalNoise::with_mean(4)};
  constexpr Index members = 20000;
  const auto all =
      collect<double>(heat, {.samples = 2, .members = members, .seed = 6, .times = {0.01, 0.3, 2}});
  REQUIRE(all.conditions() == 6);
  for (Index row = 0; row < 6; ++row) {
    CAPTURE(row);
    const ExactLaw law = exact_law(heat, 6, row / 3, all.times[std::size_t(row)]);
    statistics::Draws draws(members, 12);
    for (Index m = 0; m < members; ++m)
      for (Index p = 0; p < 12; ++p) draws(m, p) = all.of(row)(m, p, 0);
    const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(law.mean.data(), 12);
    const auto verdict = statistics::gaussian_law(draws, mean, law.factor.transpose() * law.factor);
    CHECK(verdict.worst_mean < 1);
    CHECK(verdict.worst_covariance < 1);
    CHECK(verdict.variances);
  }
}

TEST_CASE("what is carried along is the equation without velocity, moved by ct") {
  const Heat still{.nu = 0.01, .points = 16, .noise = ModalNoise::with_mean(4)};
  Heat carried = still;
  carried.velocity = 0.5;
  // ct is a quarter of the box at t = 1/2: four of sixteen points
  const ExactLaw a = exact_law(still, 3, 0, 0.5), b = exact_law(carried, 3, 0, 0.5);
  const auto gamma = [](const ExactLaw& law) { return Eigen::MatrixXd(law.factor.transpose() * law.factor); };
  for (Index p = 0; p < 16; ++p) CHECK(b.mean(0, (p + 4) % 16, 0) == Approx(a.mean(0, p, 0)).epsilon(1e-12));
  CHECK((gamma(a) - gamma(b)).norm() < 1e-12 * gamma(a).norm());
  // and each path too: the same noise gives the same members, moved
  const Sampling two{.samples = 1, .members = 3, .seed = 3, .times = {0.25, 0.5}};
  const auto x = collect<double>(still, two), y = collect<double>(carried, two);
  for (Index m = 0; m < 3; ++m)
    for (Index p = 0; p < 16; ++p) {
      CHECK(y.of(0)(m, (p + 2) % 16, 0) == Approx(x.of(0)(m, p, 0)).epsilon(1e-9));
      CHECK(y.of(1)(m, (p + 4) % 16, 0) == Approx(x.of(1)(m, p, 0)).epsilon(1e-9));
    }
}

TEST_CASE("two times of one path are correlated as an Ornstein–Uhlenbeck process is") {
  // with one point and q_0 alone, u − u_0 is Brownian: Cov(u_s, u_t) = σ² min(s, t)
  const Heat heat{.sigma = 1, .points = 1, .noise = {{1.}}};
  constexpr Index members = 20000;
  const auto all = collect<double>(heat, {.samples = 1, .members = members, .times = {0.25, 1}});
  statistics::Draws draws(members, 2);
  Eigen::VectorXd mean(2);
  for (Index i = 0; i < 2; ++i) {
    mean(i) = exact_law(heat, 0, 0, i ? 1 : 0.25).mean(0, 0, 0);
    for (Index m = 0; m < members; ++m) draws(m, i) = all.of(i)(m, 0, 0);
  }
  CHECK(statistics::gaussian_law(draws, mean, Eigen::Matrix2d{{0.25, 0.25}, {0.25, 1}}).ok());
}

TEST_CASE("… and where the mode decays, Cov(u_s, u_t) = e^{λ(t−s)} Var u_s") {
  const Heat heat{.nu = 0.05, .sigma = 1, .points = 4, .noise = {{0., 1.}}};
  constexpr Index members = 20000;
  const auto all = collect<double>(heat, {.samples = 1, .members = members, .times = {0.5, 0.6}});
  statistics::Draws draws(members, 2);
  Eigen::VectorXd mean(2);
  Eigen::Matrix2d covariance;
  for (Index i = 0; i < 2; ++i) {
    const ExactLaw law = exact_law(heat, 0, 0, i ? 0.6 : 0.5);
    mean(i) = law.mean(0, 1, 0);
    covariance(i, i) = law.variance(0, 1, 0);
    for (Index m = 0; m < members; ++m) draws(m, i) = all.of(i)(m, 1, 0);
  }
  covariance(0, 1) = covariance(1, 0) = covariance(0, 0) * std::exp(0.1 * heat.rate(1));
  CHECK(statistics::gaussian_law(draws, mean, covariance).ok());
}

TEST_CASE("the law solves the equation: dm/dt = ν m_xx and dC/dt = 2ν C_xx + σ² Q for the variance's modes") {
  const Heat heat{.nu = 0.03, .sigma = 0.4};
  const FourierSeries series = heat.initial.draw(1, 1);
  const double t = 0.2, h = 1e-4;
  const auto before = heat.mean(series, t - h), now = heat.mean(series, t), after = heat.mean(series, t + h);
  for (Index k = 1; k <= 6; ++k) {
    const auto i = std::size_t(k - 1);
    CHECK((after.cosine[i] - before.cosine[i]) / (2 * h) ==
          Approx(heat.rate(k) * now.cosine[i]).scale(0).epsilon(1e-4));
  }
  for (Index k : {0, 1, 5}) {
    const auto v = [&](double s) { return std::pow(heat.deviation(k, s), 2); };
    CHECK((v(t + h) - v(t - h)) / (2 * h) == Approx(2 * heat.rate(k) * v(t) + 0.16).scale(0).epsilon(1e-4));
  }
  CHECK(heat.mean(series, 0).sine == series.sine);
  const ExactLaw law = exact_law(heat, series, t);
  REQUIRE(law.factor.rows() == 17);
  CHECK(law.variance(0, 5, 0) == Approx(law.factor.col(5).squaredNorm()));
}

TEST_CASE("the law at common points is the same on every grid") {
  Heat coarse{.points = 32}, fine{.points = 128};
  const ExactLaw a = exact_law(coarse, 3, 1, 0.5), b = exact_law(fine, 3, 1, 0.5);
  const auto x = collect<double>(coarse, {.samples = 2, .members = 5, .seed = 3});
  const auto y = subsample(collect<double>(fine, {.samples = 2, .members = 5, .seed = 3}).members, 32);
  for (Index p = 0; p < 32; ++p) {
    CHECK(a.mean(0, p, 0) == Approx(b.mean(0, 4 * p, 0)));
    CHECK(a.variance(0, p, 0) == Approx(b.variance(0, 4 * p, 0)));
    for (Index m = 0; m < 10; ++m) CHECK(x.members(m, p, 0) == Approx(y(m, p, 0)).epsilon(1e-12));
  }
}

TEST_CASE("one time per sample, at any value") {
  const Heat heat;
  const auto all =
      collect<double>(heat, {.samples = 2, .members = 3, .times = {0.7, 0.123}, .one_time_per_sample = true});
  REQUIRE(all.times == std::vector<double>{0.7, 0.123});
  const auto second =
      collect<double>(heat, {.samples = 1, .members = 3, .first_sample = 1, .times = {0.123}});
  for (Index m = 0; m < 3; ++m)
    for (Index p = 0; p < 64; ++p) CHECK(all.of(1)(m, p, 0) == second.of(0)(m, p, 0));
}

TEST_CASE("bad options are refused with a sentence") {
  CHECK_THROWS_WITH(collect<double>(Heat{.nu = -1}, {}),
                    "mno::Heat: argument 'nu': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(collect<double>(Heat{}, {.times = {-0.5}}),
                    "mno::Heat: argument 'times': expected numbers that are not negative, got -0.5.");
}

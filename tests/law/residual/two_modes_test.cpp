// The law of two modes: centred with unit covariance, marginals of every entry, density, and a direction that
// does not depend on how the factor is turned.
#include "mno/law/residual/two_modes.hpp"

#include <Eigen/QR>

#include "checks.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/density.hpp"
#include "mno/law/functional.hpp"
#include "mno/law/marginal_crps.hpp"
#include "mno/law/sample.hpp"
#include "mno/law/tail_crps.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("two modes: draws are centred with unit covariance, and of ξ_1 the marginal is the law") {
  for (const double p : {0.5, 0.2}) {
    const TwoModes law(p, 0.9);
    const Index count = 100000;
    const Eigen::MatrixXd xi = draws(law, count, 3, 5);
    const double critical = critical_z(1e-6, 2 * 9);
    for (Index k = 0; k < 3; ++k) {
      CHECK(std::abs(xi.col(k).mean()) * std::sqrt(double(count)) < critical);
      for (Index l = 0; l <= k; ++l) {
        const Eigen::ArrayXd product = xi.col(k).array() * xi.col(l).array() - (k == l ? 1.0 : 0.0);
        CHECK(std::abs(product.sum()) < critical * std::sqrt(product.square().sum()));
      }
    }
    CHECK(ks_statistic({xi.data(), xi.data() + count}, [&](double z) { return law.cdf(z); }) <
          critical_ks(1e-6));
  }
}

TEST_CASE("two modes: there are two, with a valley between, and p ≠ ½ is skewed") {
  const TwoModes even(0.5, 0.95), skewed(0.2, 0.8);
  CHECK(even.marginal_log_density(0) < even.marginal_log_density(0.95) - 3);
  CHECK(even.symmetric());
  CHECK_FALSE(skewed.symmetric());
  CHECK(skewed.seen(0).symmetric());
  double third = 0;  // E ξ³ = p a³ + (1−p) b³ > 0 for p < ½
  for (int i = 0; i < 20000; ++i) third += std::pow(skewed.quantile((i + 0.5) / 20000), 3) / 20000;
  CHECK(third == doctest::Approx(std::pow(0.8, 3) * (1 - 2 * 0.2) / std::sqrt(0.2 * 0.8)).epsilon(1e-2));
}

TEST_CASE("two modes: quantiles, density, exponentials and CRPS of an entry agree with its cdf") {
  for (const double rho : {1.0, -0.7, 0.3, 0.0}) {
    const TwoModes law = TwoModes(0.25, 0.85).seen(rho);
    for (const double p : {1e-9, 0.01, 0.3, 0.6, 0.99}) {
      CHECK(law.cdf(law.quantile(p)) == doctest::Approx(p).scale(0).epsilon(1e-10));
      CHECK(law.exceedance(law.upper_quantile(p)) == doctest::Approx(p).scale(0).epsilon(1e-10));
    }
    const double h = 1e-5;
    for (const double z : {-2.0, -0.5, 0.4, 1.7})
      CHECK(std::exp(law.marginal_log_density(z)) ==
            doctest::Approx((law.cdf(z + h) - law.cdf(z - h)) / (2 * h)).scale(0).epsilon(1e-7));
    check_crps(law, 20, 1e-6);
    double sum = 0;
    const double step = 1e-3;
    for (double z = -20 + step / 2; z < 20; z += step)
      sum += step * std::exp(law.marginal_log_density(z) - 0.8 * z);
    CHECK(law.log_moment(-0.8) == doctest::Approx(std::log(sum)).scale(0).epsilon(1e-6));
  }
}

TEST_CASE("ξ_1 is the coefficient of the average, every entry in its deviations, and points upward") {
  const auto law =
      with_residual(with_nugget(random_law<double, 1>(2, Grid<1>{{6}}, 2, 4, 3), 5, 0.3), TwoModes(0.3, 0.9));
  for (Index s = 0; s < 2; ++s) {
    Eigen::Vector4d average = Eigen::Vector4d::Zero();
    for (Index i = 0; i < law.size(); ++i)
      average += detail::factor_at(law, s, i / 2).col(i % 2) /
                 std::sqrt(detail::own_variance(law, s * law.size() + i));
    CHECK(average[0] > 0.1);
    CHECK(average.tail(3).norm() < 1e-12);
  }
}

TEST_CASE("a law of two modes is one for all factors of a covariance, in all units, and stays as it is") {
  const auto law = with_nugget(random_law<double, 1>(2, Grid<1>{{6}}, 2, 4, 3), 5, 0.3);
  const auto turned = with_residual(law, TwoModes(0.3, 0.9));
  for (Index s = 0; s < 2; ++s)
    CHECK((covariance(turned, s).dense() - covariance(law, s).dense()).norm() < 1e-12);
  // by another orthogonal matrix
  auto other = law;
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(4, 4, 9)).householderQ();
  for (Index s = 0; s < 2; ++s)
    for (Index x = 0; x < 6; ++x) detail::factor_at(other, s, x) = (q * detail::factor_at(law, s, x)).eval();
  const auto also = with_residual(other, TwoModes(0.3, 0.9));
  const auto again = with_residual(turned, TwoModes(0.3, 0.9));
  auto scaled = law;  // the second channel in other units
  for (Index s = 0; s < 2; ++s)
    for (Index x = 0; x < 6; ++x) {
      detail::factor_at(scaled, s, x).col(1) *= 1000;
      scaled.nugget(s, x, 1) *= 1000;
    }
  const auto in_units = with_residual(scaled, TwoModes(0.3, 0.9));
  for (Index s = 0; s < 2; ++s)
    for (Index x = 0; x < 6; ++x) {
      CHECK(also.factor(s, x, 0) == doctest::Approx(turned.factor(s, x, 0)).epsilon(1e-10));
      CHECK(again.factor(s, x, 0) == doctest::Approx(turned.factor(s, x, 0)).epsilon(1e-10));
      CHECK(in_units.factor(s, x, 1) == doctest::Approx(1000 * turned.factor(s, x, 1)).epsilon(1e-10));
    }
  // ξ_1 carries the average: none of the other coefficients does
  for (Index k = 1; k < 4; ++k) {
    double sum = 0;
    for (Index x = 0; x < 6; ++x)
      for (Index c = 0; c < 2; ++c)
        sum += turned.factor(0, x, k * 2 + c) / std::sqrt(variance(turned)(0, x, c));
    CHECK(std::abs(sum) < 1e-12);
  }
}

TEST_CASE("the density of fields integrates to one, and functionals follow their draws") {
  const auto law = with_residual(with_nugget(random_law<double, 1>(1, Grid<1>{{2}}, 1, 2, 3), 6, 0.5),
                                 TwoModes(0.3, 0.95));
  double mass = 0;
  const double step = 0.05;
  Eigen::Vector2d u;
  for (double a = -12; a < 12; a += step)
    for (double b = -12; b < 12; b += step) {
      u << a, b;
      mass += step * step * std::exp(log_density(law, 0, u));
    }
  CHECK(mass == doctest::Approx(1).epsilon(1e-3));

  Field<double, 1> weight(1, law.grid(), 1);
  weight(0, 0, 0) = 1;
  weight(0, 1, 0) = -0.4;
  const auto one = functional(law, 0, weight);
  const auto drawn = sample(law, 20000, 2);
  std::vector<double> values;
  for (Index j = 0; j < 20000; ++j)
    values.push_back(law.grid().cell() * (drawn(j, 0, 0) - 0.4 * drawn(j, 1, 0)));
  CHECK(ks_statistic(values, [&](double a) { return one.cdf(a); }) < critical_ks(1e-6));
}

TEST_CASE("both tails of a skewed marginal are scored as they are") {
  const auto law = with_residual(random_law<double, 1>(1, Grid<1>{{2}}, 1, 2, 3), TwoModes(0.15, 0.9));
  const auto x = marginal(law, 0, 1, 0);
  for (const double u : {-1.0, 1.5})
    for (const double t : {-0.5, 0.8}) {
      double upper = 0, lower = 0;
      const double step = 1e-3;
      for (double z = -25 + step / 2; z < 25; z += step)
        (z > t ? upper : lower) += step * std::pow(x.cdf(z) - double(u <= z), 2);
      CHECK(tail_crps(x, u, t, Tail::upper) == doctest::Approx(upper).epsilon(2e-3).scale(1e-3));
      CHECK(tail_crps(x, u, t, Tail::lower) == doctest::Approx(lower).epsilon(2e-3).scale(1e-3));
    }
}

TEST_CASE("two modes: numbers that make no law are refused") {
  CHECK_THROWS_AS(TwoModes(0, 0.5), Error);
  CHECK_THROWS_AS(TwoModes(0.5, 1), Error);
  CHECK_THROWS_AS(TwoModes(0.5, -0.1), Error);
}

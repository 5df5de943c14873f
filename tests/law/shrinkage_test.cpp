// A share of the factor's variance on the diagonal: variances stay, covariances become smaller.
#include "mno/law/shrinkage.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "mno/law/covariance.hpp"
#include "mno/law/density.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("covariances between points become 1 - share times as large, variances and means stay") {
  const auto plain = random_law<double, 1>(2, {{5}, {}}, 2, 3, 1);
  for (const auto& law : {plain, with_nugget(plain, 2)}) {
    const auto small = shrunk(law, 0.25);
    CHECK(small.mean.span()[3] == law.mean.span()[3]);
    for (Index s = 0; s < 2; ++s) {
      const Eigen::MatrixXd before = covariance(law, s).dense(), after = covariance(small, s).dense();
      Eigen::MatrixXd expected = 0.75 * before;
      expected.diagonal() = before.diagonal();
      CHECK((after - expected).norm() < 1e-13 * before.norm());
    }
  }
  CHECK(shrunk(plain, 0).factor.span()[0] == plain.factor.span()[0]);
  CHECK_FALSE(shrunk(plain, 0).has_nugget());
}

TEST_CASE("a law of low rank gets a density, and one without spread stays without") {
  auto law = random_law<double, 1>(1, {{6}, {}}, 1, 2, 3);
  CHECK_THROWS(log_density(law, 0, flat(law.mean, 0)));
  CHECK(std::isfinite(log_density(shrunk(law, 0.01), 0, flat(law.mean, 0))));
  for (double& b : law.factor.span()) b = 0;
  const auto still = shrunk(law, 0.5);
  for (const double eta : still.nugget.span()) CHECK(eta == 0);
}

TEST_CASE("the adjoint agrees with differences, and is nothing where there is no spread") {
  const auto plain = random_law<double, 1>(2, {{5}, {}}, 2, 3, 1);
  const auto weights = with_nugget(random_law<double, 1>(2, {{5}, {}}, 2, 3, 5), 6);
  const auto dot = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const auto objective = [&](const auto& law) {
    const auto small = shrunk(law, 0.25);
    return dot(small.factor.span(), weights.factor.span()) + dot(small.nugget.span(), weights.nugget.span());
  };
  for (const auto& law : {plain, with_nugget(plain, 2)}) {
    Law<double, 1> bar = weights;
    shrunk_vjp(law, 0.25, bar);
    auto moved = law;
    const auto check = [&](std::span<double> values, std::span<const double> bars) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double at = values[i], h = 1e-5;
        values[i] = at + h;
        const double above = objective(moved);
        values[i] = at - h;
        const double below = objective(moved);
        values[i] = at;
        CHECK(bars[i] == doctest::Approx((above - below) / (2 * h)).epsilon(1e-7));
      }
    };
    check(moved.factor.span(), bar.factor.span());
    if (law.has_nugget()) check(moved.nugget.span(), bar.nugget.span());
  }
  auto still = plain;
  for (double& b : still.factor.span()) b = 0;
  Law<double, 1> bar = weights;
  shrunk_vjp(still, 0.25, bar);
  for (std::size_t i = 0; i < bar.factor.size(); ++i)
    CHECK(bar.factor.span()[i] == doctest::Approx(std::sqrt(0.75) * weights.factor.span()[i]));
}

TEST_CASE("a share is refused in a sentence") {
  const auto law = random_law<double, 1>(1, {{4}, {}}, 1, 2, 3);
  CHECK_THROWS_WITH_AS(shrunk(law, 1), doctest::Contains("a share from 0 to below 1"), Error);
  CHECK_THROWS_AS(shrunk(law, -0.1), Error);
}

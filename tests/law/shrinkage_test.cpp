// A share of the factor's variance on the diagonal: variances stay, covariances become smaller.
#include "mno/law/shrinkage.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("a share is refused in a sentence") {
  const auto law = random_law<double, 1>(1, {{4}, {}}, 1, 2, 3);
  CHECK_THROWS_WITH_AS(shrunk(law, 1), doctest::Contains("a share from 0 to below 1"), Error);
  CHECK_THROWS_AS(shrunk(law, -0.1), Error);
}

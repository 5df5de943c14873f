#include "mno/law/residual/laplace.hpp"

#include "checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("Laplace: moments, marginal, round trip") {
  check_moments(Laplace{}, 2);  // E S² = 2
  check_marginal(Laplace{});
  check_round_trip(Laplace{});
  CHECK(variance_of_cdf(Laplace{}, 60) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("Laplace: values by hand") {
  CHECK(Laplace{}.cdf(0) == 0.5);
  CHECK(Laplace{}.exceedance(std::sqrt(2.0)) == doctest::Approx(0.5 * std::exp(-2.0)).epsilon(1e-15));
  CHECK(Laplace{}.quantile(0.25) == doctest::Approx(-std::log(2.0) / std::sqrt(2.0)).epsilon(1e-15));
}

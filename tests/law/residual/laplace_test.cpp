#include "mno/law/residual/laplace.hpp"

#include <boost/math/special_functions/bessel.hpp>

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

TEST_CASE("Laplace: density, moments of exponentials, CRPS") {
  check_density(Laplace{}, 60);
  check_log_moment(Laplace{}, 50);
  check_crps(Laplace{}, 40, 1e-6);
  CHECK(std::isinf(Laplace{}.log_moment(1.5)));
  CHECK(Laplace{}.log_density(0, 1) == doctest::Approx(std::log(1 / std::sqrt(2.0))).epsilon(1e-14));
  CHECK(std::isinf(Laplace{}.log_density(0, 2)));
}

TEST_CASE("the Bessel integral agrees with Boost's Bessel function, and goes on where that overflows") {
  for (const double lambda : {-20.5, -3.0, -0.5, 0.0, 0.5, 4.0})
    for (const double b : {1e-12, 1e-3, 1.0, 40.0, 3000.0}) {
      CAPTURE(lambda);
      CAPTURE(b);
      const double expected = std::log(2.0) + 0.5 * lambda * std::log(b) +
                              std::log(boost::math::cyl_bessel_k(lambda, 2 * std::sqrt(b)));
      CHECK(std::abs(detail::log_bessel_integral(lambda, b) - expected) < 1e-11 * (1 + std::abs(expected)));
    }
  // K_v(x) ≈ ½ Γ(v) (2/x)^v for x² ≪ v: the integral is near Γ(v) b^{−v}
  const double v = 5000, b = 1e-3;
  CHECK(detail::log_bessel_integral(-v, b) ==
        doctest::Approx(std::lgamma(v) - v * std::log(b)).epsilon(1e-9));
}

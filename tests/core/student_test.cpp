// Student's t against Boost.Math in long double, and against what is known by hand.
#include "mno/core/student.hpp"

#include <doctest/doctest.h>

#include <boost/math/distributions/students_t.hpp>

using namespace mno::detail;

namespace {
const double degrees[] = {0.3, 1, 1.5, 2, 2.1, 3, 5, 10, 37, 100, 1000, 12345, 1e6, 1e8, 1e10};
}

TEST_CASE("a ratio of gamma functions: small, middle and large arguments") {
  for (double a = 0.01; a < 1e12; a *= 1.7) {
    CAPTURE(a);
    const auto expected = double(1 / boost::math::tgamma_delta_ratio((long double)(a), 0.5L));
    CHECK(gamma_ratio(a) == doctest::Approx(expected).epsilon(3e-15));
  }
}

TEST_CASE("density and distribution agree with Boost's, in the middle and in the tails") {
  for (const double nu : degrees)
    for (const double t : {0.0, 1e-5, 0.01, 0.3, 0.7, 1.0, 1.3, 2.0, 3.0, 5.0, 12.0, 35.0, 1e4, 1e9, 1e30}) {
      CAPTURE(nu);
      CAPTURE(t);
      const boost::math::students_t_distribution<long double> law(nu);
      const auto density = double(pdf(law, t)), tail = double(cdf(law, -t));
      if (density > 1e-290) CHECK(std::abs(student_density(t, nu) / density - 1) < 3e-13);
      if (tail > 1e-290) CHECK(std::abs(student_cdf(-t, nu) / tail - 1) < 3e-13);
      CHECK(student_cdf(t, nu) == doctest::Approx(1 - tail).epsilon(1e-15));
    }
}

TEST_CASE("quantiles agree with Boost's, and lead back") {
  for (const double nu : degrees)
    for (const double p : {1e-200, 1e-30, 1e-10, 1e-4, 0.01, 0.025, 0.2, 0.4, 0.49, 0.6, 0.975, 0.999}) {
      if (nu < 1 && p < 1e-50) continue;  // more than a double holds
      CAPTURE(nu);
      CAPTURE(p);
      const boost::math::students_t_distribution<long double> law(nu);
      CHECK(std::abs(student_quantile(p, nu) / double(quantile(law, (long double)(p))) - 1) < 1e-12);
      CHECK(student_cdf(student_quantile(p, nu), nu) == doctest::Approx(p).epsilon(1e-12));
    }
  CHECK(student_quantile(0.5, 3) == 0);
  CHECK(student_quantile(0.75, 1) == doctest::Approx(1).epsilon(1e-15));  // Cauchy
}

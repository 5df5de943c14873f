#include "mno/law/residual/student_t.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <numbers>

#include "checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("StudentT: moments, marginal, round trip") {
  const double nu = 12;  // enough moments for the normal approximation of second moments
  check_moments(StudentT(nu), (nu - 2) / (nu - 4));
  for (const double degrees : {2.5, 5.0, 40.0}) {
    CAPTURE(degrees);
    check_marginal(StudentT(degrees));
    check_round_trip(StudentT(degrees));
  }
  CHECK(variance_of_cdf(StudentT(5), 1e5) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("StudentT: the cdf by hand for three degrees of freedom, and its Gaussian limit") {
  // P(t_3 ≤ t) = ½ + (atan(t/√3) + √3 t/(t²+3))/π; the standardised marginal is t_3/√3.
  const double t = 1.3, z = t / std::sqrt(3.0);
  const double expected =
      0.5 + (std::atan(t / std::sqrt(3.0)) + std::sqrt(3.0) * t / (t * t + 3)) / std::numbers::pi;
  CHECK(StudentT(3).cdf(z) == doctest::Approx(expected).epsilon(1e-14));
  CHECK(StudentT(1e9).quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-7));
  CHECK(StudentT(3).cdf(INFINITY) == 1);
  CHECK(StudentT(3).cdf(-INFINITY) == 0);
}

TEST_CASE("the gamma sampler follows the gamma distribution") {
  for (const double shape : {1.0, 1.25, 6.0, 200.0}) {
    CAPTURE(shape);
    std::vector<double> values(40000);
    Stream stream(17);
    for (double& g : values) g = detail::draw_gamma(stream, shape);
    const auto cdf = [&](double g) { return boost::math::gamma_p(shape, g); };
    CHECK(ks_statistic(values, cdf) < critical_ks(false_alarm));
    const auto wrong = [&](double g) { return boost::math::gamma_p(shape * 1.1, g); };
    CHECK(ks_statistic(values, wrong) > critical_ks(false_alarm));
  }
}

TEST_CASE("StudentT: degrees of freedom without a variance are refused with a sentence") {
  CHECK(sentence([] { StudentT(2.0); }) ==
        "mno::StudentT: argument 'nu': expected finite degrees of freedom above 2, where the variance is "
        "finite, got 2.");
  CHECK(sentence([] { StudentT(std::nan("")); }) != "no error");
}

TEST_CASE("StudentT: density and CRPS") {
  check_density(StudentT(5), 1e4);
  check_crps(StudentT(5), 400, 1e-5);
  check_crps(StudentT(30), 40, 1e-6);
}

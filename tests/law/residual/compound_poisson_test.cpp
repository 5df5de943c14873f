#include "mno/law/residual/compound_poisson.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/poisson.hpp>

#include "checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("CompoundPoisson: moments") {
  for (const double rate : {2.0, 30.0}) check_moments(CompoundPoisson(rate), 1 + 1 / rate);
}

TEST_CASE("CompoundPoisson: draws have the atom at zero, and follow the cdf elsewhere") {
  for (const double rate : {0.3, 2.0, 25.0}) {
    CAPTURE(rate);
    const CompoundPoisson residual(rate);
    const double n = 40000, atom = residual.atom();
    const std::vector<double> jumps = projections(residual, 8);
    const double zeros = n - double(jumps.size());
    CHECK(std::abs(zeros - n * atom) <= critical_z(false_alarm, 1) * std::sqrt(n * atom * (1 - atom)) + 1);
    const auto given_a_jump = [&](double z) { return (residual.cdf(z) - (z > 0 ? atom : 0)) / (1 - atom); };
    CHECK(ks_statistic(jumps, given_a_jump) < critical_ks(false_alarm));
  }
}

TEST_CASE("CompoundPoisson: cdf and quantile undo each other outside the atom") {
  for (const double rate : {0.01, 0.3, 2.0, 25.0, 1e4}) {
    CAPTURE(rate);
    const CompoundPoisson residual(rate);
    const double below = 0.5 * -std::expm1(-rate);  // P(ζ < 0)
    for (const double share : {1e-9, 1e-3, 0.1, 0.6, 0.999}) {
      const double p = share * below;
      CAPTURE(p);
      const double z = residual.quantile(p);
      CHECK(z < 0);
      CHECK(std::abs(residual.cdf(z) / p - 1) < 1e-10);
      CHECK(std::abs(residual.exceedance(-z) / p - 1) < 1e-10);
      CHECK(residual.quantile(1 - p) == doctest::Approx(-z).epsilon(1e-6));
    }
    CHECK(std::isinf(residual.quantile(0)));
    CHECK(std::isinf(residual.quantile(1)));
  }
}

TEST_CASE("CompoundPoisson: the atom") {
  const CompoundPoisson residual(0.5);
  const double atom = std::exp(-0.5);
  CHECK(residual.atom() == atom);
  CHECK(residual.cdf(0) == doctest::Approx((1 + atom) / 2).epsilon(1e-14));
  CHECK(residual.cdf(-1e-300) == doctest::Approx((1 - atom) / 2).epsilon(1e-14));
  CHECK(residual.exceedance(0) == doctest::Approx((1 - atom) / 2).epsilon(1e-14));
  for (const double p : {0.2, 0.5, 0.8}) CHECK(residual.quantile(p) == 0);
  CHECK(residual.quantile(0.19) < 0);
  CHECK(residual.quantile(0.81) > 0);
}

TEST_CASE("CompoundPoisson: the series against its plain sum, its variance, its Gaussian limit") {
  const CompoundPoisson residual(3);
  double sum = 0, weight = std::exp(-3.0);
  for (int n = 1; n < 80; ++n) {
    weight *= 3.0 / n;
    sum += weight * Gaussian{}.exceedance(1.7 * std::sqrt(3.0 / n));
  }
  CHECK(residual.exceedance(1.7) == doctest::Approx(sum).epsilon(1e-14));
  CHECK(variance_of_cdf(residual, 100) == doctest::Approx(1).epsilon(1e-5));
  CHECK(CompoundPoisson(1e8).cdf(1.3) == doctest::Approx(Gaussian{}.cdf(1.3)).epsilon(1e-7));
}

TEST_CASE("the Poisson sampler passes a chi-square test on both sides of its switch at 10") {
  const auto p_value = [](double drawn_with, double lambda) {
    const boost::math::poisson_distribution<double> poisson(lambda);
    const int count = 50000, low = std::max(0, int(lambda - 3 * std::sqrt(lambda))),
              high = int(lambda + 3 * std::sqrt(lambda)) + 1;
    std::vector<double> seen(static_cast<std::size_t>(high - low + 1));  // both ends collect what lies beyond
    Stream stream(23);
    for (int i = 0; i < count; ++i)
      ++seen[std::size_t(std::clamp(int(detail::draw_poisson(stream, drawn_with)), low, high) - low)];
    double statistic = 0;
    for (int k = low; k <= high; ++k) {
      double p = boost::math::pdf(poisson, k);
      if (k == low) p = boost::math::cdf(poisson, k);
      if (k == high) p = boost::math::cdf(boost::math::complement(poisson, k - 1));
      const double difference = seen[std::size_t(k - low)] - count * p;
      statistic += difference * difference / (count * p);
    }
    return boost::math::cdf(
        boost::math::complement(boost::math::chi_squared_distribution<double>(high - low), statistic));
  };
  for (const double lambda : {0.4, 3.0, 9.99, 10.01, 47.0, 1000.0}) {
    CAPTURE(lambda);
    CHECK(p_value(lambda, lambda) > false_alarm);
    CHECK(p_value(lambda * 1.1, lambda) < false_alarm);
  }
}

TEST_CASE("CompoundPoisson: a rate that is not positive is refused with a sentence") {
  CHECK(sentence([] { CompoundPoisson(0); }) ==
        "mno::CompoundPoisson: argument 'rate': expected a positive finite mean number of jumps, got 0.");
  CHECK(sentence([] { CompoundPoisson{INFINITY}; }) != "no error");
}

TEST_CASE("CompoundPoisson: moments of exponentials and CRPS") {
  for (const double rate : {0.3, 12.0}) {
    check_log_moment(CompoundPoisson(rate), 60);
    check_crps(CompoundPoisson(rate), 40, 1e-5);
  }
}

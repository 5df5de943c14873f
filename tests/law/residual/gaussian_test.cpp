#include "mno/law/residual/gaussian.hpp"

#include <doctest/doctest.h>

#include <boost/math/special_functions/erf.hpp>

#include "checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("Gaussian: moments, marginal, round trip") {
  check_moments(Gaussian{}, 1);
  check_marginal(Gaussian{});
  check_round_trip(Gaussian{});
  CHECK(variance_of_cdf(Gaussian{}, 40) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("Gaussian: the quantile agrees with Boost's erfc_inv over the whole range") {
  double worst = 0;
  const auto compare = [&](double p) {
    const double expected = -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
    worst = std::max(worst, std::abs(Gaussian{}.quantile(p) - expected) / std::max(1e-3, std::abs(expected)));
  };
  for (double p = 1e-4; p < 1; p += 1e-4) compare(p);
  for (double e = -300; e < -4; e += 0.5) compare(std::pow(10, e));
  CHECK(worst < 2e-13);
  CHECK(Gaussian{}.quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-15));
}

namespace {
struct TooWide {
  void draw(Stream& stream, std::span<double> xi) const { detail::draw_scaled(stream, 1.2, xi); }
};
struct Shifted {
  void draw(Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.normal() + 0.05;
  }
};
struct Dependent {  // each coefficient is standard normal, but neighbours have correlation 0.1
  void draw(Stream& stream, std::span<double> xi) const {
    double last = stream.normal();
    for (double& x : xi) {
      x = last;
      last = 0.1 * last + std::sqrt(1 - 0.01) * stream.normal();
    }
  }
};
}  // namespace

TEST_CASE("the statistical tests reject wrong samplers") {
  CHECK(worst_moment_z(TooWide{}, 1, 4, 1) > critical_moment_z(4));
  CHECK(worst_moment_z(Shifted{}, 1, 4, 1) > critical_moment_z(4));
  CHECK(worst_moment_z(Dependent{}, 1, 4, 1) > critical_moment_z(4));
  const auto cdf = [](double z) { return Gaussian{}.cdf(z); };
  CHECK(ks_statistic(projections(TooWide{}, 8), cdf) > critical_ks(false_alarm));
  CHECK(ks_statistic(projections(Shifted{}, 8), cdf) > critical_ks(false_alarm));
}

TEST_CASE("Gaussian: density, moments of exponentials, CRPS") {
  check_density(Gaussian{}, 15);
  check_log_moment(Gaussian{}, 15);
  check_crps(Gaussian{}, 15, 1e-6);
}

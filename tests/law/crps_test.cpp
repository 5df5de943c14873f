// The closed form of the Gaussian CRPS and its derivatives, against differences of it.
#include "mno/law/crps.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace mno;

TEST_CASE("derivatives in mean and deviation") {
  const double h = 1e-5;
  for (const double u : {-2.0, 0.1, 0.4, 3.0})
    for (const double deviation : {0.2, 1.0, 4.0}) {
      const auto at = [&](double m, double s) { return gaussian_crps(m, s, u).value; };
      const CrpsValue crps = gaussian_crps(0.3, deviation, u);
      CHECK(crps.mean_bar == doctest::Approx((at(0.3 + h, deviation) - at(0.3 - h, deviation)) / (2 * h))
                                 .epsilon(1e-7)
                                 .scale(1e-3));
      CHECK(crps.deviation_bar == doctest::Approx((at(0.3, deviation + h) - at(0.3, deviation - h)) / (2 * h))
                                      .epsilon(1e-7)
                                      .scale(1e-3));
    }
}

TEST_CASE("a point mass has the distance, and the limit of the derivatives") {
  for (const double u : {-1.0, 2.5}) {
    const CrpsValue point = gaussian_crps(1, 0, u), narrow = gaussian_crps(1, 1e-9, u);
    CHECK(point.value == std::abs(u - 1));
    CHECK(narrow.value == doctest::Approx(point.value).epsilon(1e-8));
    CHECK(narrow.mean_bar == doctest::Approx(point.mean_bar));
    CHECK(narrow.deviation_bar == doctest::Approx(point.deviation_bar));
  }
}

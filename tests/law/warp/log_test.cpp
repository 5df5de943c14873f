#include "mno/law/warp/log.hpp"

#include "warp_checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("LogWarp: round trip, slope, and what lies below its range") {
  check_warp(LogWarp{});
  CHECK(LogWarp{}.map(0, 0) == 1);
  CHECK(LogWarp{}.inverse(0, 0) == -INFINITY);
  CHECK(LogWarp{}.inverse(-3, 0) == -INFINITY);
  CHECK(std::isnan(LogWarp{}.inverse(NAN, 0)));
}

TEST_CASE("LogWarp: moments of the log-normal") {
  const MeanAndVariance u = LogWarp{}.moments(0.4, 0.5, 0, Gaussian{});
  CHECK(u.mean == doctest::Approx(std::exp(0.525)).epsilon(1e-14));
  CHECK(u.variance == doctest::Approx(std::exp(1.05) * std::expm1(0.25)).epsilon(1e-14));
}

#include "mno/law/warp/asinh.hpp"

#include "warp_checks.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("AsinhWarp: round trip and slope, one scale or one per channel") {
  check_warp(AsinhWarp(2.5));
  const AsinhWarp two({0.1, 7});
  check_warp(two, 0);
  check_warp(two, 1);
  CHECK(two.map(1, 0) == 0.1 * std::sinh(1.0));
  CHECK(two.map(1, 1) == 7 * std::sinh(1.0));
  CHECK(AsinhWarp(2.5).map(1, 3) == 2.5 * std::sinh(1.0));
}

TEST_CASE("AsinhWarp: moments of s sinh(m + sd Z) by hand") {
  // E e^{kZ sd} = e^{k² sd²/2}
  const double m = 0.4, sd = 0.5, s = 3, e = std::exp(sd * sd / 2);
  const MeanAndVariance u = AsinhWarp(s).moments(m, sd, 0, Gaussian{});
  CHECK(u.mean == doctest::Approx(s * std::sinh(m) * e).epsilon(1e-14));
  const double second = s * s * (std::cosh(2 * m) * std::exp(2 * sd * sd) - 1) / 2;
  CHECK(u.variance == doctest::Approx(second - u.mean * u.mean).epsilon(1e-12));
}

TEST_CASE("AsinhWarp: scales that are not positive, or not one per channel, are refused with a sentence") {
  CHECK(sentence([] { AsinhWarp(0.0); }) ==
        "mno::AsinhWarp: argument 'scales': expected positive finite numbers, got 0.");
  CHECK(sentence([] { AsinhWarp(std::vector<double>{}); }) ==
        "mno::AsinhWarp: argument 'scales': expected one scale, or one per channel, got none.");
  CHECK(sentence([] {
          AsinhWarp({1, 2}).require_channels(3);
        }) ==
        "mno::AsinhWarp: argument 'scales': expected one scale, or one for each of 3 channel(s), got 2.");
}

// A likelihood that the mean's error does not enter.
#include "mno/loss/decoupled_nll.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand, and least where v = s2") {
  const auto at = Point{.m = 1, .b = 2, .u = 5, .s2 = 3}(DecoupledNll{});
  CHECK(at.value == doctest::Approx(0.5 * (std::log(4.0) + 0.75)).epsilon(1e-14));
  CHECK(at.mean_bar == 0);
  CHECK(at.factor_bar == doctest::Approx(0.5 * 0.25 / 4 * 4).epsilon(1e-14));
  CHECK(Point{.m = 1, .b = 2, .u = 5, .s2 = 4}(DecoupledNll{}).factor_bar == 0);
}

TEST_CASE("clamped variance") {
  const auto low = Point{.m = 0, .b = 1e-3, .u = 0, .s2 = 0.04}(DecoupledNll{});
  CHECK(low.value == doctest::Approx(0.5 * (std::log(1e-5) + 0.04 / 1e-5)));
  CHECK(low.factor_bar == 0);
}

TEST_CASE("one member has no variance to be likely") {
  const auto said = sentence([] { Point{.m = 0, .b = 1, .u = 0, .count = 1}(DecoupledNll{}); });
  CHECK(said.find("decoupled_nll: argument 'target.counts': expected at least 2 member(s)") != said.npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(DecoupledNll{}); }

// The residual's mean, squared.
#include "mno/loss/centring.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: (2 - 5)^2") {
  const auto at = Point{.m = 2, .b = 1, .u = 5}(Centring{.weight = 0.1});
  CHECK(at.value == doctest::Approx(0.9).epsilon(1e-14));
  CHECK(at.mean_bar == doctest::Approx(-0.6).epsilon(1e-14));
  CHECK(at.factor_bar == 0);
}

TEST_CASE("cotangents by central differences") { check_gradient(Centring{}); }

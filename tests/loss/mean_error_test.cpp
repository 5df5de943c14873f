// The relative error of the mean.
#include "mno/loss/mean_error.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: |2 - 5| / 5") {
  const auto at = Point{.m = 2, .b = 1, .u = 5}(MeanError{});
  CHECK(at.value == doctest::Approx(0.6).epsilon(1e-8));
  CHECK(at.mean_bar == doctest::Approx(-0.2).epsilon(1e-8));
  CHECK(at.factor_bar == 0);
}

TEST_CASE("an exact mean has value and gradient zero") {
  const auto at = Point{.m = 5, .b = 1, .u = 5}(MeanError{});
  CHECK(at.value == 0);
  CHECK(at.mean_bar == 0);
}

TEST_CASE("cotangents by central differences") { check_gradient(MeanError{}); }

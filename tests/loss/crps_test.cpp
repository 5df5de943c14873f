// The Gaussian CRPS over members.
#include "mno/loss/crps.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("is the integral of (F(z) - 1{z >= u})^2") {
  const double m = 0.4, sigma = 1.3, u = 1.1;
  double integral = 0;
  const int steps = 200000;
  const double width = 40.0 / steps;
  for (int i = 0; i < steps; ++i) {  // midpoints; u lies on the edge of a cell
    const double z = u - 20 + (i + 0.5) * width;
    const double f = 0.5 * std::erfc(-(z - m) / (sigma * std::numbers::sqrt2)) - (z >= u ? 1.0 : 0.0);
    integral += f * f * width;
  }
  const auto at = Point{.m = m, .b = sigma, .u = u, .count = 1, .members = {u}}(Crps{});
  CHECK(at.value == doctest::Approx(integral).epsilon(1e-7));
}

TEST_CASE("a law without spread is scored by its distance") {
  const auto at = Point{.m = 1, .b = 0, .u = 3, .count = 1, .members = {3}}(Crps{.floor = 1e-12});
  CHECK(at.value == doctest::Approx(2).epsilon(1e-5));
  CHECK(at.mean_bar == doctest::Approx(-1));
  CHECK(at.factor_bar == 0);
}

TEST_CASE("needs members") {
  const Point none{.m = 0, .b = 1, .u = 0};
  CHECK(sentence([&] { none(Crps{}); }).find("crps: argument 'target.members'") != std::string::npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(Crps{}); }

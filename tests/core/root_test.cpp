// Roots by hand: smooth functions, steep ones, infinite values, a root at an end.
#include "mno/core/root.hpp"

#include <doctest/doctest.h>

#include <cmath>

using mno::detail::root;

TEST_CASE("smooth functions, rising and falling, to rounding") {
  CHECK(root([](double x) { return x * x - 2; }, 0, 2) == doctest::Approx(std::sqrt(2.0)).epsilon(1e-15));
  CHECK(root([](double x) { return std::cos(x) - x; }, 0, 1) ==
        doctest::Approx(0.73908513321516064).epsilon(1e-15));
  CHECK(root([](double x) { return 1e-5 - x; }, 0, 1) == doctest::Approx(1e-5).epsilon(1e-15));
}

TEST_CASE("a root in a far tail, a triple root, values that are infinite") {
  const double tail = root([](double x) { return std::log(0.5 * std::erfc(x)) - std::log(1e-100); }, 0, 100);
  CHECK(0.5 * std::erfc(tail) == doctest::Approx(1e-100).epsilon(1e-12));
  CHECK(std::abs(root([](double x) { return std::pow(x - 3, 3); }, 0, 10) - 3) < 1e-5);
  CHECK(root([](double x) { return std::log(x / 7); }, 0, 1e300) == doctest::Approx(7).epsilon(1e-14));
}

TEST_CASE("a root at an end, and few steps") {
  CHECK(root([](double x) { return x; }, 0, 1) == doctest::Approx(0).scale(1).epsilon(1e-15));
  CHECK(root([](double x) { return x - 1; }, 0, 1) == doctest::Approx(1).epsilon(1e-15));
  int calls = 0;
  root([&](double x) { return ++calls, std::exp(x) - 5; }, 0, 4);
  CHECK(calls <= 12);  // halving alone would take 54
}

// Learning rates at the ends, in the middle and after the end.
#include "mno/train/schedule.hpp"

#include <doctest/doctest.h>

using namespace mno;

TEST_CASE("constant") {
  const auto rate = Schedule::constant(2e-3);
  CHECK(rate(0) == 2e-3);
  CHECK(rate(1000000) == 2e-3);
}

TEST_CASE("cosine: peak, formula, middle, end") {
  const auto rate = Schedule::cosine(2e-3, 100, 0, 2e-4);
  CHECK(rate(0) == 2e-3);
  CHECK(rate(50) == doctest::Approx(1.1e-3).epsilon(1e-14));
  CHECK(rate(25) == doctest::Approx(2e-4 + 0.9e-3 * (1 + std::sqrt(0.5))).epsilon(1e-14));
  CHECK(rate(100) == 2e-4);
  CHECK(rate(101) == 2e-4);
  for (Index step = 0; step < 100; ++step) CHECK(rate(step + 1) < rate(step));
}

TEST_CASE("warm-up is linear, never zero, and followed by either") {
  const auto rate = Schedule::cosine(1, 24, 4);
  for (Index step = 0; step < 4; ++step) CHECK(rate(step) == doctest::Approx(double(step + 1) / 5));
  CHECK(rate(4) == 1);
  CHECK(rate(14) == doctest::Approx(0.5));
  CHECK(rate(24) == 0);
  const auto level = Schedule::constant(3, 2);
  CHECK(level(0) == doctest::Approx(1));
  CHECK(level(1) == doctest::Approx(2));
  CHECK(level(2) == 3);
  CHECK(level(3) == 3);
}

TEST_CASE("a decay needs steps after its warm-up") {
  CHECK_THROWS_WITH_AS(Schedule::cosine(1, 4, 4)(4),
                       "mno::Schedule: argument 'steps': expected more steps than the warm-up has, 4, got 4.",
                       Error);
  CHECK_THROWS_AS(Schedule::constant(1)(-1), Error);
}

// Student's interval by hand, and how often it holds the mean.
#include "mno/metric/interval95.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: five seeds, t = 2.776445") {
  const auto x = metric::interval95(std::vector<double>{1, 2, 3, 4, 5});
  CHECK(x.mean == doctest::Approx(3).epsilon(1e-15));
  CHECK(x.half_width == doctest::Approx(2.7764451052 * std::sqrt(2.5 / 5)).epsilon(1e-10));
  CHECK(x.lower() == x.mean - x.half_width);
  CHECK(x.upper() == x.mean + x.half_width);
}

TEST_CASE("equal values have no width") {
  CHECK(metric::interval95(std::vector<double>{2, 2, 2}).half_width == 0);
}

TEST_CASE("95 of 100 intervals of three seeds hold the mean") {
  Stream stream(1);
  const int repeats = 20000;
  int held = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<double> values(3);
    for (double& v : values) v = 7 + 2 * stream.normal();
    const auto x = metric::interval95(values);
    held += x.lower() <= 7 && 7 <= x.upper();
  }
  CHECK(std::abs(held / double(repeats) - 0.95) < critical * std::sqrt(0.95 * 0.05 / repeats));
}

TEST_CASE("one seed has no interval") {
  CHECK(sentence([] { metric::interval95(std::vector<double>{1}); }) ==
        "mno::metric::interval95: argument 'values': expected at least two seeds, got 1.");
}

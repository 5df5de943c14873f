// Norm and clipping.
#include "mno/train/clip.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <vector>

using namespace mno;

TEST_CASE("norms of every length") {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<float> g(n);
    std::iota(g.begin(), g.end(), 1.0f);
    double sum = 0;
    for (const float x : g) sum += double(x) * double(x);
    CHECK(gradient_norm(std::span<const float>(g)) == doctest::Approx(std::sqrt(sum)).epsilon(1e-14));
  }
}

TEST_CASE("squares beyond float's range") {
  const std::vector<float> g(9, 1e30f);
  CHECK(gradient_norm(std::span<const float>(g)) == doctest::Approx(3e30));
}

TEST_CASE("a long gradient is cut to the largest norm, a short one is left") {
  std::vector<double> g{3, 0, -4};
  CHECK(clip_gradient(std::span<double>(g), 10) == 5);
  CHECK(g == std::vector<double>{3, 0, -4});
  CHECK(clip_gradient(std::span<double>(g), 1) == 5);
  CHECK(g[0] == doctest::Approx(0.6).epsilon(1e-15));
  CHECK(g[2] == doctest::Approx(-0.8).epsilon(1e-15));
}

TEST_CASE("a gradient that is not finite is reported, not hidden") {
  std::vector<float> g{1, std::numeric_limits<float>::quiet_NaN(), 2};
  CHECK(std::isnan(clip_gradient(std::span<float>(g), 1)));
  CHECK(g[0] == 1);
  g[1] = std::numeric_limits<float>::infinity();
  CHECK(std::isinf(clip_gradient(std::span<float>(g), 1)));
  CHECK(g[2] == 2);
  CHECK_THROWS_AS(clip_gradient(std::span<float>(g), 0), Error);
}

// Norm and clipping.
#include "mno/train/clip.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "mno/core/random.hpp"
#include "thread_ranks.hpp"

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

TEST_CASE("ranks that have a slice each clip as one does, bit for bit") {
  for (const std::size_t n :
       {std::size_t(100), 3 * detail::parameter_chunk, 200 * detail::parameter_chunk + 7}) {
    std::vector<float> alone(n);
    Stream random(1);
    for (float& g : alone) g = float(random.normal());
    const std::vector<float> before = alone;
    const double norm = clip_gradient(std::span<float>(alone), 1);
    for (const Index size : {2, 3, 5})
      test::ThreadRanks(size).run([&](Communicator& ranks) {
        std::vector<float> own = before;
        std::vector<double> squares;
        CHECK(detail::clip_slices(std::span(own), 1, ranks, squares) == norm);
        const auto slice = detail::parameter_slices(ranks, n)[std::size_t(ranks.rank())];
        CHECK(std::equal(own.begin() + std::ptrdiff_t(slice.begin), own.begin() + std::ptrdiff_t(slice.end),
                         alone.begin() + std::ptrdiff_t(slice.begin)));
      });
  }
}

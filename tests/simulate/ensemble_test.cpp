// Statistics taken while members are drawn are those of the members.
#include "mno/simulate/ensemble.hpp"

#include <doctest/doctest.h>

#include "mno/simulate/heat.hpp"

using namespace mno;

TEST_CASE("an ensemble from a simulator has the moments, times and origins of the collected members") {
  const spde::Heat heat{.points = 16};
  const Sampling sampling{.samples = 3, .members = 10, .seed = 5, .first_sample = 7, .times = {0.1, 0.4}};
  const auto all = collect<float>(heat, sampling);
  const auto data = simulate_ensemble<float>(heat, sampling, {.factors = 2, .members = true});
  REQUIRE(data.size() == 6);
  CHECK(data.origins == std::vector<Index>{0, 0, 1, 1, 2, 2});
  CHECK(std::ranges::equal(data.members.span(), all.members.span()));
  CHECK(std::ranges::equal(data.initial.span(), all.initial.span()));
  for (Index e = 0; e < 6; ++e) {
    CHECK(data.times[std::size_t(e)] == float(e % 2 == 0 ? 0.1 : 0.4));
    CHECK(data.counts[std::size_t(e)] == 10);
    for (Index x = 0; x < 16; ++x) {
      double mean = 0, square = 0;
      for (Index m = 0; m < 10; ++m) mean += double(all.of(e)(m, x, 0)) / 10;
      for (Index m = 0; m < 10; ++m) square += std::pow(double(all.of(e)(m, x, 0)) - mean, 2) / 9;
      CHECK(data.mean(e, x, 0) == doctest::Approx(mean).scale(0).epsilon(1e-5));
      CHECK(data.variance(e, x, 0) == doctest::Approx(square).scale(0).epsilon(1e-4));
    }
  }
  Cpu two(2);
  const auto again = simulate_ensemble<float>(heat, sampling, {}, two);
  CHECK(std::ranges::equal(again.mean.span(), data.mean.span()));
}

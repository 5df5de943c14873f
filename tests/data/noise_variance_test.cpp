// The size of the noise: from ensembles what they show, from single draws a bound.
#include "mno/data/noise_variance.hpp"

#include <doctest/doctest.h>

#include "mno/core/random.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// u = (u_0 + shift(x)) · left + noise · ξ, with u_0 and ξ standard normal at every point.
Ensemble<double, 1> noisy(Index conditions, Index members, double left, double noise, std::uint64_t seed) {
  const Grid<1> grid{{4}};
  const std::vector<Index> counts(std::size_t(conditions), members);
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), grid, 1);
  Stream random(seed);
  for (Index i = 0; i < conditions; ++i) {
    Field<double, 1> initial(1, grid, 1), drawn(members, grid, 1);
    for (double& u : initial.span()) u = random.normal();
    for (Index m = 0; m < members; ++m)
      for (Index p = 0; p < 4; ++p)
        drawn(m, p, 0) = left * (initial(0, p, 0) + 10 * double(p)) + noise * random.normal();
    set_condition<double, 1>(data, i, std::as_const(initial).view(), 1.0, i, std::as_const(drawn).view());
  }
  return data;
}

}  // namespace

TEST_CASE("the mean variance is that of all points, channels and conditions with several members") {
  const std::vector<Index> counts{2, 1, 5};
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), Grid<1>{{2}}, 2);
  for (std::size_t i = 0; i < 12; ++i) data.variance.data()[i] = double(i * i);
  CHECK(mean_variance(data) == doctest::Approx((0 + 1 + 4 + 9 + 64 + 81 + 100 + 121) / 8.0));
  CHECK(noise_variance(data) == mean_variance(data));
}

TEST_CASE("single draws have no variance, and a sentence says what there is instead") {
  const auto data = noisy(10, 1, 1, 1, 1);
  CHECK_THROWS_WITH_AS(mean_variance(data),
                       "mno::mean_variance: argument 'data': expected a condition with several members; "
                       "noise_variance(data) bounds that of single draws, got single draws.",
                       Error);
  CHECK(noise_variance(data) == climatological_variance(data));
  CHECK_THROWS_AS(climatological_variance(noisy(1, 1, 1, 1, 1)), Error);
}

// Each estimate is a mean of 8000 squares, with a relative error of √(2/8000) = 1.6 %: 8 % is five of these.
TEST_CASE("what is left of u_0 is not taken for noise") {
  for (const double left : {0.0, 1.0, -0.5})
    CHECK(climatological_variance(noisy(2000, 1, left, 0.3, 3)) == doctest::Approx(0.09).epsilon(0.08));
}

// Of 2000 squares, with a relative error of 3.2 %: 20 % is six of these.
TEST_CASE("the bound is not below the noise, nor above the variance of all") {
  CHECK(for_any("any noise", [] {
    const double noise = any_in(1, 20) / 10.0;
    const auto data = noisy(500, 1, any_in(-20, 20) / 10.0, noise, any_in<std::uint64_t>(1, 1000000));
    HOLDS(climatological_variance(data) > 0.8 * noise * noise);
    double total = 0;
    for (Index p = 0; p < 4; ++p) {
      double mean = 0;
      for (Index i = 0; i < 500; ++i) mean += data.mean(i, p, 0) / 500;
      for (Index i = 0; i < 500; ++i) total += std::pow(data.mean(i, p, 0) - mean, 2) / (4 * 499);
    }
    HOLDS(climatological_variance(data) <= total * (1 + 1e-12));
  }));
}

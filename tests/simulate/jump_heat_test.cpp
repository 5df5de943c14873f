#include "mno/simulate/jump_heat.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// |z| of the mean of values that should be 0.
double z_of(const std::vector<double>& values) {
  double sum = 0, square = 0;
  for (const double x : values) {
    sum += x;
    square += x * x;
  }
  return std::abs(sum) / std::sqrt(square);
}
}  // namespace

TEST_CASE("mean and covariance are the heat equation's, at every query time and across times") {
  const JumpHeat jumps{.nu = 0.01, .rate = 6, .points = 4, .noise = ModalNoise::with_mean(3)};
  constexpr Index members = 40000;
  const std::vector<double> times{0.1, 0.5};
  const auto all = collect<double>(jumps, {.samples = 1, .members = members, .seed = 6, .times = times});
  for (Index q = 0; q < 2; ++q) {
    const ExactLaw law = exact_law(jumps.heat(), 6, 0, times[std::size_t(q)]);
    const Eigen::MatrixXd gamma = law.factor.transpose() * law.factor;
    for (Index p = 0; p < 4; ++p)
      for (Index o = 0; o <= 4; ++o) {  // o = 4: the mean
        std::vector<double> values;
        for (Index m = 0; m < members; ++m) {
          const double e = all.of(q)(m, p, 0) - law.mean(0, p, 0);
          values.push_back(o < 4 ? e * (all.of(q)(m, o, 0) - law.mean(0, o, 0)) - gamma(p, o) : e);
        }
        CHECK(z_of(values) < statistics::normal_bound(40));
      }
  }
}

TEST_CASE("the fourth cumulant is that of the jumps") {
  // one point and q_0 alone: u − u_0 = σ(√b W + √((1−b)/λ) Σ η_j), κ₄ = 3 σ⁴ (1−b)² t/λ, κ₂ = σ² t
  const JumpHeat jumps{
      .nu = 0, .sigma = 0.7, .rate = 3, .brownian = 0.2, .time = 1.5, .points = 1, .noise = {{1.}}};
  constexpr Index members = 200000;
  const auto all = collect<double>(jumps, {.samples = 1, .members = members, .seed = 2});
  const double two = 0.49 * 1.5, four = 3 * std::pow(0.7, 4) * 0.64 * 1.5 / 3;
  std::vector<double> values;
  for (Index m = 0; m < members; ++m)
    values.push_back(std::pow(all.of(0)(m, 0, 0) - all.initial(0, 0, 0), 4) - 3 * two * two - four);
  CHECK(z_of(values) < statistics::normal_bound(1));
  CHECK(four / (two * two) > 0.4);  // far from normal
}

TEST_CASE("the law of an entry is the mixture over the jumps, at every point") {
  const JumpHeat jumps{.nu = 0.01, .rate = 2, .points = 6, .noise = ModalNoise::with_mean(3)};
  constexpr Index members = 20000;
  const auto all = collect<double>(jumps, {.samples = 1, .members = members, .seed = 6});
  const ExactLaw law = exact_law(jumps.heat(), 6, 0, jumps.time);
  const ScaleMixture mixture = jumps.marginal(jumps.time), other = JumpHeat{.rate = 8}.marginal(0.5);
  for (const Index p : {0, 4}) {
    std::vector<double> z;
    for (Index m = 0; m < members; ++m)
      z.push_back((all.of(0)(m, p, 0) - law.mean(0, p, 0)) / std::sqrt(law.variance(0, p, 0)));
    std::ranges::sort(z);
    const auto distance = [&](const ScaleMixture& truth) {
      double worst = 0;
      for (std::size_t i = 0; i < z.size(); ++i)
        worst = std::max(worst, std::abs(truth.cdf(z[i]) - (double(i) + 0.5) / double(members)));
      return worst * std::sqrt(double(members));
    };
    CHECK(distance(mixture) < 2.7);  // Kolmogorov: 1e-6
    CHECK(distance(other) > 2.7);
  }
}

TEST_CASE("a path has its jumps whatever times are asked for, and pieces of a sequence are the same") {
  const JumpHeat jumps{.rate = 5, .brownian = 0, .points = 8};
  Stream one(3), two(3);
  const auto early = jumps.shocks(one, 1), late = jumps.shocks(two, 4);
  REQUIRE(late.size() > early.size());
  for (std::size_t i = 0; i < early.size(); ++i) CHECK(early[i] == late[i]);
  const auto all = collect<float>(jumps, {.samples = 3, .members = 40, .seed = 9});
  const auto piece = collect<float>(jumps, {.samples = 1, .members = 5, .seed = 9, .first_sample = 2});
  for (Index m = 0; m < 5; ++m)
    for (Index p = 0; p < 8; ++p) CHECK(piece.of(0)(m, p, 0) == all.of(2)(m, p, 0));
  // without Brownian noise and before the first jump nothing but the mean happens
  Index quiet = 0;
  const auto soon = collect<double>(jumps, {.samples = 1, .members = 500, .seed = 9, .times = {0.1}});
  const ExactLaw law = exact_law(jumps.heat(), 9, 0, 0.1);
  for (Index m = 0; m < 500; ++m) quiet += std::abs(soon.of(0)(m, 3, 0) - law.mean(0, 3, 0)) < 1e-12 ? 1 : 0;
  CHECK(std::abs(double(quiet) / 500 - std::exp(-0.5)) < statistics::normal_bound(1) * 0.022);
}

TEST_CASE("numbers that make no sense are refused") {
  CHECK_THROWS_WITH_AS(JumpHeat{.rate = 0}.check(), doctest::Contains("rate"), Error);
  CHECK_THROWS_WITH_AS(JumpHeat{.brownian = 1.1}.check(), doctest::Contains("brownian"), Error);
}

#include "mno/simulate/heavy_heat.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

TEST_CASE("at every point and time the law is Student's, with the heat equation's moments") {
  const HeavyHeat heavy{.nu = 0.01, .freedom = 5, .points = 6, .noise = ModalNoise::with_mean(3)};
  constexpr Index members = 20000;
  const std::vector<double> times{0.1, 0.5};
  const auto all = collect<double>(heavy, {.samples = 1, .members = members, .seed = 6, .times = times});
  const StudentT student = heavy.marginal(0.5), other(12);
  for (Index q = 0; q < 2; ++q) {
    const ExactLaw law = exact_law(heavy, 6, 0, times[std::size_t(q)]);
    for (const Index p : {0, 4}) {
      std::vector<double> z;
      for (Index m = 0; m < members; ++m)
        z.push_back((all.of(q)(m, p, 0) - law.mean(0, p, 0)) / std::sqrt(law.variance(0, p, 0)));
      std::sort(z.begin(), z.end());
      const auto distance = [&](const StudentT& truth) {
        double worst = 0;
        for (std::size_t i = 0; i < z.size(); ++i)
          worst = std::max(worst, std::abs(truth.cdf(z[i]) - (double(i) + 0.5) / double(members)));
        return worst * std::sqrt(double(members));
      };
      CHECK(distance(student) < 2.7);  // Kolmogorov: 1e-6
      CHECK(distance(other) > 2.7);
    }
  }
}

TEST_CASE("the strength of a realisation is the same at all its times and places") {
  // increments over two intervals: their squares are correlated, since both have the factor S
  const HeavyHeat heavy{.nu = 0, .sigma = 1, .freedom = 9, .points = 1, .noise = {{1.}}};
  constexpr Index members = 20000;
  const auto all = collect<double>(heavy, {.samples = 1, .members = members, .times = {0.5, 1}});
  double xy = 0, xx = 0, mean = 0;
  std::vector<double> a, b;
  for (Index m = 0; m < members; ++m) {
    a.push_back(std::pow(all.of(0)(m, 0, 0) - all.initial(0, 0, 0), 2));
    b.push_back(std::pow(all.of(1)(m, 0, 0) - all.of(0)(m, 0, 0), 2));
    mean += (a.back() + b.back()) / (2 * members);
  }
  for (Index m = 0; m < members; ++m) {
    xy += (a[std::size_t(m)] - mean) * (b[std::size_t(m)] - mean);
    xx += std::pow(a[std::size_t(m)] - mean, 2);
  }
  // E S² = (ν−2)/(ν−4) = 7/5: correlation (7/5 − 1)/(3·7/5 − 1) = 1/8
  CHECK(xy / xx == doctest::Approx(0.125).scale(0).epsilon(0.4));
}

#include "mno/law/normal_mixture.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mno;
using namespace mno::detail;

TEST_CASE("E|N(μ, σ²)| at its known values") {
  CHECK(mean_distance(0, 2) == doctest::Approx(2 * std::sqrt(2 / std::numbers::pi)));
  CHECK(mean_distance(-3, 0) == 3);
  CHECK(mean_distance(50, 1) == doctest::Approx(50));
}

TEST_CASE("cdf, exceedance and quantile of points and normals together") {
  const std::vector<NormalPart> parts{{0.25, -1, 0}, {0.75, 2, 0.5}};
  CHECK(mixture_cdf(parts, -1.001) < 1e-8);
  CHECK(mixture_cdf(parts, -1) == doctest::Approx(0.25));
  CHECK(mixture_cdf(parts, 2) + mixture_exceedance(parts, 2) == doctest::Approx(1));
  CHECK(mixture_quantile(parts, 0.1) == doctest::Approx(-1));
  CHECK(mixture_cdf(parts, mixture_quantile(parts, 0.6)) == doctest::Approx(0.6));
  CHECK(std::isinf(mixture_quantile(parts, 0)));
}

TEST_CASE("the CRPS of a point is a distance, and does not change if a part is split in two") {
  const std::vector<NormalPart> point{{1, 3, 0}};
  CHECK(mixture_crps(point, 1) == doctest::Approx(2));
  const std::vector<NormalPart> one{{0.4, 0, 1}, {0.6, 1, 2}}, two{{0.1, 0, 1}, {0.3, 0, 1}, {0.6, 1, 2}};
  CHECK(mixture_crps(one, 0.3) == doctest::Approx(mixture_crps(two, 0.3)).epsilon(1e-13));
}

TEST_CASE("logarithms of sums that no number holds") {
  CHECK(log_sum_exp(std::vector<double>{-1000, -1000}) == doctest::Approx(-1000 + std::log(2)));
  CHECK(std::isinf(log_sum_exp(std::vector<double>{-INFINITY, -INFINITY})));
}

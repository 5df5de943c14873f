// The relative distance of variances.
#include "mno/loss/variance_consistency.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: |4 - 3| / 3") {
  const auto at = Point{.m = 1, .b = 2, .u = 5, .s2 = 3}(VarianceConsistency{.weight = 1});
  CHECK(at.value == doctest::Approx(1.0 / 3).epsilon(1e-11));
  CHECK(at.mean_bar == 0);
  CHECK(at.factor_bar == doctest::Approx(4.0 / 3).epsilon(1e-11));
}

TEST_CASE("equal variances, even both zero, have value and gradient zero") {
  for (const double b : {0.0, 2.0}) {
    const auto at = Point{.m = 0, .b = b, .u = 0, .s2 = b * b}(VarianceConsistency{});
    CHECK(at.value == 0);
    CHECK(at.factor_bar == 0);
  }
}

TEST_CASE("a sample's term does not depend on the others, and doubling both variances changes nothing") {
  const Grid<1> grid{{6}};
  RandomEnsemble<double, 1> ensemble(3, grid, 1, 5, 3);
  Block<double, 1> block(0, 3, grid, 1, 2, 4);
  const VarianceConsistency term{.weight = 1};
  const double together = term(block.law(), ensemble.target(), 1);
  double apart = 0;
  for (Index s = 0; s < 3; ++s) {
    const auto law = block.law();
    apart += term(LawBlock<double, 1>{s, law.mean.samples(s, 1), law.factor.samples(s, 1),
                                      law.mean_bar.samples(s, 1), law.factor_bar.samples(s, 1)},
                  ensemble.target(), 1);
  }
  CHECK(together == doctest::Approx(apart).epsilon(1e-14));
  for (double& v : ensemble.variance.span()) v *= 2;
  for (double& b : block.values.span()) b *= std::sqrt(2.0);
  CHECK(term(block.law(), ensemble.target(), 1) == doctest::Approx(together).epsilon(1e-11));
}

TEST_CASE("needs several members") {
  const auto said = sentence([] { Point{.m = 0, .b = 1, .u = 0, .count = 1}(VarianceConsistency{}); });
  CHECK(said.find("at least 2 member(s)") != said.npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(VarianceConsistency{}); }

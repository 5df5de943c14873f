// The mean square of the factor.
#include "mno/loss/factor_regularisation.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand, and of the whole factor") {
  const auto at = Point{.m = 2, .b = 3, .u = 5}(FactorRegularisation{.weight = 0.5});
  CHECK(at.value == doctest::Approx(4.5));
  CHECK(at.mean_bar == 0);
  CHECK(at.factor_bar == doctest::Approx(3));
  // A constant factor of any rank, grid and channel count has its own square as mean; a nugget counts as one
  // rank more.
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    for (double& b : block.values.span()) b = -2;
    CHECK(FactorRegularisation{.weight = 1}(block.law(), target, 1) ==
          doctest::Approx(4.0 * double(block.values.batch()) *
                          (block.nugget ? 1 + double(block.channels) / double(block.factors) : 1)));
  });
}

TEST_CASE("needs a factor") {
  const Grid<1> grid{{4}};
  const RandomEnsemble<double, 1> ensemble(1, grid, 1, 3, 1);
  Field<double, 1> mean(1, grid, 1), bar(1, grid, 1);
  const LawBlock<double, 1> law{0, mean.view(), {}, bar.view(), {}};
  CHECK(sentence([&] {
          FactorRegularisation{}(law, ensemble.target(), 1);
        }).find("a field without a factor") != std::string::npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(FactorRegularisation{}); }

// The squared error against every member.
#include "mno/loss/mean_squared_error.hpp"

#include "mno/loss/centring.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("is the mean over members, with the gradient of centring") {
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    const auto law = block.law();
    const Index count = target.count(0), points = law.mean.points(), channels = law.mean.channels;
    double expected = 0;
    for (Index b = 0; b < law.mean.batch; ++b)
      for (Index j = 0; j < count; ++j)
        for (Index x = 0; x < points; ++x)
          for (Index c = 0; c < channels; ++c)
            expected += std::pow(target.members((law.first + b) * count + j, x, c) - law.mean(b, x, c), 2);
    expected /= double(count * points * channels);
    CHECK(MeanSquaredError{}(law, target, 1) == doctest::Approx(expected).epsilon(1e-13));
    Centring{.weight = -1}(law, target, 1);
    for (const double bar : block.bars.span()) CHECK(bar == 0);
  });
}

TEST_CASE("a single member needs no variance, several do") {
  CHECK(Point{.m = 2, .b = 1, .u = 5, .s2 = 7, .count = 1}(MeanSquaredError{}).value == 9);
  const Grid<1> grid{{4}};
  const RandomEnsemble<double, 1> ensemble(1, grid, 1, 3, 1);
  Block<double, 1> block(0, 1, grid, 1, 1, 2);
  Target<double, 1> target = ensemble.target();
  target.variance = {};
  CHECK(sentence([&] { MeanSquaredError{}(block.law(), target, 1); }).find("target.variance") !=
        std::string::npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(MeanSquaredError{}); }

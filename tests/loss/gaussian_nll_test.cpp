// The Gaussian likelihood from statistics, its clamp and its cotangents.
#include "mno/loss/gaussian_nll.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: m = 1, v = 4, mean 2, s2 = 3 of four members") {
  const auto at = Point{.m = 1, .b = 2, .u = 2, .s2 = 3}(GaussianNll{});
  const double q = 3.0 * 3 / 4 + 1;
  CHECK(at.value == doctest::Approx(0.5 * (std::log(4.0) + q / 4)).epsilon(1e-14));
  CHECK(at.mean_bar == doctest::Approx(-1.0 / 4).epsilon(1e-14));
  CHECK(at.factor_bar == doctest::Approx(0.5 * (1 - q / 4) / 4 * 2 * 2).epsilon(1e-14));
}

TEST_CASE("weight and scale multiply value and cotangents") {
  const Point point{.m = 1, .b = 2, .u = 2, .s2 = 3};
  const auto one = point(GaussianNll{}), six = point(GaussianNll{.weight = 3}, 2);
  CHECK(six.value == doctest::Approx(6 * one.value));
  CHECK(six.mean_bar == doctest::Approx(6 * one.mean_bar));
  CHECK(six.factor_bar == doctest::Approx(6 * one.factor_bar));
}

TEST_CASE("where the variance is clamped its value is the bound and the factor gets no gradient") {
  const auto low = Point{.m = 0, .b = 1e-3, .u = 0.01, .s2 = 0.04}(GaussianNll{});
  CHECK(low.value == doctest::Approx(0.5 * (std::log(1e-5) + (0.03 + 1e-4) / 1e-5)));
  CHECK(low.factor_bar == 0);
  CHECK(low.mean_bar == doctest::Approx(-0.01 / 1e-5));
  const auto high = Point{.m = 0, .b = 11, .u = 1, .s2 = 0}(GaussianNll{});
  CHECK(high.value == doctest::Approx(0.5 * (std::log(1e2) + 1e-2)));
  CHECK(high.factor_bar == 0);
  // At the bound itself the derivative passes, as in torch.clamp.
  CHECK(Point{.m = 0, .b = 2, .u = 1, .s2 = 0}(GaussianNll{.ceiling = 4}).factor_bar != 0);
}

TEST_CASE("a single member needs no variance") {
  const auto at = Point{.m = 1, .b = 2, .u = 3, .s2 = 1e9, .count = 1}(GaussianNll{});
  CHECK(at.value == doctest::Approx(0.5 * (std::log(4.0) + 1)));
}

TEST_CASE("value and cotangents from statistics are those of the mean over members") {
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    const double from_statistics = GaussianNll{}(block.law(), target, 0.5);
    const std::vector<double> bars(block.bars.span().begin(), block.bars.span().end());
    std::fill_n(block.bars.data(), block.bars.size(), 0.0);
    // Every member as an ensemble of its own.
    double from_members = 0;
    const Index count = target.count(0), one = 1;
    Field<double, D> member(target.samples(), target.mean.grid, target.mean.channels);
    for (Index j = 0; j < count; ++j) {
      for (Index s = 0; s < member.batch(); ++s)
        for (Index x = 0; x < member.points(); ++x)
          for (Index c = 0; c < member.channels(); ++c) member(s, x, c) = target.members(s * count + j, x, c);
      const Target<double, D> single{.mean = member.view(), .counts = {&one, 1}};
      from_members += GaussianNll{}(block.law(), single, 0.5 / double(count));
    }
    CHECK(from_statistics == doctest::Approx(from_members).epsilon(1e-13));
    double error = 0, size = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      error = std::max(error, std::abs(bars[i] - block.bars.data()[i]));
      size = std::max(size, std::abs(bars[i]));
    }
    CHECK(error <= 1e-13 * size);
    std::fill_n(block.bars.data(), block.bars.size(), 0.0);
  });
}

TEST_CASE("cotangents by central differences") { check_gradient(GaussianNll{}); }

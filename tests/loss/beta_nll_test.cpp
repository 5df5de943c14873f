// The likelihood with weights v^β that are held fixed in the derivative.
#include "mno/loss/beta_nll.hpp"

#include "mno/loss/gaussian_nll.hpp"
#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("beta = 0 is the likelihood; beta = 1 gives the mean the gradient of half the squared error") {
  const Point point{.m = 1, .b = 1.7, .u = 2, .s2 = 3};
  const auto zero = point(BetaNll{.beta = 0}), plain = point(GaussianNll{});
  CHECK(zero.value == doctest::Approx(plain.value).epsilon(1e-14));
  CHECK(zero.mean_bar == doctest::Approx(plain.mean_bar).epsilon(1e-14));
  CHECK(zero.factor_bar == doctest::Approx(plain.factor_bar).epsilon(1e-14));
  CHECK(point(BetaNll{.beta = 1}).mean_bar == doctest::Approx(-1).epsilon(1e-14));
}

TEST_CASE("cotangents by central differences with the weights held fixed") {
  double worst = 0, without = 1;
  for_each_case([&]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    const Block<double, D> fixed = block;
    const BetaNll term{.beta = 0.7};
    // Written out entry by entry, the weights taken from the law as it was.
    const auto value = [&](const LawBlock<double, D>& law, const Target<double, D>& t, double scale) {
      Block<double, D> before = fixed;
      double sum = 0;
      const Index points = law.mean.points(), channels = law.mean.channels;
      for (Index b = 0; b < law.mean.batch; ++b)
        for (Index x = 0; x < points; ++x)
          for (Index c = 0; c < channels; ++c) {
            double v = 0, v0 = 0, nll = 0;
            for (Index k = 0; k < law.factor.channels / channels; ++k) {
              v += std::pow(law.factor(b, x, k * channels + c), 2);
              v0 += std::pow(before.factor(b, x, k, c), 2);
            }
            if (law.nugget) {
              v += std::pow(law.nugget(b, x, c), 2);
              v0 += std::pow(before.eta(b, x, c), 2);
            }
            v = std::clamp(v, 1e-5, 1e2);
            const Index count = t.count(law.first + b);
            for (Index j = 0; j < count; ++j)
              nll +=
                  0.5 * (std::log(v) +
                         std::pow(t.members((law.first + b) * count + j, x, c) - law.mean(b, x, c), 2) / v);
            sum += std::pow(std::clamp(v0, 1e-5, 1e2), 0.7) * nll / double(count);
          }
      return scale * sum / double(points * channels);
    };
    CHECK(value(block.law(), target, 1) == doctest::Approx(term(block.law(), target, 1)).epsilon(1e-12));
    worst = std::max(worst, gradient_error(term, target, block, value));
    without = std::min(without, gradient_error(term, target, block));
  });
  MESSAGE("beta_nll: largest relative gradient error ", worst);
  CHECK(worst <= 1e-6);
  CHECK(without > 1e-3);  // the weights are not differentiated
}

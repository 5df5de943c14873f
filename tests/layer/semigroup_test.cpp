// What solvers are made of. A semigroup of learned rates: waves decay and turn, steps add up, gradients.
#include "mno/layer/semigroup.hpp"

#include <numbers>

#include "gradients.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/layer/constant.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("a wave of frequency k decays by e^{−λt} and turns by ωt; others are left out") {
  constexpr Index n = 16;
  Probe<Semigroup<1, 1, 4, 1>, 1, double, Device> flow(Grid<1>{{n}}, 1, 1, 3);
  const double t = flow.times[0] = 0.7;
  for (Index k = 0; k < 6; ++k) {
    const auto at = [&](double x) { return std::cos(2 * std::numbers::pi * double(k) * x); };
    for (Index p = 0; p < n; ++p) flow.x(0, p, 0) = at(double(p) / n);
    const auto y = flow.forward();
    const double rate = k < 4 ? std::log1p(std::exp(flow.w[std::size_t(k)])) : 0;
    const double moved =
        k > 0 && k < 4 ? flow.w[std::size_t(4 + k)] * t / (2 * std::numbers::pi * double(k)) : 0;
    for (Index p = 0; p < n; ++p) {
      const double expected = k < 4 ? std::exp(-rate * t) * at(double(p) / n - moved) : 0;
      CHECK(std::abs(y(0, p, 0) - expected) < 1e-12);
    }
  }
}

TEST_CASE("three steps to t are one step to t") {
  Probe<Tied<3, Semigroup<2, 2, 3, 3>>, 2, double, Device> three(Grid<2>{{7, 9}}, 2, 1, 3);
  Probe<Semigroup<2, 2, 3, 1>, 2, double, Device> one(Grid<2>{{7, 9}}, 2, 1, 3);
  const auto a = three.forward(), b = one.forward();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a.data()[i] - b.data()[i]) < 1e-12);
}

TEST_CASE("against the oracle") {
  check_vjp<Semigroup<2, 1, 3, 2>>(lines[0]);
  check_vjp<Semigroup<3, 1, 4, 5>>(lines[6]);
  check_vjp<Semigroup<2, 2, 3, 2>>(planes[2]);
}

namespace {
struct Third {
  static constexpr double value = 1.0 / 3;
};
}  // namespace

TEST_CASE("a constant is the same everywhere, and nothing goes back") {
  Probe<Constant<2, 3, Third>, 1, double, Device> layer(Grid<1>{{5}}, 2, 1, 1);
  const auto y = layer.forward();
  for (const double value : y.span()) CHECK(value == 1.0 / 3);
  check_vjp<Constant<2, 2, Third>>(lines[0]);
}

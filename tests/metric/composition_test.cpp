// The Chapman–Kolmogorov defect of laws that compose, and of laws that do not.
#include "mno/metric/composition.hpp"

#include <doctest/doctest.h>

#include "mno/metric/hurst.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
/// u_t = e^{−t} u_0 + noise of variance v(t) at every point, in one direction.
struct Process {
  double (*variance)(double);
  double decay = 0;
  Law<double, 1> predict(const Condition<double, 1>& condition) const {
    const auto& u = condition.initial;
    Law<double, 1> law(Field<double, 1>(u.batch, u.grid, 1), Field<double, 1>(u.batch, u.grid, 1));
    for (Index b = 0; b < u.batch; ++b)
      for (Index p = 0; p < u.points(); ++p) {
        law.mean(b, p, 0) = std::exp(-decay * condition.times[0]) * u(b, p, 0);
        law.factor(b, p, 0) = std::sqrt(variance(condition.times[0]));
      }
    return law;
  }
};
metric::Composition defect(const Process& process, Index draws) {
  Field<double, 1> initial(3, Grid<1>{{4}}, 1);
  fill_normal(initial, 5);
  const std::vector<double> two{0.3, 0.7}, one{1.0};
  const auto composed = metric::rollout<double, 1>(process, initial, two, draws, 1).back(),
             at_once = metric::rollout<double, 1>(process, initial, one, draws, 2).back();
  metric::Composition result;
  for (Index s = 0; s < 3; ++s)
    result.add(metric::members(std::as_const(at_once).view().samples(s * draws, draws)),
               metric::members(std::as_const(composed).view().samples(s * draws, draws)));
  return result;
}
}  // namespace

TEST_CASE("an Ornstein–Uhlenbeck process composes: no defect") {
  const auto of = defect({[](double t) { return (1 - std::exp(-2 * t)) / 2; }, 1}, 1500);
  CHECK(std::abs(of.energy()) < 0.01);  // five standard deviations of the estimate
  CHECK(std::abs(of.shift()) < 0.02);
  CHECK(of.spread() == doctest::Approx(1).epsilon(0.15));
}

TEST_CASE("rough marginals do not: through s the variance is s^2H + t^2H, and the defect says so") {
  const auto of = defect({[](double t) { return std::pow(t, 0.2); }}, 1500);
  CHECK(of.spread() == doctest::Approx(std::pow(0.3, 0.2) + std::pow(0.7, 0.2)).scale(0).epsilon(0.15));
  // E|N(0, v)| = √(2v/π): (2√(1+v) − √2 − √(2v))/√2 with v = 1.717
  CHECK(of.energy() == doctest::Approx(0.0197).scale(0).epsilon(0.5));
  CHECK(std::abs(of.shift()) < 0.02);
}

TEST_CASE("another mean is a shift") {
  struct Growing : Process {
    Law<double, 1> predict(const Condition<double, 1>& condition) const {
      auto law = Process::predict(condition);
      for (double& m : law.mean.span()) m += condition.times[0] * condition.times[0];  // 0.09 + 0.49 for 1
      return law;
    }
  };
  Growing process{{[](double t) { return t; }}};
  Field<double, 1> initial(1, Grid<1>{{4}}, 1);
  const std::vector<double> two{0.3, 0.7}, one{1.0};
  const auto composed = metric::rollout<double, 1>(process, initial, two, 2000, 1).back(),
             at_once = metric::rollout<double, 1>(process, initial, one, 2000, 2).back();
  metric::Composition of;
  of.add(metric::members(std::as_const(at_once).view()), metric::members(std::as_const(composed).view()));
  CHECK(of.shift() == doctest::Approx(0.42 * 0.42).scale(0).epsilon(0.25));
}

TEST_CASE("reused step by step, rough marginals become Brownian: the mirror") {
  const Process process{[](double t) { return std::pow(t, 0.2); }};
  const std::vector<double> steps(32, 1.0 / 32);
  const auto paths = metric::rollout<double, 1>(process, Field<double, 1>(1, Grid<1>{{1}}, 1), steps, 500, 3);
  metric::Hurst hurst;
  for (Index j = 0; j < 500; ++j) {
    std::vector<double> path{0};
    for (const auto& field : paths) path.push_back(field(j, 0, 0));
    hurst.add(std::span<const double>(path));
  }
  CHECK(hurst.value() == doctest::Approx(0.5).epsilon(0.04));  // and not 0.1
}

TEST_CASE("one draw has no spread, and is refused") {
  metric::Composition of;
  CHECK_THROWS_AS(of.add(metric::Members::Zero(3, 1), metric::Members::Zero(3, 4)), Error);
  CHECK_THROWS_AS(of.add(metric::Members::Zero(3, 2), metric::Members::Zero(4, 2)), Error);
}

TEST_CASE("the frames that a rollout remembers are the ones it drew") {
  struct Sum {  // u_{n+1} = u_n + u_{n−1} + 10 u_{n−2}, without noise
    Law<double, 1> predict(const Condition<double, 1>& c) const {
      Law<double, 1> law(Field<double, 1>(c.initial.batch, c.initial.grid, 1),
                         Field<double, 1>(c.initial.batch, c.initial.grid, 1));
      for (Index i = 0; i < c.initial.batch; ++i)
        for (Index p = 0; p < c.initial.points(); ++p)
          law.mean(i, p, 0) = c.initial(i, p, 0) + c.known(i, p, 0) + 10 * c.known(i, p, 1);
      return law;
    }
  };
  Field<double, 1> now(2, Grid<1>{{3}}, 1), past(2, Grid<1>{{3}}, 2);
  now.fill([](Index i, std::array<double, 1>, Index) { return double(i + 1); });
  past.fill([](Index i, std::array<double, 1>, Index k) { return double(i + 1) * (k == 0 ? 2 : 3); });
  const std::vector<double> steps(3, 1.0);
  const auto paths = metric::rollout<double, 1>(Sum{}, now, steps, 2, 1, past);
  for (Index j = 0; j < 4; ++j) {
    const double size = double(j / 2 + 1);  // 3, 2, 1 are followed by 33, 54, 97
    CHECK(paths[0](j, 1, 0) == 33 * size);
    CHECK(paths[1](j, 1, 0) == 54 * size);
    CHECK(paths[2](j, 1, 0) == 97 * size);
  }
  CHECK_THROWS_AS((metric::rollout<double, 1>(Sum{}, now, steps, 2, 1, Field<double, 1>(1, past.grid(), 2))),
                  Error);
}

// Neural SDE: its steps against the closed form of a linear equation, gradients, exactness at t = 0, and the
// law of one step.
#include "mno/baseline/neural_sde.hpp"

#include "mno/layer/constant.hpp"
#include "mno/layer/scale.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 5;
};
struct Frugal : Line {
  static constexpr bool recompute = true;
};
struct Plane {
  static constexpr int dimension = 2, channels = 2, rank = 2, width = 3, modes = 2, depth = 1, projection = 4;
};
/// What the tables use.
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 24, modes = 16, depth = 2,
                       projection = 64;
};
/// The same, as large as the paper's operator.
struct Large {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 2;
};

// [linear]
struct MinusTheta {
  static constexpr double value = -1.5;
};
struct Sigma {
  static constexpr double value = 0.7;
};
/// dz = −θ z ds + σ dW from z = u_0, by four steps
constexpr int steps = 4, modes = 3;
using Xi = Noise<3, 1, 1, modes>;
using Linear = baseline::Solve<
    Line, steps, Initial<2, 1>,
    baseline::EulerMaruyama<steps, Chain<Slice<3, 0, 1>, Scale<1, MinusTheta>>, Constant<3, 1, Sigma>, Xi>>;
// [linear] end
}  // namespace

TEST_CASE("a linear drift: every draw is (1 − θh)ⁿ u_0 + σ√h Σ (1 − θh)^{n−1−j} ξ_j") {
  const Grid<1> grid{{8}};
  constexpr Index batch = 5;
  Probe<Linear, 1, double, Device> solver(grid, batch, 1, 3);
  Probe<Concat<Xi, Xi, Xi, Xi>, 1, double, Device> noise(grid, batch, 1, 3);
  const auto z = solver.forward(), xi = noise.forward();
  for (Index b = 0; b < batch; ++b) {
    const double h = solver.times[std::size_t(b)] / steps, decay = 1 + MinusTheta::value * h;
    for (Index p = 0; p < 8; ++p) {
      double expected = std::pow(decay, steps) * solver.initial(b, p, 0);
      for (int j = 0; j < steps; ++j)
        expected += Sigma::value * std::sqrt(h) * std::pow(decay, steps - 1 - j) * xi(b, p, j);
      CHECK(z(b, p, 0) == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("a linear drift: mean (1 − θh)ⁿ u_0 and variance σ²h Σ (1 − θh)^{2j}") {
  // 40000 samples of a normal number: mean and variance are met with six standard deviations.
  constexpr Index batch = 40000;
  Probe<Linear, 1, double, Device> solver(Grid<1>{{8}}, batch, 1, 3);
  const double t = 0.8, h = t / steps, decay = 1 + MinusTheta::value * h;
  std::fill(solver.times.begin(), solver.times.end(), t);
  for (double& u : solver.initial.span()) u = 2;
  const auto z = solver.forward();
  double mean = 0, square = 0, variance = 0;
  for (Index b = 0; b < batch; ++b) mean += z(b, 0, 0) / batch;
  for (Index b = 0; b < batch; ++b) square += std::pow(z(b, 0, 0) - mean, 2) / (batch - 1);
  for (int j = 0; j < steps; ++j) variance += std::pow(Sigma::value, 2) * h * std::pow(decay, 2 * j);
  CHECK(std::abs(mean - 2 * std::pow(decay, steps)) < 6 * std::sqrt(variance / batch));
  CHECK(std::abs(square / variance - 1) < 6 * std::sqrt(2.0 / batch));
}

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<Linear>(lines[4]);
  check_vjp<NeuralSde<Line, double, 3>::Expression>(lines[6]);
  check_vjp<NeuralSde<Frugal, double, 3>::Expression>(lines[6]);
  check_vjp<NeuralSde<Plane, double, 2>::Expression>(planes[1], 2);
  check_vjp<NeuralSdeTransition<Line, double>::Expression>(lines[4]);
}

TEST_CASE("every draw begins at u_0, and no two are the same") {
  check_draws<NeuralSde<Line, float, 3>>(Grid<1>{{16}});
  check_draws<NeuralSde<Plane, double, 2>>(Grid<2>{{8, 6}});
}

TEST_CASE("one step is a law: mean u_0 + t f, deviations √t g") {
  using Operator = baseline::NeuralSdeTransitionOperator<Line>;
  const NeuralSdeTransition<Line, double> model(4);
  const auto u = smooth_fields<double, 1>(2, Grid<1>{{16}});
  const double t = 0.49;
  const auto law = predict(model, u, t);
  Probe<Concat<Operator::Drift, Operator::Diffusion>, 1> plain(u.grid(), 2, 1, 1);
  std::copy(model.values().begin(), model.values().end(), plain.w.begin());
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 16; ++p) {
      plain.x(b, p, 0) = u(b, p, 0);
      plain.x(b, p, 1) = t;
    }
  const auto networks = plain.forward();  // [f | g_1 g_2 | g_0]
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 16; ++p) {
      CHECK(law.mean(b, p, 0) == doctest::Approx(u(b, p, 0) + 0.49 * networks(b, p, 0)).epsilon(1e-12));
      for (Index k = 0; k < 2; ++k)
        CHECK(law.factor(b, p, k) == doctest::Approx(0.7 * networks(b, p, 1 + k)).epsilon(1e-12));
      CHECK(law.nugget(b, p, 0) == doctest::Approx(0.7 * networks(b, p, 3)).epsilon(1e-12));
    }
  const auto start = predict(model, u, 0.0);
  for (std::size_t i = 0; i < u.size(); ++i) CHECK(start.mean.data()[i] == u.data()[i]);
  for (const double factor : start.factor.span()) CHECK(factor == 0);
}

TEST_CASE("its size at the shape of the tables") {
  CHECK(NeuralSde<Standard>::parameters ==
        2 * (24 * 4 + 2 * (16 * 2 * 24 * 24 + 24 * 25) + 64 * 25 + 65) + 1);
  CHECK(NeuralSde<Large>::parameters == 317507);
}

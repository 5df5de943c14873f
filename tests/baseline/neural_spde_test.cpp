// Neural SPDE: waves of the stochastic convolution in closed form, nothing looks ahead, gradients, exactness
// at t = 0.
#include "mno/baseline/neural_spde.hpp"

#include <complex>

#include "mno/layer/constant.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 3, modes = 3, depth = 1, projection = 4;
};
struct Plane {
  static constexpr int dimension = 2, channels = 2, rank = 2, width = 2, modes = 2, depth = 1, projection = 3;
};
/// What the tables use.
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 32, modes = 16, depth = 1,
                       projection = 64;
};
/// The same, as large as the paper's operator.
struct Large {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 88, modes = 16, depth = 1;
};

struct Nothing {
  static constexpr double value = 0;
};
/// F = 0, G = 1: z = Σ_j S_{(n−j)h} √h ξ_j, by three steps
constexpr int steps = 3, modes = 3;
using Xi = Noise<1, 1, 1, modes>;
using Convolution =
    Tied<steps, baseline::MildStep<steps, Constant<1, 1, Nothing>, Xi, Semigroup<1, 1, modes, steps>>>;

std::complex<double> wave(const Field<double, 1>& field, Index sample, Index channel, Index k) {
  std::complex<double> sum;
  const Index n = field.points();
  for (Index p = 0; p < n; ++p)
    sum += field(sample, p, channel) *
           std::polar(1.0 / double(n), -2 * std::numbers::pi * double(k * p) / double(n));
  return sum;
}

/// Whoever stands behind it sees other noise.
template <int Channels, int Seed> struct OtherNoise : Identity<Channels> {
  template <class Pass> using Trace = typename Identity<Channels>::template Trace<Pass>;
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    pass.noise_seed = Seed;
    Identity<Channels>::forward(w, x, y, trace, pass, write);
  }
};
}  // namespace

TEST_CASE("F = 0, G = 1: every wave is Σ_j e^{−(λ+iω)h(n−j)} √h ξ̂_j, of variance ~ h Σ e^{−2λhj}") {
  // 8000 samples: a variance is met to 8 % with five standard deviations.
  const Grid<1> grid{{8}};
  constexpr Index batch = 8000;
  Probe<Convolution, 1, double, Device> solver(grid, batch, 1, 3);
  Probe<Concat<Xi, Xi, Xi>, 1, double, Device> noise(grid, batch, 1, 3);
  const double t = 0.9, h = t / steps;
  std::fill(solver.times.begin(), solver.times.end(), t);
  for (double& x : solver.x.span()) x = 0;
  const auto z = solver.forward(), xi = noise.forward();
  for (Index k = 0; k < modes; ++k) {
    const std::complex<double> rate(std::log1p(std::exp(solver.w[std::size_t(k)])),
                                    k == 0 ? 0.0 : solver.w[std::size_t(modes + k)]);  // a mean does not turn
    double variance = 0, expected_variance = 0, worst = 0;
    for (int j = 1; j <= steps; ++j)
      expected_variance += h * std::exp(-2 * rate.real() * h * j) / (2 * modes - 1);
    for (Index b = 0; b < batch; ++b) {
      std::complex<double> expected;
      for (int j = 0; j < steps; ++j)
        expected += std::exp(-h * double(steps - j) * rate) * std::sqrt(h) * wave(xi, b, j, k);
      worst = std::max(worst, std::abs(wave(z, b, 0, k) - expected));
      variance += std::norm(wave(z, b, 0, k)) / batch;
    }
    CHECK(worst < 1e-12);
    CHECK(std::abs(variance / expected_variance - 1) < 0.08);
  }
}

TEST_CASE("noise to come does not change what was") {
  using Step = baseline::MildStep<2, Pointwise<2, 2>, Product<Pointwise<2, 2>, Noise<2, 2, 1, 3>>,
                                  Semigroup<2, 1, 3, 2>>;
  using Once = Chain<Step, Concat<Identity<2>, Chain<OtherNoise<2, 7>, Step>>>;
  using Again = Chain<Step, Concat<Identity<2>, Chain<OtherNoise<2, 8>, Step>>>;
  const auto a = Probe<Once, 1>(Grid<1>{{8}}, 2, 1, 3).forward();
  const auto b = Probe<Again, 1>(Grid<1>{{8}}, 2, 1, 3).forward();
  for (Index s = 0; s < 2; ++s)
    for (Index p = 0; p < 8; ++p)
      for (Index c = 0; c < 4; ++c) CHECK((a(s, p, c) == b(s, p, c)) == (c < 2));
}

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<Convolution>(lines[4]);
  check_vjp<NeuralSpde<Line, double, 3>::Expression>(lines[6]);
  check_vjp<NeuralSpde<Plane, double, 2>::Expression>(planes[1], 2);
}

TEST_CASE("every draw begins at u_0, and no two are the same") {
  check_draws<NeuralSpde<Line, float, 3>>(Grid<1>{{16}});
}

TEST_CASE("its size at the shape of the tables") {
  CHECK(NeuralSpde<Standard>::parameters ==
        32 * 3 + 2 * (64 * 33 + 32 * 65) + 16 * 2 * 32 * 32 + 32 * 33 + 2 * 16 * 32 + (64 * 33 + 65) + 2);
  CHECK(NeuralSpde<Large>::parameters == 315731);
}

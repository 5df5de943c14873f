// Neural CDE: Euler steps of a linear controlled equation in closed form, gradients, exactness at t = 0.
#include "mno/baseline/neural_cde.hpp"

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
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 64, modes = 16, depth = 1;
};

/// dz = A z dX of two channels, X = (s, W), by three steps
constexpr int steps = 3;
using Xi = Noise<2, 1, 1, 3>;
using Linear =
    Tied<steps, baseline::ControlledStep<Pointwise<2, 4>, baseline::ControlIncrements<2, 1, 1, 3, steps>>>;
}  // namespace

TEST_CASE("a linear field: z = Π (I + Σ_j A_j ΔX_j) z_0 for every draw") {
  const Grid<1> grid{{8}};
  Probe<Linear, 1, double, Device> solver(grid, 4, 1, 3);
  Probe<Concat<Xi, Xi, Xi>, 1, double, Device> noise(grid, 4, 1, 3);
  std::fill_n(solver.w.begin() + 8, 4, 0.0);  // no bias: weights are (control, channel, channel)
  const auto z = solver.forward(), xi = noise.forward();
  for (Index b = 0; b < 4; ++b) {
    const double h = solver.times[std::size_t(b)] / steps;
    for (Index p = 0; p < 8; ++p) {
      double a = solver.x(b, p, 0), c = solver.x(b, p, 1);
      for (int i = 0; i < steps; ++i) {
        const double increment[] = {h, std::sqrt(h) * xi(b, p, i)};
        double move[] = {0, 0};
        for (std::size_t j = 0; j < 2; ++j)
          for (std::size_t row = 0; row < 2; ++row)
            move[row] += increment[j] * (solver.w[j * 4 + row * 2] * a + solver.w[j * 4 + row * 2 + 1] * c);
        a += move[0];
        c += move[1];
      }
      CHECK(z(b, p, 0) == doctest::Approx(a).epsilon(1e-12));
      CHECK(z(b, p, 1) == doctest::Approx(c).epsilon(1e-12));
    }
  }
}

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<Linear>(lines[4]);
  check_vjp<NeuralCde<Line, double, 2, 3>::Expression>(lines[6]);
  check_vjp<NeuralCde<Plane, double, 1, 2>::Expression>(planes[1], 2);
}

TEST_CASE("every draw begins at u_0, and no two are the same") {
  check_draws<NeuralCde<Line, float, 2, 3>>(Grid<1>{{16}});
}

TEST_CASE("its size at the shape of the tables") {
  CHECK(NeuralCde<Standard>::parameters ==
        64 * 3 + (16 * 2 * 64 * 64 + 64 * 65) + 17 * 64 * 65 + (128 * 65 + 129) + 2);
}

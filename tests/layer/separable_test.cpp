// The separable drift head: gradients, and the sum written out.
#include "mno/layer/separable.hpp"

#include <numbers>

#include "gradients.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("separable head: gradients, also with respect to u_0") {
  for (const auto& grid : lines) check_vjp<Separable<3, 2, 1, 4>>(grid, 2);
  for (const auto& grid : planes) check_vjp<Separable<3, 1, 2, 3>>(grid, 1);
}

TEST_CASE("separable head is Σ α_i φ_i ⟨ψ_i,u_0⟩, written out") {
  // One term, α = 3, φ = 1 + 2cos, ψ = sin on [0, L), u_0 = 5 sin + 7: ⟨ψ,u_0⟩ = 5 L/2.
  using L = Separable<1, 1, 1, 2>;
  const double length = 2.5;
  for (Index n : {5, 8, 16}) {
    const Grid<1> grid{{n}, {{length}}};
    Probe<L, 1> probe(grid, 1, 1, 1);
    std::fill(probe.w.begin(), probe.w.end(), 0.0);
    probe.w[0] = 1;         // φ̂_0 = 1
    probe.w[2] = 1;         // φ̂_1 = 1, which counts twice: 2 cos
    probe.w[4 + 3] = -0.5;  // ψ̂_1 = −i/2: sin
    probe.x.fill([](auto, Index) { return 3.0; });
    probe.initial.fill([&](auto x, Index) { return 5 * std::sin(2 * std::numbers::pi * x[0] / length) + 7; });
    const auto y = probe.forward();
    for (Index p = 0; p < n; ++p) {
      const double x = 2 * std::numbers::pi * double(p) / double(n);
      CHECK(y(0, p, 0) == doctest::Approx(3 * (1 + 2 * std::cos(x)) * 5 * length / 2).epsilon(1e-13));
    }
  }
}

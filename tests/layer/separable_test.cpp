// The separable drift head: gradients, and the sum written out.
#include "mno/layer/separable.hpp"

#include <Eigen/SVD>
#include <numbers>

#include "gradients.hpp"
#include "property.hpp"

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

namespace {
/// K(x, y) of a separable head whose terms are σ_i φ_i ⊗ ψ_i: φ_i and ψ_i are functions of an orthonormal
/// Fourier basis, 1, √2 cos 2πx, √2 sin 2πx, …, with these numbers.
template <int Terms>
Eigen::MatrixXd kernel(const std::vector<double>& sigma, const std::vector<Index>& phi,
                       const std::vector<Index>& psi, Index points) {
  constexpr int modes = 4;
  const Grid<1> grid{{points}};
  Probe<Separable<Terms, 1, 1, modes>, 1> probe(grid, points, 1, 1);
  std::fill(probe.w.begin(), probe.w.end(), 0.0);
  const auto put = [&](std::size_t leaf, Index term, Index function) {
    const Index mode = (function + 1) / 2, imaginary = function > 0 && function % 2 == 0 ? 1 : 0;
    const double value = function == 0 ? 1 : (imaginary ? -1 : 1) / std::numbers::sqrt2;
    probe.w[leaf * Terms * modes * 2 + std::size_t((term * modes + mode) * 2 + imaginary)] = value;
  };
  for (Index i = 0; i < Terms; ++i) {
    put(0, i, phi[std::size_t(i)]);
    put(1, i, psi[std::size_t(i)]);
  }
  probe.x.fill([&](auto, Index i) { return sigma[std::size_t(i)]; });
  for (Index b = 0; b < points; ++b)  // a unit of mass at every point
    for (Index p = 0; p < points; ++p) probe.initial(b, p, 0) = p == b ? 1 / grid.cell() : 0;
  const auto y = probe.forward();
  Eigen::MatrixXd k(points, points);
  for (Index b = 0; b < points; ++b)
    for (Index p = 0; p < points; ++p) k(p, b) = y(b, p, 0);
  return k;
}
}  // namespace

TEST_CASE(
    "a head of the N leading terms leaves √Σ_{i>N} σ_i² in the Hilbert–Schmidt norm, σ_{N+1} in the other") {
  using mno::testing::any_in;
  CHECK(mno::testing::for_any("any singular system", [] {
    std::vector<double> sigma;
    std::vector<Index> phi, psi;
    for (Index i = 0; i < 6; ++i) sigma.push_back(double(any_in<Index>(1, 1000)) / 100);
    std::sort(sigma.rbegin(), sigma.rend());
    const Index from = any_in<Index>(0, 7), to = any_in<Index>(0, 7);
    for (Index i = 0; i < 6; ++i) {  // two orders of the same orthonormal functions
      phi.push_back((from + 2 * i) % 7);
      psi.push_back((to + 3 * i) % 7);
    }
    const Index points = any_in<Index>(8, 13);
    const Eigen::MatrixXd left =
        (kernel<6>(sigma, phi, psi, points) - kernel<3>(sigma, phi, psi, points)) / double(points);
    const double tail = std::sqrt(sigma[3] * sigma[3] + sigma[4] * sigma[4] + sigma[5] * sigma[5]);
    HOLDS(std::abs(left.norm() - tail) <= 1e-12 * tail);
    const double largest = Eigen::JacobiSVD<Eigen::MatrixXd>(left).singularValues()[0];
    HOLDS(std::abs(largest - sigma[3]) <= 1e-12 * sigma[3]);
  }));
}

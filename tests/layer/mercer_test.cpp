// The Mercer head: gradients, orthonormality, eigenvalues.
#include "mno/layer/mercer.hpp"

#include <Eigen/Core>
#include <numbers>

#include "gradients.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Bound {
  static constexpr double value = 2;
};
}  // namespace

TEST_CASE("Mercer head: gradients") {
  for (const auto& grid : lines) check_vjp<Mercer<3, 1>>(grid);
  for (const auto& grid : lines) check_vjp<Mercer<3, 2>>(grid);
  check_vjp<Mercer<4, 1>>(planes[1]);
}

TEST_CASE("Mercer head: orthonormal in L²(D), eigenvalues bounded and as given") {
  constexpr int rank = 5, channels = 2;
  using L = Mercer<rank, channels, Bound>;
  const Grid<1> grid{{24}, {{3.0}}};
  Probe<L, 1> probe(grid, 3, 1, 7);
  const auto y = probe.forward();
  for (Index b = 0; b < 3; ++b)
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j <= i; ++j) {
        double inner = 0, mean = 0;
        for (Index p = 0; p < 24; ++p) {
          mean += probe.x(b, p, rank * channels + i) / 24;
          for (int c = 0; c < channels; ++c) inner += y(b, p, i * channels + c) * y(b, p, j * channels + c);
        }
        inner *= 3.0 / 24;
        const double eigenvalue = Bound::value * std::tanh(std::exp(mean) / Bound::value);
        CHECK(inner == doctest::Approx(i == j ? eigenvalue : 0).epsilon(1e-12));
        CHECK(eigenvalue < Bound::value);
      }
}

TEST_CASE("Mercer head on a grid with fewer values than the rank stays finite") {
  Probe<Mercer<8, 1>, 1> probe(Grid<1>{{4}}, 1, 1, 3);
  probe.pull_back();
  const auto y = probe.forward();
  double beyond = 0;
  for (Index p = 0; p < 4; ++p)
    for (Index k = 4; k < 8; ++k) beyond = std::max(beyond, std::abs(y(0, p, k)));
  CHECK(beyond < 1e-3);  // the four fields beyond the space's dimension carry nothing
  for (double value : probe.xbar.span()) CHECK(std::isfinite(value));
}

namespace {

constexpr int kept = 4;   // of the head
constexpr Index all = 7;  // eigenpairs of Γ*
constexpr double length = 2.5;

/// An orthonormal basis of L²[0, L): constant, cosines, sines.
double basis(Index k, double x) {
  const double angle = 2 * std::numbers::pi * double((k + 1) / 2) * x / length;
  if (k == 0) return 1 / std::sqrt(length);
  return std::sqrt(2 / length) * (k % 2 ? std::cos(angle) : std::sin(angle));
}

/// Σ_k λ_k* ψ_k* ⊗ ψ_k*, the head's Γ for raw fields and eigenvalues that are off by so much, and the two
/// errors as they came out.
struct Compared {
  double distance, tail, sum, error_lambda, error_psi;
};
Compared compare(double off_psi, double off_lambda) {
  using mno::testing::any_in;
  const Index points = any_in<Index>(8, 20);
  const Grid<1> grid{{points}, {{length}}};
  std::vector<double> lambda;
  for (Index k = 0; k < all; ++k) lambda.push_back(double(any_in<Index>(1, 1500)) / 1000);
  std::sort(lambda.rbegin(), lambda.rend());
  Stream random(any_in<std::uint64_t>(1, 100000));
  Probe<Mercer<kept, 1, Bound>, 1> probe(grid, 1, 1, 7);
  std::vector<double> off(kept, 0.0);
  for (double& x : off) x = off_lambda * random.normal();
  probe.x.fill([&](auto x, Index c) {
    if (c < kept) return basis(c, x[0]) + off_psi * random.normal();
    const double wanted = std::clamp(lambda[std::size_t(c - kept)] + off[std::size_t(c - kept)], 1e-3, 1.9);
    return std::log(Bound::value * std::atanh(wanted / Bound::value));  // λ̂ of that eigenvalue
  });
  const auto y = probe.forward();
  Eigen::MatrixXd difference = Eigen::MatrixXd::Zero(points, points);
  Compared result{0, 0, 0, 0, 0};
  for (Index k = 0; k < all; ++k) {
    Eigen::VectorXd truth(points), head(points);
    for (Index p = 0; p < points; ++p) {
      truth[p] = basis(k, length * double(p) / double(points));
      if (k < kept) head[p] = y(0, p, k);
    }
    difference += lambda[std::size_t(k)] * truth * truth.transpose();
    if (k >= kept) {
      result.tail += std::pow(lambda[std::size_t(k)], 2);
      continue;
    }
    difference -= head * head.transpose();
    const double found = grid.cell() * head.squaredNorm();
    result.sum += lambda[std::size_t(k)];
    result.error_lambda = std::max(result.error_lambda, std::abs(found - lambda[std::size_t(k)]));
    result.error_psi =
        std::max(result.error_psi, std::sqrt(grid.cell()) * (head / std::sqrt(found) - truth).norm());
  }
  result.distance = grid.cell() * difference.norm();  // the Hilbert–Schmidt norm of the kernel
  result.tail = std::sqrt(result.tail);
  return result;
}

}  // namespace

TEST_CASE("a Mercer head with the leading eigenpairs leaves √Σ_{k>r} λ_k²") {
  CHECK(mno::testing::for_any("any spectrum", [] {
    const Compared of = compare(0, 0);
    HOLDS(std::abs(of.distance - of.tail) <= 1e-10 * of.tail);
  }));
}

TEST_CASE("errors of eigenvalues and eigenfunctions move it by no more than the perturbation bound") {
  CHECK(mno::testing::for_any("any spectrum and errors", [] {
    const double psi = mno::testing::one_of({0.0, 1e-3, 0.05, 0.3}),
                 lambda = mno::testing::one_of({0.0, 1e-2, 0.2});
    const Compared of = compare(psi, lambda);
    const double r = kept, d = 2 * of.error_psi + of.error_psi * of.error_psi;
    HOLDS(of.distance <= of.tail + r * of.error_lambda + d * of.sum + r * of.error_lambda * d + 1e-12);
  }));
}

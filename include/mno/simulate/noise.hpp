#pragma once
// The noise that drives the equations: a few Fourier modes, each with its own pair of Brownian motions,
//
//     dW = q_0 dβ_0 + Σ_{k=1..K} q_k √2 (dβ_k cos 2πkx + dγ_k sin 2πkx),
//
// and the exact increment of a mode that also decays: for dz = λ z dt + σ q dβ,
//     z(t+dt) = e^{λ dt} z(t) + σ q ξ √((e^{2λ dt} − 1)/(2λ)),   ξ ~ N(0,1).
#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno {

/// √((e^{2λt} − 1)/(2λ)): the standard deviation after time t of a mode that starts at rest.
inline double ornstein_uhlenbeck_deviation(double lambda, double t) {
  const double x = 2 * lambda * t;
  return std::sqrt(x == 0 ? t : t * std::expm1(x) / x);
}

/// The amplitudes q_0, q_1, …, q_K.
struct ModalNoise {
  std::vector<double> amplitude{};

  Index modes() const { return Index(amplitude.size()) - 1; }
  double operator[](Index k) const { return amplitude[std::size_t(k)]; }

  /// Var W_1(x) = q_0² + 2 Σ q_k², the same at every x.
  double pointwise_variance() const {
    double sum = amplitude[0] * amplitude[0];
    for (Index k = 1; k <= modes(); ++k) sum += 2 * (*this)[k] * (*this)[k];
    return sum;
  }

  /// q_0 = 0, q_k ∝ 1/k, Σ q_k² = 1: no noise in the spatial mean.
  static ModalNoise without_mean(Index modes = 8) {
    return inverse_wavenumbers(modes, 0).scaled_to_unit_sum();
  }
  /// q_k = q_0/k, q_0² + Σ q_k² = 1.
  static ModalNoise with_mean(Index modes = 8) { return inverse_wavenumbers(modes, 1).scaled_to_unit_sum(); }
  /// q_k = q_0/k, scaled to pointwise variance 1.
  static ModalNoise of_unit_variance(Index modes = 8) {
    ModalNoise noise = inverse_wavenumbers(modes, 1);
    const double scale = 1 / std::sqrt(noise.pointwise_variance());
    for (double& q : noise.amplitude) q *= scale;
    return noise;
  }

  void check() const {
    require(!amplitude.empty(), "ModalNoise", "amplitude", Text("at least q_0"), Text("none"));
    for (double q : amplitude)
      require(std::isfinite(q) && q >= 0, "ModalNoise", "amplitude", Text("numbers that are not negative"),
              Text(q));
  }

  /// The wavenumber of the basis function i: 1, 1, 2, 2, …, K, K, and 0 last, where q_0 is not zero.
  Index rank() const { return 2 * modes() + (amplitude[0] > 0 ? 1 : 0); }
  Index wavenumber(Index i) const { return i < 2 * modes() ? i / 2 + 1 : 0; }

  /// The basis functions as rows (rank, points): q_1√2 cos 2πx, q_1√2 sin 2πx, q_2√2 cos 4πx, …, and q_0.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// Moved to the right by `shift`.
  Rows basis(Index points, double shift = 0) const {
    Rows rows(rank(), points);
    for (Index i = 0; i < rank(); ++i)
      for (Index p = 0; p < points; ++p) {
        const Index k = wavenumber(i);
        const double angle =
            2 * std::numbers::pi * (double(k * p % points) / double(points) - double(k) * shift);
        const double wave = std::numbers::sqrt2 * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
        rows(i, p) = (*this)[k] * (k == 0 ? 1 : wave);
      }
    return rows;
  }

 private:
  static ModalNoise inverse_wavenumbers(Index modes, double constant) {
    require(modes >= 0, "ModalNoise", "modes", Text("a number that is not negative"), Text(modes));
    ModalNoise noise{{constant}};
    for (Index k = 1; k <= modes; ++k) noise.amplitude.push_back(1 / double(k));
    return noise;
  }
  ModalNoise scaled_to_unit_sum() const {
    double sum = 0;
    for (double q : amplitude) sum += q * q;
    ModalNoise noise = *this;
    if (sum > 0)
      for (double& q : noise.amplitude) q /= std::sqrt(sum);
    return noise;
  }
};

}  // namespace mno

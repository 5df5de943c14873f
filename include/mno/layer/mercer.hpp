#pragma once
// The Mercer prior of the paper: Γ = Σ_k λ_k ψ_k ⊗ ψ_k with orthonormal ψ_k, as the factor B_k = √λ_k ψ_k.
//
// Of the input, channel k·C + c is the raw field ψ̃_k(c,·), and the mean over the grid of channel r·C + k is
// λ̂_k.
//     λ_k = C_λ tanh(exp(λ̂_k) / C_λ)
//     ψ_k = v_k / ‖v_k‖,   v_k = ψ̃_k − Σ_{j<k} ⟨ψ̃_k, ψ_j⟩ ψ_j      (Gram–Schmidt in L²(D)^C)
// Gram–Schmidt subtracts one ψ_j after the other from what is left, which is the same in exact arithmetic and
// loses fewer digits. The norm is √(‖v_k‖² + ε ‖ψ̃_k‖²) with ε = u^{3/2}, u being the rounding
// unit: below rounding where the fields are independent (it changes ψ_k by ½ε‖ψ̃_k‖²/‖v_k‖² relatively, and
// rounding itself by u‖ψ̃_k‖/‖v_k‖), and finite where they are not (on a grid with fewer than r values, say).
#include <cmath>
#include <limits>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

/// C_λ where nothing else is said.
struct DefaultEigenvalueBound {
  static constexpr double value = 10;
};

template <int Rank, int Channels, class Bound = DefaultEigenvalueBound> struct Mercer {
  static constexpr int inputs = Rank * Channels + Rank, outputs = Rank * Channels;
  static constexpr const char* name = "mercer";
  static constexpr std::array<Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;

  template <class Pass> struct Trace {
    typename Pass::Scalar* raw;          // ψ̃: (sample, k, point·channel)
    typename Pass::Scalar* psi;          // ψ: the same
    typename Pass::Scalar* coefficient;  // ⟨v, ψ_j⟩ as subtracted from field k: (sample, k, j)
    typename Pass::Scalar* norm;         // (sample, k)
    typename Pass::Scalar* root;         // √λ_k: (sample, k)
    typename Pass::Scalar* slope;        // d√λ_k / dλ̂_k: (sample, k)
  };

  template <class T> static void initialise(std::span<T>, Stream&) {}

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    using T = typename Pass::Scalar;
    const Index n = x.points() * Channels;
    const T cell = T(x.grid.cell());
    trace.raw = pass.keep_values(x.batch * Rank * n);
    trace.psi = pass.keep_values(x.batch * Rank * n);
    trace.coefficient = pass.keep_values(x.batch * Rank * Rank);
    trace.norm = pass.keep_values(x.batch * Rank);
    trace.root = pass.keep_values(x.batch * Rank);
    trace.slope = pass.keep_values(x.batch * Rank);
    for (Index b = 0; b < x.batch; ++b) {
      T* const raw = trace.raw + b * Rank * n;
      T* const psi = trace.psi + b * Rank * n;
      for (Index k = 0; k < Rank; ++k) {
        for (Index p = 0; p < x.points(); ++p)
          for (Index c = 0; c < Channels; ++c) raw[k * n + p * Channels + c] = x(b, p, k * Channels + c);
        T* const v = psi + k * n;
        std::copy_n(raw + k * n, n, v);
        for (Index j = 0; j < k; ++j) {
          const T coefficient = cell * dot(v, psi + j * n, n);
          trace.coefficient[(b * Rank + k) * Rank + j] = coefficient;
          for (Index i = 0; i < n; ++i) v[i] -= coefficient * psi[j * n + i];
        }
        const T norm = std::sqrt(cell * (dot(v, v, n) + epsilon<T> * dot(raw + k * n, raw + k * n, n)) +
                                 std::numeric_limits<T>::min());
        trace.norm[b * Rank + k] = norm;
        for (Index i = 0; i < n; ++i) v[i] /= norm;

        T mean = 0;
        for (Index p = 0; p < x.points(); ++p) mean += x(b, p, Rank * Channels + k);
        const auto [root, slope] = root_eigenvalue(mean / T(x.points()));
        trace.root[b * Rank + k] = root;
        trace.slope[b * Rank + k] = slope;
        for (Index p = 0; p < x.points(); ++p)
          for (Index c = 0; c < Channels; ++c) y(b, p, k * Channels + c) += root * v[p * Channels + c];
      }
    }
  }

  /// From the last field to the first, with ψ̄ = √λ B̄ and the mean over the grid spread back:
  ///   ψ = v/n:               v̄ = ψ̄/n + n̄ |cell| ψ,  n̄ = −⟨ψ̄,ψ⟩/n,  ψ̃-bar = n̄ ε |cell| ψ̃/n
  ///   v′ = v − c ψ_j, c = |cell| v·ψ_j:  c̄ = −v̄·ψ_j,  ψ̄_j += −c v̄ + c̄ |cell| v,  v̄ += c̄ |cell| ψ_j
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass) {
    using T = typename Pass::Scalar;
    if (!xbar) return;
    const Index n = ybar.points() * Channels;
    const T cell = T(ybar.grid.cell());
    const auto scope = pass.scope();
    T* const psi_bar = pass.scratch_values(Rank * n);  // (k, point·channel)
    T* const v = pass.scratch_values(n);
    for (Index b = 0; b < ybar.batch; ++b) {
      const T* const raw = trace.raw + b * Rank * n;
      const T* const psi = trace.psi + b * Rank * n;
      for (Index k = 0; k < Rank; ++k) {
        T root_bar = 0;
        for (Index p = 0; p < ybar.points(); ++p)
          for (Index c = 0; c < Channels; ++c) {
            const Index i = k * n + p * Channels + c;
            root_bar += ybar(b, p, k * Channels + c) * psi[i];
            psi_bar[i] = trace.root[b * Rank + k] * ybar(b, p, k * Channels + c);
          }
        const T mean_bar = root_bar * trace.slope[b * Rank + k] / T(ybar.points());
        for (Index p = 0; p < ybar.points(); ++p) xbar(b, p, Rank * Channels + k) += mean_bar;
      }
      for (Index k = Rank - 1; k >= 0; --k) {
        T* const vbar = psi_bar + k * n;
        const T norm = trace.norm[b * Rank + k];
        const T norm_bar = -dot(vbar, psi + k * n, n) / norm;
        for (Index i = 0; i < n; ++i) {
          v[i] = norm * psi[k * n + i];
          vbar[i] = vbar[i] / norm + norm_bar * cell * psi[k * n + i];
        }
        for (Index j = k - 1; j >= 0; --j) {
          const T coefficient = trace.coefficient[(b * Rank + k) * Rank + j];
          const T coefficient_bar = -dot(vbar, psi + j * n, n);
          for (Index i = 0; i < n; ++i) {
            v[i] += coefficient * psi[j * n + i];
            psi_bar[j * n + i] += coefficient_bar * cell * v[i] - coefficient * vbar[i];
            vbar[i] += coefficient_bar * cell * psi[j * n + i];
          }
        }
        for (Index p = 0; p < ybar.points(); ++p)
          for (Index c = 0; c < Channels; ++c) {
            const Index i = p * Channels + c;
            xbar(b, p, k * Channels + c) += vbar[i] + norm_bar * epsilon<T> * cell * raw[k * n + i] / norm;
          }
      }
    }
  }

 private:
  template <class T>
  static constexpr T epsilon =  // u · √u
      std::numeric_limits<T>::epsilon() * (sizeof(T) == 4 ? T(3.4e-4) : T(1.5e-8));

  template <class T> static T dot(const T* a, const T* b, Index n) {
    T sum = 0;
    for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  /// √λ and d√λ/dλ̂ = λ′/(2√λ) with λ′ = e^{λ̂} (1 − tanh²).
  template <class T> static std::array<T, 2> root_eigenvalue(T log_eigenvalue) {
    const T e = std::exp(log_eigenvalue), z = e / T(Bound::value);
    const T tanh = std::tanh(z), root = std::sqrt(T(Bound::value) * tanh);
    const T complement = 1 - tanh * tanh;
    return {root, root > 0 && complement > 0 ? e * complement / (2 * root) : T(0)};
  }
};

}  // namespace mno

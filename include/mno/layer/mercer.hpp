#pragma once
// The Mercer prior of the paper: Γ = Σ_k λ_k ψ_k ⊗ ψ_k with orthonormal ψ_k, as the factor B_k = √λ_k ψ_k.
//
// In the input, channel k·C + c is the raw field ψ̃_k(c,·), and the mean over the grid of channel r·C + k is
// λ̂_k.
//     λ_k = C_λ tanh(exp(λ̂_k) / C_λ)
//     ψ_k = v_k / ‖v_k‖,   v_k = ψ̃_k − Σ_{j<k} ⟨ψ̃_k, ψ_j⟩ ψ_j      (Gram–Schmidt in L²(D)^C)
// Gram–Schmidt subtracts one ψ_j after the other from what is left, which is the same in exact arithmetic and
// loses fewer digits. The norm is √(‖v_k‖² + ε ‖ψ̃_k‖²) with ε = u^{3/2}, u being the rounding
// unit: below rounding where the fields are independent (it changes ψ_k by ½ε‖ψ̃_k‖²/‖v_k‖² relatively, and
// rounding itself by u‖ψ̃_k‖/‖v_k‖), and finite where they are not (on a grid with fewer than r values, say).
#include <cmath>
#include <limits>

#include "mno/core/host_device.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

/// C_λ by default.
struct DefaultEigenvalueBound {
  static constexpr double value = 10;
};

template <int Rank, int Channels, class Bound = DefaultEigenvalueBound> struct Mercer : WithoutParameters {
  static constexpr int inputs = Rank * Channels + Rank, outputs = Rank * Channels, channels = Channels;
  static constexpr const char* name = "mercer";
  static constexpr std::array settings{setting("bound", double(Bound::value))};

  template <class Pass> struct Trace {
    typename Pass::Scalar* raw;          // ψ̃: (sample, k, point·channel)
    typename Pass::Scalar* psi;          // ψ: the same
    typename Pass::Scalar* coefficient;  // ⟨v, ψ_j⟩ as subtracted from field k: (sample, k, j)
    typename Pass::Scalar* norm;         // (sample, k)
    typename Pass::Scalar* root;         // √λ_k: (sample, k)
    typename Pass::Scalar* slope;        // d√λ_k / dλ̂_k: (sample, k)
  };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    trace = make_trace<Trace<Pass>>(x, pass);
    for (Index b = 0; b < x.batch; ++b)
      forward_sample(x.samples(b, 1).data, x.pitch, y.samples(b, 1).data, y.pitch,
                     sample(trace, x.points(), typename Pass::Scalar(x.grid.cell()), b));
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass) {
    using T = typename Pass::Scalar;
    if (!xbar) return;
    const auto scope = pass.scope();
    T* const room = pass.scratch_values((Rank + 1) * ybar.points() * Channels);
    for (Index b = 0; b < ybar.batch; ++b)
      vjp_sample(ybar.samples(b, 1).data, ybar.pitch, xbar.samples(b, 1).data, xbar.pitch, room,
                 sample(trace, ybar.points(), T(ybar.grid.cell()), b));
  }

  // What every device does with one sample.

  /// A sample's part of the trace.
  template <class T> struct Sample {
    Index points;
    T cell;
    T *raw, *psi, *coefficient, *norm, *root, *slope;
  };
  template <class TraceType, class X, class Pass> static TraceType make_trace(const X& x, Pass& pass) {
    const Index fields = x.batch * Rank * x.points() * Channels;
    return {pass.keep_values(fields),
            pass.keep_values(fields),
            pass.keep_values(x.batch * Rank * Rank),
            pass.keep_values(x.batch * Rank),
            pass.keep_values(x.batch * Rank),
            pass.keep_values(x.batch * Rank)};
  }
  template <class TraceType, class T>
  MNO_HOST_DEVICE static Sample<T> sample(const TraceType& trace, Index points, T cell, Index b) {
    const Index fields = b * Rank * points * Channels;
    return {points,
            cell,
            trace.raw + fields,
            trace.psi + fields,
            trace.coefficient + b * Rank * Rank,
            trace.norm + b * Rank,
            trace.root + b * Rank,
            trace.slope + b * Rank};
  }

  /// y += √λ_k ψ_k; rows of x and y lie a pitch apart.
  template <class T>
  MNO_HOST_DEVICE static void forward_sample(const T* x, Index x_pitch, T* y, Index y_pitch,
                                             const Sample<T>& s) {
    const Index n = s.points * Channels;
    for (Index k = 0; k < Rank; ++k) {
      T *const raw = s.raw + k * n, *const v = s.psi + k * n;
      for (Index p = 0; p < s.points; ++p)
        for (Index c = 0; c < Channels; ++c)
          raw[p * Channels + c] = v[p * Channels + c] = x[p * x_pitch + k * Channels + c];
      for (Index j = 0; j < k; ++j) {
        const T* const psi = s.psi + j * n;
        const T coefficient = s.cell * dot(v, psi, n);
        s.coefficient[k * Rank + j] = coefficient;
        for (Index i = 0; i < n; ++i) v[i] -= coefficient * psi[i];
      }
      const T norm = std::sqrt(s.cell * (dot(v, v, n) + epsilon<T>() * dot(raw, raw, n)) +
                               std::numeric_limits<T>::min());
      s.norm[k] = norm;
      for (Index i = 0; i < n; ++i) v[i] /= norm;

      T mean = 0;
      for (Index p = 0; p < s.points; ++p) mean += x[p * x_pitch + Rank * Channels + k];
      const RootEigenvalue<T> eigenvalue = root_eigenvalue(mean / T(s.points));
      s.root[k] = eigenvalue.root;
      s.slope[k] = eigenvalue.slope;
      for (Index p = 0; p < s.points; ++p)
        for (Index c = 0; c < Channels; ++c)
          y[p * y_pitch + k * Channels + c] += eigenvalue.root * v[p * Channels + c];
    }
  }

  /// From the last field to the first, with ψ̄ = √λ B̄ and the mean over the grid spread back:
  ///   ψ = v/n:               v̄ = ψ̄/n + n̄ |cell| ψ,  n̄ = −⟨ψ̄,ψ⟩/n,  ψ̃-bar = n̄ ε |cell| ψ̃/n
  ///   v′ = v − c ψ_j, c = |cell| v·ψ_j:  c̄ = −v̄·ψ_j,  ψ̄_j += −c v̄ + c̄ |cell| v,  v̄ += c̄ |cell| ψ_j
  /// `room` is for (Rank + 1)·points·Channels numbers.
  template <class T>
  MNO_HOST_DEVICE static void vjp_sample(const T* ybar, Index y_pitch, T* xbar, Index x_pitch, T* room,
                                         const Sample<T>& s) {
    const Index n = s.points * Channels;
    T *const psi_bar = room, *const v = room + Rank * n;  // (k, point·channel)
    for (Index k = 0; k < Rank; ++k) {
      T root_bar = 0;
      for (Index p = 0; p < s.points; ++p)
        for (Index c = 0; c < Channels; ++c) {
          const Index i = k * n + p * Channels + c;
          const T bar = ybar[p * y_pitch + k * Channels + c];
          root_bar += bar * s.psi[i];
          psi_bar[i] = s.root[k] * bar;
        }
      const T mean_bar = root_bar * s.slope[k] / T(s.points);
      for (Index p = 0; p < s.points; ++p) xbar[p * x_pitch + Rank * Channels + k] += mean_bar;
    }
    for (Index k = Rank - 1; k >= 0; --k) {
      T* const vbar = psi_bar + k * n;
      const T* const psi = s.psi + k * n;
      const T norm = s.norm[k], norm_bar = -dot(vbar, psi, n) / norm;
      for (Index i = 0; i < n; ++i) {
        v[i] = norm * psi[i];
        vbar[i] = vbar[i] / norm + norm_bar * s.cell * psi[i];
      }
      for (Index j = k - 1; j >= 0; --j) {
        const T* const other = s.psi + j * n;
        const T coefficient = s.coefficient[k * Rank + j], coefficient_bar = -dot(vbar, other, n);
        for (Index i = 0; i < n; ++i) {
          v[i] += coefficient * other[i];
          psi_bar[j * n + i] += coefficient_bar * s.cell * v[i] - coefficient * vbar[i];
          vbar[i] += coefficient_bar * s.cell * other[i];
        }
      }
      for (Index p = 0; p < s.points; ++p)
        for (Index c = 0; c < Channels; ++c) {
          const Index i = p * Channels + c;
          xbar[p * x_pitch + k * Channels + c] +=
              vbar[i] + norm_bar * epsilon<T>() * s.cell * s.raw[k * n + i] / norm;
        }
    }
  }

 private:
  template <class T> static constexpr T epsilon() {  // u · √u
    return std::numeric_limits<T>::epsilon() * (sizeof(T) == 4 ? T(3.4e-4) : T(1.5e-8));
  }

  template <class T> MNO_HOST_DEVICE static T dot(const T* a, const T* b, Index n) {
    T sum = 0;
    for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  /// √λ and d√λ/dλ̂ = λ′/(2√λ) with λ′ = e^{λ̂} (1 − tanh²).
  template <class T> struct RootEigenvalue { T root, slope; };
  template <class T> MNO_HOST_DEVICE static RootEigenvalue<T> root_eigenvalue(T log_eigenvalue) {
    const T e = std::exp(log_eigenvalue), z = e / T(Bound::value);
    const T tanh = std::tanh(z), root = std::sqrt(T(Bound::value) * tanh);
    const T complement = 1 - tanh * tanh;
    return {root, root > 0 && complement > 0 ? e * complement / (2 * root) : T(0)};
  }
};

}  // namespace mno

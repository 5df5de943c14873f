#pragma once
// pointwise >> activation >> pointwise, the head of an operator, strip by strip:
//
//     z = W₁ x + b₁,   h = f(z),   y = W₂ h + b₂
//
// The hidden layer is the widest field of a model. A strip of points goes through all of it while its z and h
// are in cache. What is kept is h and f′(z): computing them again instead was slower even on large planes.
#include "mno/layer/activation.hpp"
#include "mno/layer/pointwise.hpp"

namespace mno::detail {

template <class First, class Act, class Second> struct PerceptronKernel {
  static constexpr int inputs = First::inputs, Hidden = First::outputs, outputs = Second::outputs;
  static constexpr const char* name = "perceptron";
  static constexpr std::size_t parameters = First::parameters + Second::parameters;
  static constexpr Index strip = 64;        // points
  static constexpr Index most_kept = 8192;  // points whose h and f′(z) are kept for vjp

  template <class Pass> struct Trace {
    In<Pass> x, hidden, derivative;  // x, h, f′(z)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const T *const w1 = w.data(), *const b1 = w1 + inputs * Hidden, *const w2 = b1 + Hidden,
                   *const b2 = w2 + Hidden * outputs;
    const auto scope = pass.scope();
    Out<Pass> hidden{pass.scratch_values(strip * Hidden), 1, {}, Hidden, Hidden}, derivative{};  // of a strip
    const bool keep = pass.recording && x.rows() <= most_kept;
    trace = {x, {}, {}};
    if (keep) {
      hidden = pass.keep_uninitialised(x, Hidden);
      derivative = pass.keep_uninitialised(x, Hidden);
      trace = {x, hidden, derivative};
    }
    const T* const first = First::few_outputs ? w1 : pass.transposed(w1, Hidden, inputs);
    const T* const second = Second::few_outputs ? w2 : pass.transposed(w2, outputs, Hidden);
    T* const z = pass.scratch_values(strip * Hidden);
    for (Index r = 0; r < x.rows(); r += strip) {
      const Index n = std::min(strip, x.rows() - r), at = keep ? r : 0;
      First::template multiply<T>({z, n, Hidden, Hidden}, rows(x, r, n), b1, first, Write::set);
      activate<typename Act::function>(z, hidden.row(at), keep ? derivative.row(at) : nullptr, n * Hidden,
                                       Write::set);
      Second::template multiply<T>(rows(y, r, n), rows(hidden, at, n), b2, second, write);
    }
  }

  /// h̄ = W₂ᵀ ȳ,  z̄ = f′(z) h̄,  x̄ = W₁ᵀ z̄;  W̄₂ = Σ ȳ hᵀ,  b̄₂ = Σ ȳ,  W̄₁ = Σ z̄ xᵀ,  b̄₁ = Σ z̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const T *const w1 = w.data(), *const b1 = w1 + inputs * Hidden, *const w2 = b1 + Hidden;
    T *const w1_bar = wbar.data(), *const b1_bar = w1_bar + inputs * Hidden, *const w2_bar = b1_bar + Hidden,
             *const b2_bar = w2_bar + Hidden * outputs;
    const auto scope = pass.scope();
    T* const zbar = pass.scratch_values(strip * Hidden);
    const bool again = !trace.hidden;  // h and f′(z) are computed again
    T* const h_again = again ? pass.scratch_values(2 * strip * Hidden) : nullptr;
    const T* const first = First::few_outputs || !again ? w1 : pass.transposed(w1, Hidden, inputs);
    for (Index r = 0; r < ybar.rows(); r += strip) {
      const Index n = std::min(strip, ybar.rows() - r);
      const MatrixView<T> z_bar{zbar, n, Hidden, Hidden};
      if (again) {
        First::template multiply<T>(z_bar, rows(trace.x, r, n), b1, first, Write::set);
        activate<typename Act::function>(zbar, h_again, h_again + strip * Hidden, n * Hidden, Write::set);
      }
      const T* const h = again ? h_again : trace.hidden.row(r);
      const T* const derivative = again ? h_again + strip * Hidden : trace.derivative.row(r);
      multiply_add<T>(z_bar, rows(ybar, r, n), {w2, outputs, Hidden, Hidden}, T(1), Write::set);
      multiply_add_transposed_left<T>({w2_bar, outputs, Hidden, Hidden}, rows(ybar, r, n),
                                      {h, n, Hidden, Hidden});
      for (Index i = r; i < r + n; ++i) Second::add_to_row(ybar.row(i), b2_bar);
      scale_by(derivative, zbar, zbar, n * Hidden, Write::set);
      multiply_add_transposed_left<T>({w1_bar, Hidden, inputs, inputs}, z_bar, rows(trace.x, r, n));
      for (Index i = 0; i < n; ++i) First::add_to_row(zbar + i * Hidden, b1_bar);
      if (xbar) multiply_add<T>(rows(xbar, r, n), z_bar, {w1, Hidden, inputs, inputs}, T(1), write);
    }
  }

 private:
  template <class T, int D> static MatrixView<T> rows(const View<T, D>& v, Index first, Index count) {
    return {v.row(first), count, v.channels, v.pitch};
  }
};

}  // namespace mno::detail

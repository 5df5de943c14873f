#pragma once
// pointwise >> activation >> pointwise, the head of an operator, strip by strip:
//
//     z = W₁ x + b₁,   h = f(z),   y = W₂ h + b₂
//
// The hidden layer is the widest field of a model. A strip of points goes through all of it while its z and h
// are in cache. What is kept is h and f′(z); where they would not stay in cache until they are needed,
// nothing is kept and they are computed again, which takes less time than fetching them.
#include "mno/expression/chain.hpp"
#include "mno/layer/activation.hpp"
#include "mno/layer/pointwise.hpp"

namespace mno {

template <int In_, int Hidden, int Out_, class Function>
struct Chain<Pointwise<In_, Hidden>, Activation<Function, Hidden>, Pointwise<Hidden, Out_>>
    : Node<Pointwise<In_, Hidden>, Activation<Function, Hidden>, Pointwise<Hidden, Out_>> {
  using expression = Chain;
  using First = Pointwise<In_, Hidden>;
  using Second = Pointwise<Hidden, Out_>;
  static constexpr int inputs = In_, outputs = Out_;
  static constexpr Index strip = 64;  // points

  template <class Pass> struct Trace {
    In<Pass> x, hidden, derivative;  // x, h, f′(z)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    evaluate<Pass>(w, x, y, trace, pass, Write::add);
  }
  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    using T = typename Pass::Scalar;
    const T *const w1 = w.data(), *const b1 = w1 + inputs * Hidden, *const w2 = b1 + Hidden,
                   *const b2 = w2 + Hidden * outputs;
    const auto scope = pass.scope();
    Out<Pass> hidden{pass.scratch_values(strip * Hidden), 1, {}, Hidden, Hidden}, derivative{};
    const bool keep = pass.recording && x.rows() * Hidden * Index(2 * sizeof(T)) <= most_kept;
    if (keep) {
      hidden = pass.keep_uninitialised(x, Hidden);
      derivative = pass.keep_uninitialised(x, Hidden);
    }
    trace = {x, keep ? In<Pass>(hidden) : In<Pass>{}, derivative};
    const T* const transposed = pass.transposed(w1, Hidden, inputs);  // W₁ᵀ: (input, hidden)
    const T* const second = Second::few_outputs ? nullptr : pass.transposed(w2, outputs, Hidden);
    T* const z = pass.scratch_values(strip * Hidden);
    for (Index r = 0; r < x.rows(); r += strip) {
      const Index n = std::min(strip, x.rows() - r);
      hidden_layer(rows(x, r, n), transposed, b1, z);
      const Index at = keep ? r : 0;
      detail::activate<Function>(z, hidden.row(at), derivative ? derivative.row(at) : nullptr, n * Hidden,
                                 Write::set);
      for (Index i = r; i < r + n; ++i) Second::put_row(b2, y.row(i), write);
      if (second)
        multiply_add<T>(rows(y, r, n), rows(hidden, at, n), {second, Hidden, outputs, outputs});
      else
        multiply_add_transposed_right<T>(rows(y, r, n), rows(hidden, at, n), {w2, outputs, Hidden, Hidden});
    }
  }

  /// h̄ = W₂ᵀ ȳ,  z̄ = f′(z) h̄,  x̄ = W₁ᵀ z̄;  W̄₂ = Σ ȳ hᵀ,  b̄₂ = Σ ȳ,  W̄₁ = Σ z̄ xᵀ,  b̄₁ = Σ z̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    using T = typename Pass::Scalar;
    const T *const w1 = w.data(), *const w2 = w1 + inputs * Hidden + Hidden;
    T *const w1_bar = wbar.data(), *const b1_bar = w1_bar + inputs * Hidden, *const w2_bar = b1_bar + Hidden,
             *const b2_bar = w2_bar + Hidden * outputs;
    const auto scope = pass.scope();
    T* const zbar = pass.scratch_values(strip * Hidden);
    const bool kept = bool(trace.hidden);
    const T* transposed = nullptr;
    T *z = nullptr, *again = nullptr;  // where nothing was kept: h and f′(z) of a strip
    if (!kept) {
      transposed = pass.transposed(w1, Hidden, inputs);
      z = pass.scratch_values(strip * Hidden);
      again = pass.scratch_values(2 * strip * Hidden);
    }
    for (Index r = 0; r < ybar.rows(); r += strip) {
      const Index n = std::min(strip, ybar.rows() - r);
      const Matrix<T> z_bar{zbar, n, Hidden, Hidden};
      if (!kept) {
        hidden_layer(rows(trace.x, r, n), transposed, w1 + inputs * Hidden, z);
        detail::activate<Function>(z, again, again + strip * Hidden, n * Hidden, Write::set);
      }
      const T* const h = kept ? trace.hidden.row(r) : again;
      const T* const slope = kept ? trace.derivative.row(r) : again + strip * Hidden;
      multiply_add<T>(z_bar, rows(ybar, r, n), {w2, outputs, Hidden, Hidden}, T(1), Write::set);
      multiply_add_transposed_left<T>({w2_bar, outputs, Hidden, Hidden}, rows(ybar, r, n),
                                      {h, n, Hidden, Hidden});
      for (Index i = r; i < r + n; ++i) Second::add_to_row(ybar.row(i), b2_bar);
      detail::scale_by(slope, zbar, zbar, n * Hidden, Write::set);
      multiply_add_transposed_left<T>({w1_bar, Hidden, inputs, inputs}, z_bar, rows(trace.x, r, n));
      for (Index i = 0; i < n; ++i) First::add_to_row(zbar + i * Hidden, b1_bar);
      if (xbar) multiply_add<T>(rows(xbar, r, n), z_bar, {w1, Hidden, inputs, inputs});
    }
  }

 private:
  static constexpr Index most_kept = Index(1) << 20;  // bytes

  /// z = W₁ x + b₁ for a few points.
  template <class T> static void hidden_layer(Matrix<const T> x, const T* transposed, const T* bias, T* z) {
    for (Index i = 0; i < x.rows; ++i) std::copy_n(bias, Hidden, z + i * Hidden);
    multiply_add<T>({z, x.rows, Hidden, Hidden}, x, {transposed, inputs, Hidden, Hidden});
  }
  template <class T, int D> static Matrix<T> rows(const View<T, D>& v, Index first, Index count) {
    return {v.row(first), count, v.channels, v.pitch};
  }
};

}  // namespace mno

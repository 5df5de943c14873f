#pragma once
// A superposition of fields, y_c(x) = Σ_k a_k(x) B_{k,c}(x), of the input [a | B]: first the coefficients
// a_k, then B_{k,c} in channel k·C + c.
#include "mno/layer/pass.hpp"

namespace mno {

template <int Terms, int Channels> struct Superposition : WithoutParameters {
  static_assert(Terms >= 1 && Channels >= 1, "mno: Superposition needs at least one term and one channel");
  static constexpr int inputs = Terms * (1 + Channels), outputs = Channels;
  static constexpr const char* name = "superposition";

  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    trace.x = x;
    pass.for_each(y, Value<Pass>{x, y, write == Write::add});
  }

  /// ā_k = Σ_c B_{k,c} ȳ_c,   B̄_{k,c} = a_k ȳ_c
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) pass.for_each(xbar, Adjoint<Pass>{trace.x, ybar, xbar, write == Write::add});
  }

 private:
  template <class Pass> struct Value {
    In<Pass> x;
    Out<Pass> y;
    bool add;
    MNO_HOST_DEVICE void operator()(Index row, Index c) const {
      using T = typename Pass::Scalar;
      const T *const a = x.row(row), *const b = a + Terms + c;
      T sum = 0;
      for (Index k = 0; k < Terms; ++k) sum += a[k] * b[k * Channels];
      T& to = y.row(row)[c];
      to = add ? to + sum : sum;
    }
  };
  template <class Pass> struct Adjoint {
    In<Pass> x, ybar;
    Out<Pass> xbar;
    bool add;
    MNO_HOST_DEVICE void operator()(Index row, Index i) const {
      using T = typename Pass::Scalar;
      const T *const a = x.row(row), *const b = a + Terms, *const bar = ybar.row(row);
      T value = 0;
      if (i < Terms)
        for (Index c = 0; c < Channels; ++c) value += b[i * Channels + c] * bar[c];
      else
        value = a[(i - Terms) / Channels] * bar[(i - Terms) % Channels];
      T& to = xbar.row(row)[i];
      to = add ? to + value : value;
    }
  };
};

}  // namespace mno

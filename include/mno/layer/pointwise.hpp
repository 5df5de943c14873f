#pragma once
// Pointwise channel mixing, y(x) = W u(x) + b: the lift, the skip beside a spectral convolution, the heads.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <int In_, int Out_> struct Pointwise {
  static_assert(In_ >= 1 && Out_ >= 1, "mno: Pointwise needs at least one channel on each side");
  static constexpr int inputs = In_, outputs = Out_;
  static constexpr const char* name = "pointwise";
  static constexpr std::array leaves{parameter("weight", outputs, inputs), parameter("bias", outputs)};
  static constexpr std::size_t parameters = total(leaves);
  static constexpr bool few_outputs = outputs <= 4;  // scalar products of rows: no use for Wᵀ

  template <class Pass> struct Trace { In<Pass> x; };

  /// Uniform in ±1/√inputs, weight and bias.
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    const double bound = 1 / std::sqrt(double(inputs));
    for (T& value : w) value = T(bound * (2 * random.uniform() - 1));
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    evaluate<Pass>(w, x, y, trace, pass, Write::add);
  }
  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    using T = typename Pass::Scalar;
    trace.x = x;
    const T* const bias = w.data() + inputs * outputs;
    for (Index r = 0; r < y.rows(); ++r) put_row(bias, y.row(r), write);
    const auto scope = pass.scope();
    multiply<T>(matrix(y), matrix(x), w.data(), pass);
  }

  /// y += W x for rows of points.
  template <class T, class Pass>
  static void multiply(Matrix<T> y, Matrix<const T> x, const T* w, Pass& pass) {
    if constexpr (few_outputs)
      multiply_add_transposed_right<T>(y, x, {w, outputs, inputs, inputs});
    else
      multiply_add<T>(y, x, {pass.transposed(w, outputs, inputs), inputs, outputs, outputs});
  }
  /// Wᵀ where `multiply` will look for it.
  template <class T> static void prepare(std::span<const T> w, std::span<T> to) {
    transpose(w.data(), inputs, to.data(), outputs, outputs, inputs);
  }

  /// ū = Wᵀ ȳ,  W̄ = Σ ȳ uᵀ,  b̄ = Σ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass&) {
    using T = typename Pass::Scalar;
    multiply_add_transposed_left<T>({wbar.data(), outputs, inputs, inputs}, matrix(ybar), matrix(trace.x));
    T* const bias_bar = wbar.data() + inputs * outputs;
    for (Index r = 0; r < ybar.rows(); ++r) add_to_row(ybar.row(r), bias_bar);
    if (xbar) multiply_add<T>(matrix(xbar), matrix(ybar), {w.data(), outputs, inputs, inputs});
  }

  /// row += values, or row = values.
  template <class T> static void put_row(const T* values, T* row, Write write) {
    if (write == Write::set)
      std::copy_n(values, outputs, row);
    else
      add_to_row(values, row);
  }
  template <class T> static void add_to_row(const T* values, T* row) {
    for_each_packet<T>(outputs, [&](auto load, auto store) { store(row, padd(load(row), load(values))); });
  }
};

}  // namespace mno

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
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    trace.x = x;
    const auto scope = pass.scope();
    const T* const matrix_of_w = few_outputs ? w.data() : pass.transposed(w.data(), outputs, inputs);
    multiply<T>(as_matrix(y), as_matrix(x), w.data() + inputs * outputs, matrix_of_w, write);
  }

  /// y = W x + b or y += W x + b for rows of points; w is W where there are few outputs, else Wᵀ.
  template <class T>
  static void multiply(MatrixView<T> y, MatrixView<const T> x, const T* bias, const T* w, Write write) {
    const T* const first = write == Write::set ? bias : nullptr;
    if (!first)
      for (Index r = 0; r < y.rows; ++r) add_to_row(bias, y.data + r * y.pitch);
    const MatrixView<const T> rows = few_outputs ? MatrixView<const T>{w, outputs, inputs, inputs}
                                                 : MatrixView<const T>{w, inputs, outputs, outputs};
    detail::product<T>(y, {x.data, x.pitch, 1}, rows, inputs, T(1), Write::add, few_outputs, first);
  }
  /// Wᵀ where `pass.transposed` will look for it.
  template <class T> static void prepare(std::span<const T> w, std::span<T> to) {
    packet::transpose(w.data(), inputs, to.data(), outputs, outputs, inputs);
  }

  /// ū = Wᵀ ȳ,  W̄ = Σ ȳ uᵀ,  b̄ = Σ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass&, Write write) {
    using T = typename Pass::Scalar;
    multiply_add_transposed_left<T>({wbar.data(), outputs, inputs, inputs}, as_matrix(ybar),
                                    as_matrix(trace.x));
    T* const bias_bar = wbar.data() + inputs * outputs;
    for (Index r = 0; r < ybar.rows(); ++r) add_to_row(ybar.row(r), bias_bar);
    if (xbar)
      multiply_add<T>(as_matrix(xbar), as_matrix(ybar), {w.data(), outputs, inputs, inputs}, T(1), write);
  }

  template <class T> static void add_to_row(const T* values, T* row) {
    for_each_packet<T>(outputs,
                       [&](auto load, auto store) { store(row, packet::padd(load(row), load(values))); });
  }
};

}  // namespace mno

#pragma once
// Pointwise on the GPU: y(x) = W u(x) + b by cuBLAS, all points of the batch at once.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/pointwise.hpp"

namespace mno {

namespace cuda {

template <class L> struct PointwiseOnCuda {
  static constexpr Index inputs = L::inputs, outputs = L::outputs;

  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    trace.x = x;
    const T* const bias = w.data() + inputs * outputs;
    put_rows<T, Pass::dimension>(pass.device(), bias, y, write);
    multiply<T>(w.data(), x, y, Write::add, pass.device());
  }

  /// ū = Wᵀ ȳ,  W̄ = Σ ȳ uᵀ,  b̄ = Σ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    multiply_adjoint<T>(w.data(), ybar, trace.x, wbar.data(), xbar, pass.device(), write);
    add_column_sums<T>(pass.device(), ybar, wbar.data() + inputs * outputs);
  }

  // The pieces, for patterns that do more in one go.

  /// y += W x or y = W x
  template <class T, int D>
  static void multiply(const T* w, const View<const T, D>& x, const View<T, D>& y, Write write,
                       Cuda& device) {
    device.multiply<T>(as_matrix(y), as_matrix(x), Op::plain, {w, outputs, inputs, inputs}, Op::transposed,
                       write);
  }
  template <class T, int D>
  static void multiply_adjoint(const T* w, const View<const T, D>& ybar, const View<const T, D>& x, T* wbar,
                               const View<T, D>& xbar, Cuda& device, Write write) {
    device.multiply<T>({wbar, outputs, inputs, inputs}, as_matrix(ybar), Op::transposed, as_matrix(x),
                       Op::plain, Write::add);
    if (xbar)
      device.multiply<T>(as_matrix(xbar), as_matrix(ybar), Op::plain, {w, outputs, inputs, inputs}, Op::plain,
                         write);
  }
};

}  // namespace cuda

template <int In_, int Out_> cuda::PointwiseOnCuda<Pointwise<In_, Out_>> on_cuda(const Pointwise<In_, Out_>*);

}  // namespace mno

#pragma once
// (spectral + pointwise) >> activation on the GPU, with bias and activation in one pass:
//
//     y = f(F⁻¹(R · F x) + W x + b)
//
// z is computed in the memory where f′(z) replaces it in the end.
#include "mno/cuda/activation.hpp"
#include "mno/cuda/pointwise.hpp"
#include "mno/cuda/spectral.hpp"
#include "mno/expression/fourier.hpp"

namespace mno {

namespace cuda {

template <class Kernel, class Spectral, class Linear, class Function> struct FourierOnCuda {
  using Convolution = SpectralOnCuda<Spectral>;
  using Product = PointwiseOnCuda<Linear>;

  template <class Pass> struct Trace {
    typename Convolution::template Trace<Pass> convolution;
    In<Pass> x, derivative;  // f′(z)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> z = pass.recording ? pass.keep_uninitialised(x, Linear::outputs)
                                       : pass.scratch_uninitialised(x, Linear::outputs);
    trace.x = x;
    trace.derivative = z;
    const T *const weight = w.data() + Kernel::linear_at, *const bias =
                                                              weight + Linear::inputs * Linear::outputs;
    Convolution::template forward<Pass>(w.subspan(Kernel::spectral_at, Spectral::parameters), x, z,
                                        trace.convolution, pass, Write::set);
    Product::template multiply<T>(weight, x, z, Write::add, pass.device());
    pass.device().for_each(numbers(z),
                           Finish<Function, T>{z.data, bias, rows(y), pass.recording, write == Write::add});
  }

  /// z̄ = f′(z) ȳ, then as in its parts
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> zbar = pass.scratch_uninitialised(ybar, Linear::outputs);
    pass.device().for_each(numbers(ybar),
                           ActivateAdjoint<T>{rows(ybar), trace.derivative.data, rows(zbar), false});
    const T* const weight = w.data() + Kernel::linear_at;
    T *const weight_bar = wbar.data() + Kernel::linear_at, *const bias_bar =
                                                               weight_bar + Linear::inputs * Linear::outputs;
    Product::template multiply_adjoint<T, Pass::dimension>(weight, zbar, trace.x, weight_bar, xbar,
                                                           pass.device(), write);
    add_column_sums<T, Pass::dimension>(pass.device(), zbar, bias_bar);
    Convolution::template vjp<Pass>(
        w.subspan(Kernel::spectral_at, Spectral::parameters), zbar, trace.convolution,
        wbar.subspan(Kernel::spectral_at, Spectral::parameters), xbar, pass, Write::add);
  }
};

}  // namespace cuda

template <class Spectral, class Linear, class Act, bool First>
cuda::FourierOnCuda<detail::FourierKernel<Spectral, Linear, Act, First>, Spectral, Linear,
                    typename Act::function>
on_cuda(const detail::FourierKernel<Spectral, Linear, Act, First>*);

}  // namespace mno

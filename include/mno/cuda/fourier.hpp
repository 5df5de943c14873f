#pragma once
// The patterns that have a kernel of their own on the CPU, here with bias and activation in one pass:
//
//     y = f(F⁻¹(R · F x) + W x + b)   and   y = W₂ f(W₁ x + b₁) + b₂
//
// z is made in the memory that f′(z) takes in the end.
#include "mno/cuda/activation.hpp"
#include "mno/cuda/pointwise.hpp"
#include "mno/cuda/spectral.hpp"
#include "mno/expression/fourier.hpp"
#include "mno/expression/perceptron.hpp"

namespace mno {

namespace cuda {

/// y = f(z + b) and f′(z + b) in place of z, or y alone.
template <class Function, class T> struct Finish {
  T* z;  // dense; becomes f′
  const T* bias;
  Rows<T> y;
  bool keep, add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Slope<T> f = Function::at(z[i] + bias[i % y.channels]);
    y(i) = add ? y(i) + f.value : f.value;
    if (keep) z[i] = f.derivative;
  }
};

template <class Spectral, class Linear, class Function> struct FourierOnCuda {
  using Convolution = SpectralOnCuda<Spectral>;
  using Product = PointwiseOnCuda<Linear>;

  template <class Pass> struct Trace {
    typename Convolution::template Trace<Pass> convolution;
    In<Pass> x, derivative;  // f′(z)
  };

  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> z = pass.recording ? pass.keep_uninitialised(x, Linear::outputs)
                                       : pass.scratch_uninitialised(x, Linear::outputs);
    trace.x = x;
    trace.derivative = z;
    const T *const weight = w.data() + Spectral::parameters, *const bias =
                                                                 weight + Linear::inputs * Linear::outputs;
    Convolution::template evaluate<Pass>(w.first(Spectral::parameters), x, z, trace.convolution, pass,
                                         Write::set);
    Product::template multiply<T>(weight, x, z, Write::add, pass.device());
    pass.device().for_each(numbers(z),
                           Finish<Function, T>{z.data, bias, rows(y), pass.recording, write == Write::add});
  }

  /// z̄ = f′(z) ȳ, then as in its parts
  template <class Pass>
  static void adjoint(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> zbar = pass.scratch_uninitialised(ybar, Linear::outputs);
    pass.device().for_each(numbers(ybar),
                           ActivateAdjoint<T>{rows(ybar), trace.derivative.data, rows(zbar), false});
    const T* const weight = w.data() + Spectral::parameters;
    T *const weight_bar = wbar.data() + Spectral::parameters, *const bias_bar =
                                                                  weight_bar +
                                                                  Linear::inputs * Linear::outputs;
    Product::template multiply_adjoint<T, Pass::dimension>(weight, zbar, trace.x, weight_bar, xbar,
                                                           pass.device(), write);
    add_column_sums<T, Pass::dimension>(pass.device(), zbar, bias_bar);
    Convolution::template adjoint<Pass>(w.first(Spectral::parameters), zbar, trace.convolution,
                                        wbar.first(Spectral::parameters), xbar, pass, Write::add);
  }
};

template <class First, class Second, class Function> struct PerceptronOnCuda {
  using One = PointwiseOnCuda<First>;
  using Two = PointwiseOnCuda<Second>;
  static constexpr int hidden = First::outputs;

  template <class Pass> struct Trace { In<Pass> x, hidden, derivative; };

  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    const bool keep = pass.recording;
    const Out<Pass> h = keep ? pass.keep_uninitialised(x, hidden) : pass.scratch_uninitialised(x, hidden);
    const Out<Pass> z = keep ? pass.keep_uninitialised(x, hidden) : h;
    trace = {x, h, z};
    const T *const bias = w.data() + First::inputs * hidden, *const second_bias =
                                                                 bias + hidden + hidden * Second::outputs;
    One::template multiply<T>(w.data(), x, z, Write::set, device);
    device.for_each(numbers(z), Finish<Function, T>{z.data, bias, rows(h), keep, false});
    if (write == Write::set)
      device.for_each(numbers(y), SetRows<T>{second_bias, rows(y)});
    else
      device.for_each(numbers(y), AddToRows<T>{second_bias, rows(y)});
    Two::template multiply<T, Pass::dimension>(bias + hidden, h, y, Write::add, device);
  }

  /// h̄ = W₂ᵀ ȳ,  z̄ = f′(z) h̄,  x̄ = W₁ᵀ z̄
  template <class Pass>
  static void adjoint(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    const Out<Pass> hbar = pass.scratch_uninitialised(ybar, hidden);
    const std::size_t second = First::parameters;
    T *const bias_bar = wbar.data() + First::inputs * hidden, *const second_bar = wbar.data() + second;
    Two::template multiply_adjoint<T, Pass::dimension>(w.data() + second, ybar, trace.hidden, second_bar,
                                                       hbar, device, Write::set);
    add_column_sums<T, Pass::dimension>(device, ybar, second_bar + hidden * Second::outputs);
    device.for_each(numbers(hbar),
                    ActivateAdjoint<T>{rows(In<Pass>(hbar)), trace.derivative.data, rows(hbar), false});
    One::template multiply_adjoint<T, Pass::dimension>(w.data(), hbar, trace.x, wbar.data(), xbar, device,
                                                       write);
    add_column_sums<T, Pass::dimension>(device, hbar, bias_bar);
  }
};

}  // namespace cuda

template <int In_, int Out_, int D, int Modes, class Function>
cuda::FourierOnCuda<SpectralConv<In_, Out_, D, Modes>, Pointwise<In_, Out_>, Function> on_cuda(
    const Chain<Sum<SpectralConv<In_, Out_, D, Modes>, Pointwise<In_, Out_>>, Activation<Function, Out_>>*);

template <int In_, int Hidden, int Out_, class Function>
cuda::PerceptronOnCuda<Pointwise<In_, Hidden>, Pointwise<Hidden, Out_>, Function> on_cuda(
    const Chain<Pointwise<In_, Hidden>, Activation<Function, Hidden>, Pointwise<Hidden, Out_>>*);

}  // namespace mno

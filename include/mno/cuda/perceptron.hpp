#pragma once
// pointwise >> activation >> pointwise on the GPU: y = W₂ f(W₁ x + b₁) + b₂, bias and activation in one pass.
#include "mno/cuda/activation.hpp"
#include "mno/cuda/pointwise.hpp"
#include "mno/expression/perceptron.hpp"

namespace mno {

namespace cuda {

template <class First, class Second, class Function> struct PerceptronOnCuda {
  using One = PointwiseOnCuda<First>;
  using Two = PointwiseOnCuda<Second>;
  static constexpr int hidden = First::outputs;

  template <class Pass> struct Trace { In<Pass> x, hidden, derivative; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
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
    put_rows<T, Pass::dimension>(device, second_bias, y, write);
    Two::template multiply<T, Pass::dimension>(bias + hidden, h, y, Write::add, device);
  }

  /// h̄ = W₂ᵀ ȳ,  z̄ = f′(z) h̄,  x̄ = W₁ᵀ z̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
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

template <class First, class Act, class Second>
cuda::PerceptronOnCuda<First, Second, typename Act::function> on_cuda(
    const detail::PerceptronKernel<First, Act, Second>*);

}  // namespace mno

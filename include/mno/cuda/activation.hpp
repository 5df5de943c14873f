#pragma once
// Activations on the GPU, by the definition `at` that the CPU's vector kernels are tested against.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/activation.hpp"

namespace mno {

namespace cuda {

/// y = f(x) or y += f(x), and f′(x) where a derivative is kept (null: not).
template <class Function, class T> struct Activate {
  Rows<const T> x;
  Rows<T> y;
  T* derivative;  // dense
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Slope<T> f = Function::at(x(i));
    y(i) = add ? y(i) + f.value : f.value;
    if (derivative) derivative[i] = f.derivative;
  }
};
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
/// x̄ = f′ ȳ or x̄ += f′ ȳ
template <class T> struct ActivateAdjoint {
  Rows<const T> ybar;
  const T* derivative;
  Rows<T> xbar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T value = derivative[i] * ybar(i);
    xbar(i) = add ? xbar(i) + value : value;
  }
};

template <class Function, int Channels> struct ActivationOnCuda {
  template <class Pass> struct Trace { In<Pass> derivative; };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const Out<Pass> derivative = pass.recording ? pass.keep_uninitialised(x, Channels) : Out<Pass>{};
    trace.derivative = derivative;
    pass.device().for_each(numbers(x),
                           Activate<Function, T>{rows(x), rows(y), derivative.data, write == Write::add});
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    if (xbar)
      pass.device().for_each(numbers(ybar), ActivateAdjoint<T>{rows(ybar), trace.derivative.data, rows(xbar),
                                                               write == Write::add});
  }
};

}  // namespace cuda

template <class Function, int Channels>
cuda::ActivationOnCuda<Function, Channels> on_cuda(const Activation<Function, Channels>*);

}  // namespace mno

#pragma once
// Spectral convolution on the GPU: cuFFT, one strided-batched complex product over the modes, cuFFT.
#include "mno/cuda/elementwise.hpp"
#include "mno/cuda/transform.hpp"
#include "mno/layer/spectral.hpp"

namespace mno {

namespace cuda {

namespace detail {
/// R of the modes that the grid has: from (mode of all, re|im, input, output) to complex (mode,
/// input·output).
template <class T, int D> struct Interleave {
  const T* weights;
  Wavenumbers<D> waves;
  Index size;  // inputs · outputs
  Complex<T>* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T* const from = weights + waves.weight_index(i / size) * 2 * size + i % size;
    to[i] = {from[0], from[size]};
  }
};
/// Its adjoint, added. Every mode of the grid has a place of its own.
template <class T, int D> struct Separate {
  const Complex<T>* from;
  Wavenumbers<D> waves;
  Index size;
  T* weights_bar;
  MNO_HOST_DEVICE void operator()(Index i) const {
    T* const to = weights_bar + waves.weight_index(i / size) * 2 * size + i % size;
    to[0] += from[i].x;
    to[size] += from[i].y;
  }
};
}  // namespace detail

template <class L> struct SpectralOnCuda {
  static constexpr int D = L::dimension;
  static constexpr Index inputs = L::inputs, outputs = L::outputs;

  template <class Pass> struct Trace {
    Coefficients<typename Pass::Scalar> u;   // F u
    Complex<typename Pass::Scalar>* mixing;  // R: (mode, input, output)
    Grid<Pass::dimension> grid;
  };

  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this SpectralConv was made for fields of another dimension");
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(x.grid, L::modes);
    const Index modes = waves.size();
    trace.grid = x.grid;
    trace.u = {device.arena().template keep<Complex<T>>(std::size_t(modes * x.batch * inputs)), modes,
               x.batch, inputs};
    trace.mixing = device.arena().template keep<Complex<T>>(std::size_t(modes * inputs * outputs));
    device.for_each(modes * inputs * outputs,
                    detail::Interleave<T, D>{w.data(), waves, inputs * outputs, trace.mixing});
    project<T, D>(device, x, waves, Weight::analysis, trace.u);

    const auto scope = pass.scope();
    const Coefficients<T> mixed = scratch<T>(device, modes, x.batch, outputs);
    device.template multiply<Complex<T>>(modes, mixed.matrices(), trace.u.matrices(), Op::plain,
                                         mixing<T>(trace.mixing), Op::plain, Write::set);
    expand<T, D>(device, mixed, waves, Weight::multiplicity, y, write);
  }

  /// With Ȳ = (F⁻¹)* ȳ:  R̄_k = û_kᴴ Ȳ_k,  ū = F* (Ȳ_k R_kᴴ).
  template <class Pass>
  static void adjoint(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(trace.grid, L::modes);
    const Index modes = waves.size();
    const auto scope = pass.scope();
    const Coefficients<T> mixed_bar = scratch<T>(device, modes, ybar.batch, outputs);
    project<T, D>(device, ybar, waves, Weight::multiplicity, mixed_bar);
    {
      const auto inner = pass.scope();
      Complex<T>* const bar =
          device.arena().template scratch<Complex<T>>(std::size_t(modes * inputs * outputs));
      device.template multiply<Complex<T>>(modes, mixing<T>(bar), trace.u.matrices(), Op::adjoint,
                                           mixed_bar.matrices(), Op::plain, Write::set);
      device.for_each(modes * inputs * outputs,
                      detail::Separate<T, D>{bar, waves, inputs * outputs, wbar.data()});
    }
    if (!xbar) return;
    const Coefficients<T> u_bar = scratch<T>(device, modes, ybar.batch, inputs);
    device.template multiply<Complex<T>>(modes, u_bar.matrices(), mixed_bar.matrices(), Op::plain,
                                         mixing<T>(trace.mixing), Op::adjoint, Write::set);
    expand<T, D>(device, u_bar, waves, Weight::analysis, xbar, write);
  }

 private:
  template <class T> static Coefficients<T> scratch(Cuda& device, Index modes, Index batch, Index channels) {
    return {device.arena().template scratch<Complex<T>>(std::size_t(modes * batch * channels)), modes, batch,
            channels};
  }
  template <class T> static Matrices<Complex<T>> mixing(Complex<T>* data) {
    return {data, inputs, outputs, outputs, inputs * outputs};
  }
};

}  // namespace cuda

template <int In_, int Out_, int D, int Modes>
cuda::SpectralOnCuda<SpectralConv<In_, Out_, D, Modes>> on_cuda(const SpectralConv<In_, Out_, D, Modes>*);

}  // namespace mno

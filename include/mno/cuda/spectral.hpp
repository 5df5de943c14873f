#pragma once
// Spectral convolution on the GPU: cuFFT, one strided-batched complex product over the modes, cuFFT.
#include <optional>

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
/// Adds its adjoint. No two modes of the grid share a place.
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

  /// What the adjoint needs.
  template <class T> struct Kept {
    Coefficients<T> u;   // F u
    Complex<T>* mixing;  // R: (mode, input, output)
  };
  template <class Pass> struct Trace { Kept<typename Pass::Scalar> kept; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this SpectralConv was made for fields of another dimension");
    trace.kept = convolve<T>(w.data(), Samples<const T, D>(x), Samples<T, D>(y), pass.device(), write);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    std::optional<Samples<T, D>> to;
    if (xbar) to.emplace(xbar);
    convolve_adjoint<T>(Samples<const T, D>(ybar), trace.kept, wbar.data(), to, pass.device(), write);
  }

  // The same for samples that are lines of a larger field.

  template <class T>
  static Kept<T> convolve(const T* w, const Samples<const T, D>& x, const Samples<T, D>& y, Cuda& device,
                          Write write) {
    const auto waves = waves_of<D>(Grid<D>{x.points}, L::modes);
    const Index modes = waves.size(), samples = x.count();
    const Kept<T> kept{{device.arena().template keep<Complex<T>>(std::size_t(modes * samples * inputs)),
                        modes, samples, inputs},
                       device.arena().template keep<Complex<T>>(std::size_t(modes * inputs * outputs))};
    device.for_each(modes * inputs * outputs,
                    detail::Interleave<T, D>{w, waves, inputs * outputs, kept.mixing});
    project<T, D>(device, x, waves, Weight::analysis, kept.u);

    const DeviceScope scope(device.arena());
    const auto mixed = scratch_coefficients<T>(device, modes, samples, outputs);
    device.template multiply<Complex<T>>(modes, mixed.matrices(), kept.u.matrices(), Op::plain,
                                         mixing<T>(kept.mixing), Op::plain, Write::set);
    expand<T, D>(device, mixed, waves, Weight::multiplicity, y, write);
    return kept;
  }

  /// With Ȳ = (F⁻¹)* ȳ:  R̄_k = û_kᴴ Ȳ_k,  ū = F* (Ȳ_k R_kᴴ).
  template <class T>
  static void convolve_adjoint(const Samples<const T, D>& ybar, const Kept<T>& kept, T* wbar,
                               const std::optional<Samples<T, D>>& xbar, Cuda& device, Write write) {
    const auto waves = waves_of<D>(Grid<D>{ybar.points}, L::modes);
    const Index modes = waves.size(), samples = ybar.count();
    const DeviceScope scope(device.arena());
    const auto mixed_bar = scratch_coefficients<T>(device, modes, samples, outputs);
    project<T, D>(device, ybar, waves, Weight::multiplicity, mixed_bar);
    {
      const DeviceScope inner(device.arena());
      Complex<T>* const bar =
          device.arena().template scratch<Complex<T>>(std::size_t(modes * inputs * outputs));
      device.template multiply<Complex<T>>(modes, mixing<T>(bar), kept.u.matrices(), Op::adjoint,
                                           mixed_bar.matrices(), Op::plain, Write::set);
      device.for_each(modes * inputs * outputs, detail::Separate<T, D>{bar, waves, inputs * outputs, wbar});
    }
    if (!xbar) return;
    const auto u_bar = scratch_coefficients<T>(device, modes, samples, inputs);
    device.template multiply<Complex<T>>(modes, u_bar.matrices(), mixed_bar.matrices(), Op::plain,
                                         mixing<T>(kept.mixing), Op::adjoint, Write::set);
    expand<T, D>(device, u_bar, waves, Weight::analysis, *xbar, write);
  }

 private:
  template <class T> static Matrices<Complex<T>> mixing(Complex<T>* data) {
    return {data, inputs, outputs, outputs, inputs * outputs};
  }
};

}  // namespace cuda

template <int In_, int Out_, int D, int Modes>
cuda::SpectralOnCuda<SpectralConv<In_, Out_, D, Modes>> on_cuda(const SpectralConv<In_, Out_, D, Modes>*);

}  // namespace mno

#pragma once
// Noise as an input on the GPU: the processor's draws, each mode of each sample by a thread of its own.
#include "mno/cuda/transform.hpp"
#include "mno/layer/noise.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// The coefficients of a visit: (mode, sample, channel).
template <class L, class T> struct DrawModes {
  Wavenumbers<L::dimension> waves;
  std::uint64_t seed;
  Index first, visit, batch;
  Complex<T>* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index mode = i / batch, sample = i % batch;
    L::draw(noise_stream(seed, first + sample, visit), waves, mode, Place{to + i * L::outputs});
  }
  /// (re|im, channel) among numbers that have re and im side by side
  struct Place {
    Complex<T>* at;
    MNO_HOST_DEVICE T& operator[](Index i) const { return i < L::outputs ? at[i].x : at[i - L::outputs].y; }
  };
};

}  // namespace detail

template <class L> struct NoiseOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    constexpr int D = L::dimension;
    static_assert(Pass::dimension == D, "mno: this Noise was made for fields of another dimension");
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(y.grid, L::modes);
    const auto scope = pass.scope();
    const Coefficients<T> z = scratch_coefficients<T>(device, waves.size(), y.batch, L::outputs);
    device.for_each(waves.size() * y.batch, detail::DrawModes<L, T>{waves, pass.noise_seed, pass.first,
                                                                    pass.noise_visit(), y.batch, z.data});
    expand<T, D>(device, z, waves, Weight::multiplicity, y, write);
  }
  /// Nothing depends on x.
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass>, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass& pass,
                  Write write) {
    if (xbar && write == Write::set) pass.clear(xbar);
  }
};

}  // namespace cuda

template <int In_, int Channels, int D, int Modes, class Amplitude>
cuda::NoiseOnCuda<Noise<In_, Channels, D, Modes, Amplitude>> on_cuda(
    const Noise<In_, Channels, D, Modes, Amplitude>*);

}  // namespace mno

#pragma once
// Factorised spectral convolution on the GPU: along every axis a spectral convolution of all lines at once.
#include "mno/cuda/spectral.hpp"
#include "mno/layer/factorised_spectral.hpp"

namespace mno {

namespace cuda {

template <class L> struct FactorisedSpectralOnCuda {
  static constexpr int D = L::dimension;
  using Axis = typename L::Axis;
  using Convolution = SpectralOnCuda<Axis>;

  template <class Pass> struct Trace {
    std::array<typename Convolution::template Kept<typename Pass::Scalar>, std::size_t(D)> kept;  // (axis)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D,
                  "mno: this FactorisedSpectralConv was made for fields of another dimension");
    for (int d = 0; d < D; ++d)
      trace.kept[std::size_t(d)] = Convolution::template convolve<T>(
          w.data() + std::size_t(d) * Axis::parameters, Samples<const T, 1>(x, d), Samples<T, 1>(y, d),
          pass.device(), d == 0 ? write : Write::add);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    for (int d = 0; d < D; ++d) {
      std::optional<Samples<T, 1>> to;
      if (xbar) to.emplace(xbar, d);
      Convolution::template convolve_adjoint<T>(Samples<const T, 1>(ybar, d), trace.kept[std::size_t(d)],
                                                wbar.data() + std::size_t(d) * Axis::parameters, to,
                                                pass.device(), d == 0 ? write : Write::add);
    }
  }
};

}  // namespace cuda

template <int In_, int Out_, int D, int Modes>
cuda::FactorisedSpectralOnCuda<FactorisedSpectralConv<In_, Out_, D, Modes>> on_cuda(
    const FactorisedSpectralConv<In_, Out_, D, Modes>*);

}  // namespace mno

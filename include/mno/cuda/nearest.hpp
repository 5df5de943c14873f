#pragma once
// Upsampling by repetition on the GPU.
#include "mno/cuda/grid_blocks.hpp"
#include "mno/layer/nearest.hpp"

namespace mno {

namespace cuda {

template <int K> struct NearestOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    spread_blocks<K>(pass.device(), x, y, typename Pass::Scalar(1), write);
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) sum_blocks<K>(pass.device(), ybar, xbar, typename Pass::Scalar(1), write);
  }
};

}  // namespace cuda

template <int Channels, int K> cuda::NearestOnCuda<K> on_cuda(const Nearest<Channels, K>*);

}  // namespace mno

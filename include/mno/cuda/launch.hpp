#pragma once
// f(i) for all i < n on the device, f being a struct with `MNO_HOST_DEVICE void operator()(Index i) const`.
//
// All kernels of the library are this one loop. It takes the position of a thread as an argument, so that the
// host stand-in of the tests can run the very same loop, thread by thread in any order.
#include <cuda_runtime_api.h>

#include <cstddef>

#include "mno/core/grid.hpp"
#include "mno/core/host_device.hpp"

namespace mno::cuda {

/// Where a thread stands in a launch.
struct ThreadPosition {
  unsigned block, blocks, thread, threads;
};

/// What one thread does: every (blocks · threads)-th index, so that any number of threads covers any n.
template <class F> MNO_HOST_DEVICE void grid_stride(const F& f, Index n, ThreadPosition at) {
  const Index stride = Index(at.blocks) * Index(at.threads);
  for (Index i = Index(at.block) * Index(at.threads) + Index(at.thread); i < n; i += stride) f(i);
}

template <class F> struct Loop {
  F f;
  Index n;
};

}  // namespace mno::cuda

#ifndef __CUDACC__
/// Defined by the host stand-in alone: without NVIDIA's compiler nothing else can run a kernel. `closure` (of
/// that many bytes, trivially copyable) is copied at once; `thread` is called later, once per thread.
extern "C" cudaError_t mno_standin_launch(const void* closure, std::size_t bytes,
                                          void (*thread)(const void* closure, mno::cuda::ThreadPosition at),
                                          unsigned blocks, unsigned threads, cudaStream_t stream);
#endif

namespace mno::cuda {

inline constexpr unsigned threads_per_block = 256;
inline constexpr unsigned most_blocks = 65535;

#ifdef __CUDACC__
template <class F> __global__ void __launch_bounds__(threads_per_block) run(Loop<F> loop) {
  grid_stride(loop.f, loop.n, {blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
}
#endif

template <class F> cudaError_t launch(Index n, const F& f, cudaStream_t stream) {
  if (n <= 0) return cudaSuccess;
  const Index needed = (n + threads_per_block - 1) / threads_per_block;
  const unsigned blocks = unsigned(needed < Index(most_blocks) ? needed : Index(most_blocks));
  const Loop<F> loop{f, n};
#ifdef __CUDACC__
  run<<<blocks, threads_per_block, 0, stream>>>(loop);
  return cudaGetLastError();
#else
  return mno_standin_launch(
      &loop, sizeof loop,
      [](const void* closure, ThreadPosition at) {
        const auto& one = *static_cast<const Loop<F>*>(closure);
        grid_stride(one.f, one.n, at);
      },
      blocks, threads_per_block, stream);
#endif
}

}  // namespace mno::cuda

// The whole library as NVIDIA's compiler reads it, and as device code the kernels of the layers. Models and
// tensors are compiled by tests/gpu.
#include <mno/mno.hpp>
#if __has_include(<cublas_v2.h>) && __has_include(<cufft.h>)  // parts of the toolkit that may be left out
#include <mno/cuda/leaves.hpp>
#define MNO_HAS_LEAVES
#endif

__global__ void draw(std::uint32_t* out) {
  const auto bits = mno::philox({threadIdx.x, 0, 0, 0}, {1, 2});
  out[threadIdx.x] = bits[0];
}

#ifdef MNO_HAS_LEAVES
/// A layer's kernels, forward and adjoint.
template <class L, int D> void both_ways(mno::Pass<float, D, mno::Cuda>& pass) {
  using Pass = mno::Pass<float, D, mno::Cuda>;
  mno::TraceOf<L, Pass> trace;
  mno::forward_of<L, Pass>({}, {}, {}, trace, pass, mno::Write::set);
  mno::vjp_of<L, Pass>({}, {}, trace, {}, {}, pass, mno::Write::set);
}
void leaves(mno::Pass<float, 1, mno::Cuda>& line, mno::Pass<float, 2, mno::Cuda>& plane,
            mno::Pass<float, 3, mno::Cuda>& box) {
  both_ways<mno::Conv<3, 5, 1, 5, mno::Zero>>(line);
  both_ways<mno::Conv<3, 5, 2, 3, mno::Reflecting>>(plane);
  both_ways<mno::Conv<3, 5, 3, 3, mno::Circular, 2>>(box);
  both_ways<mno::GroupNorm<8, 2>>(plane);
  both_ways<mno::AveragePool<3, 2>>(plane);
  both_ways<mno::MaxPool<3, 2>>(plane);
  both_ways<mno::GlobalMean<3>>(plane);
  both_ways<mno::Nearest<3, 2>>(plane);
  both_ways<mno::SpectralResample<3, 3, 2>>(plane);
  both_ways<mno::Film<3>>(plane);
  both_ways<mno::Noise<3, 3, 2, 4>>(plane);
  both_ways<mno::FactorisedSpectralConv<3, 3, 2, 4>>(plane);
}
#endif

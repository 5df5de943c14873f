// The whole library as NVIDIA's compiler reads it, and as device code the kernels of the layers.
#include <mno/core/tensor.hpp>
#include <mno/mno.hpp>
#if __has_include(<cublas_v2.h>) && __has_include(<cufft.h>)  // parts of the toolkit that may be left out
#include <mno/cuda/leaves.hpp>
#define MNO_HAS_LEAVES
#endif

__global__ void draw(std::uint32_t* out) {
  const auto bits = mno::philox({threadIdx.x, 0, 0, 0}, {1, 2});
  out[threadIdx.x] = bits[0];
}

mno::Index points() {
  mno::Field<float, 2> field(1, {{4, 6}, {}}, 3);
  field.fill([](std::array<double, 2> x, mno::Index channel) { return x[0] + double(channel); });
  mno::tensor(field) = mno::tensor(field) * 2.0f;
  return mno::from_channel_first<float, 2>(mno::to_channel_first(field)).points();
}

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 4, modes = 3, depth = 1, projection = 4;
};

double law() {
  const mno::Mno<Small> model(1);
  mno::Mno<Small> gradient = model.zeros();
  const mno::Field<float, 1> initial(2, {{8}, {}}, 1);
  const float time = 0.5f;
  const auto law = mno::predict(model, initial, time);
  return mno::value_and_gradient(
             model, {initial.view(), {&time, 1}}, [](const mno::LawBlock<float, 1>&) { return 0.0; },
             gradient) +
         double(mno::variance(law)(0, 0, 0));
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

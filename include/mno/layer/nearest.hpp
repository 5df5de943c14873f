#pragma once
// Upsampling by repetition: every point becomes a block of K points per axis;  x̄ = the sum of ȳ over the
// block.
#include "mno/layer/grid_blocks.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <int Channels, int K> struct Nearest : WithoutParameters {
  static_assert(K >= 1, "mno: Nearest makes blocks of at least one point per axis");
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "nearest";
  static constexpr std::array settings{setting("block", K)};

  template <class Pass> struct Trace {};

  template <int D> static Grid<D> grid(const Grid<D>& in) { return detail::finer<K>(in); }

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass&, Write write) {
    detail::spread_blocks<K>(x, y, typename Pass::Scalar(1), write);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass&,
                  Write write) {
    if (xbar) detail::sum_blocks<K>(ybar, xbar, typename Pass::Scalar(1), write);
  }
};

}  // namespace mno

#pragma once
// Some channels of the input, y = [x_first, …, x_{first+count−1}]: takes apart what concat joined, so that
// some channels can bypass a layer of a chain.
#include "mno/layer/pass.hpp"

namespace mno {

template <int In_, int First, int Count> struct Slice : WithoutParameters {
  static_assert(First >= 0 && Count >= 1 && First + Count <= In_,
                "mno: Slice<inputs, first, count> needs channels that the input has");
  static constexpr int inputs = In_, outputs = Count;
  static constexpr const char* name = "slice";
  static constexpr std::array settings{setting("first", First)};

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.transfer(x.slice(First, Count), y, write);
  }

  /// x̄ = ȳ in these channels; nothing for the others
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass) {
    if (xbar) pass.transfer(ybar, xbar.slice(First, Count), Write::add);
  }
};

}  // namespace mno

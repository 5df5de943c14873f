#pragma once
// y = u_0: where an operator that gives fields begins. With u_0 + g(t)·G its output is u_0 at t = 0, bit for
// bit, whatever G is.
#include "mno/layer/pass.hpp"

namespace mno {

/// Stands beside a head (Initial + head * Gate), so it has the head's inputs, which it does not read.
template <int In_, int Channels> struct Initial : WithoutParameters {
  static constexpr int inputs = In_, outputs = Channels;
  static constexpr const char* name = "initial";

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.transfer(pass.initial, y, write);
  }

  /// ū_0 = ȳ;  nothing for x̄
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass>, Pass& pass) {
    if (pass.initial_bar) pass.transfer(ybar, pass.initial_bar, Write::add);
  }
};

}  // namespace mno

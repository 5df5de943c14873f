#pragma once
// y = x: one side of a skip connection.
#include "mno/layer/pass.hpp"

namespace mno {

template <int Channels> struct Identity : WithoutParameters {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "identity";

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.transfer(x, y, write);
  }

  /// x̄ = ȳ
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) pass.transfer(ybar, xbar, write);
  }
};

}  // namespace mno

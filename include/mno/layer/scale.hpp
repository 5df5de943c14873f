#pragma once
// y = c x with a constant c: the step of a solver, say.
#include "mno/layer/pass.hpp"

namespace mno {

/// Value is a type with `static constexpr double value`.
template <int Channels, class Value> struct Scale : WithoutParameters {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "scale";
  static constexpr double value = Value::value;
  static constexpr std::array settings{setting("value", value)};

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    pass.transfer(x, y, write, value);
  }

  /// x̄ = c ȳ
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) pass.transfer(ybar, xbar, write, value);
  }
};

}  // namespace mno

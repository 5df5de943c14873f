#pragma once
// fork(a, b, …): several heads on the same input, their channels side by side in the output.
#include "mno/expression/node.hpp"

namespace mno {

template <Layer First, Layer... Ls> struct Fork : Node<First, Ls...> {
  static_assert(((Ls::inputs == First::inputs) && ...),
                "mno: fork(a, b) needs the same number of input channels in every head");
  using expression = Fork;
  using Base = Node<First, Ls...>;
  template <class Pass> using Trace = typename Base::template Trace<Pass>;
  static constexpr int inputs = First::inputs, outputs = (First::outputs + ... + Ls::outputs);

  /// The channel at which head I begins.
  template <std::size_t I> static constexpr int channel() {
    constexpr int widths[] = {First::outputs, Ls::outputs...};
    return detail::sum_before(widths, I);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    evaluate<Pass>(w, x, y, trace, pass, Write::add);
  }
  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    Base::for_each_part([&](auto i) {
      using Head = typename Base::template Part<i>;
      detail::evaluate<Head, Pass>(Base::template slice<i>(w), x, y.slice(channel<i>(), Head::outputs),
                                   std::get<i>(trace.parts), pass, write);
    });
  }

  /// x̄ = Σ_i J_iᵀ ȳ_i
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    adjoint<Pass>(w, ybar, trace, wbar, xbar, pass, Write::add);
  }
  template <class Pass>
  static void adjoint(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    Base::for_each_part([&](auto i) {
      using Head = typename Base::template Part<i>;
      detail::adjoint<Head, Pass>(Base::template slice<i>(w), ybar.slice(channel<i>(), Head::outputs),
                                  std::get<i>(trace.parts), Base::template slice<i>(wbar), xbar, pass,
                                  i == 0 ? write : Write::add);
    });
  }
};

template <Layer... Ls> constexpr Fork<Ls...> fork(Ls...) { return {}; }

}  // namespace mno

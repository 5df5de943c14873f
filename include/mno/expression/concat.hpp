#pragma once
// concat(a, b, …): several layers on the same input, their channels side by side in the output: for instance
// the heads of an operator, or a skip connection.
#include "mno/expression/node.hpp"

namespace mno {

template <Layer First, Layer... Ls> struct Concat : Node<First, Ls...> {
  static_assert(((Ls::inputs == First::inputs) && ...),
                "mno: concat(a, b) needs the same number of input channels in every part");
  using expression = Concat;
  using Base = Node<First, Ls...>;
  template <class Pass> using Trace = typename Base::template Trace<Pass>;
  static constexpr int inputs = First::inputs, outputs = (First::outputs + ... + Ls::outputs);

  template <int D> static Grid<D> grid(const Grid<D>& g) {
    return detail::common_grid<First, Ls...>("concat(a, b)", g);
  }

  /// The channel at which part I begins.
  template <std::size_t I> static constexpr int channel() {
    constexpr int widths[] = {First::outputs, Ls::outputs...};
    return detail::sum_before(widths, I);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    Base::for_each_part([&](auto i) {
      using Part = typename Base::template Part<i>;
      forward_of<Part, Pass>(Base::template slice<i>(w), x, y.slice(channel<i>(), Part::outputs),
                             std::get<i>(trace.parts), pass, write);
    });
  }

  /// x̄ = Σ_i J_iᵀ ȳ_i
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    Base::for_each_part([&](auto i) {
      using Part = typename Base::template Part<i>;
      vjp_of<Part, Pass>(Base::template slice<i>(w), ybar.slice(channel<i>(), Part::outputs),
                         std::get<i>(trace.parts), Base::template slice<i>(wbar), xbar, pass,
                         i == 0 ? write : Write::add);
    });
  }
};

template <Layer... Ls> constexpr Concat<Ls...> concat(Ls...) { return {}; }

}  // namespace mno

#pragma once
// Layers one after the other, as they run: what a chain becomes when its patterns have been found.
#include <array>

#include "mno/expression/node.hpp"

namespace mno::detail {

template <class... Ls> struct Sequence {
  using Steps = Node<Ls...>;
  static constexpr std::size_t count = sizeof...(Ls), parameters = Steps::parameters;
  template <std::size_t I> using Step = typename Steps::template Part<I>;
  static constexpr int inputs = Step<0>::inputs, outputs = Step<count - 1>::outputs;
  static constexpr const char* name = "";

  template <class Pass> struct Trace {
    std::tuple<TraceOf<Ls, Pass>...> steps;
    std::array<Grid<Pass::dimension>, count> grids;  // of every step's input
  };

  template <int D> static Grid<D> grid(Grid<D> g) {
    ((g = output_grid<Ls>(g)), ...);
    return g;
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    forward_from<0, Pass>(w, x, y, trace, pass, write);
  }

  /// x̄ = J_1ᵀ ⋯ J_nᵀ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    vjp_from<count - 1, Pass>(w, ybar, trace, wbar, xbar, pass, write);
  }

 private:
  template <std::size_t I, class Pass>
  static void forward_from(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                           Write write) {
    const auto step_w = Steps::template slice<I>(w);
    auto& step_trace = std::get<I>(trace.steps);
    trace.grids[I] = x.grid;
    if constexpr (I + 1 == count) {
      forward_of<Step<I>, Pass>(step_w, x, y, step_trace, pass, write);
    } else {
      const Out<Pass> z = pass.keep_uninitialised(x.batch, output_grid<Step<I>>(x.grid), Step<I>::outputs);
      forward_of<Step<I>, Pass>(step_w, x, z, step_trace, pass, Write::set);
      forward_from<I + 1, Pass>(w, z, y, trace, pass, write);
    }
  }
  template <std::size_t I, class Pass>
  static void vjp_from(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                       Out<Pass> xbar, Pass& pass, Write write) {
    const auto step_w = Steps::template slice<I>(w);
    const auto step_wbar = Steps::template slice<I>(wbar);
    const auto& step_trace = std::get<I>(trace.steps);
    if constexpr (I == 0) {
      vjp_of<Step<I>, Pass>(step_w, ybar, step_trace, step_wbar, xbar, pass, write);
    } else {
      const auto scope = pass.scope();
      const Out<Pass> zbar = pass.scratch_uninitialised(ybar.batch, trace.grids[I], Step<I>::inputs);
      vjp_of<Step<I>, Pass>(step_w, ybar, step_trace, step_wbar, zbar, pass, Write::set);
      vjp_from<I - 1, Pass>(w, zbar, trace, wbar, xbar, pass, write);
    }
  }
};

}  // namespace mno::detail

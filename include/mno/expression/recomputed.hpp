#pragma once
// recomputed(a): a itself, but forward keeps only the input, and the adjoint runs forward again.
// tied<n>(recomputed(step)) keeps n states and what one step needs, instead of n times that. It costs one
// more forward: about four thirds of the time.
//
// Parameters, their names and the text are those of a, so model files do not tell the difference.
#include <utility>

#include "mno/expression/node.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <Layer L> struct Recomputed : Node<L> {
  using expression = Recomputed;
  static constexpr int inputs = L::inputs, outputs = L::outputs;

  template <class Pass> struct Trace {
    In<Pass> x;
    VisitCounts visits;  // so that the second time visits, and their noise, are the same
  };

  template <int D> static Grid<D> grid(const Grid<D>& g) { return output_grid<L>(g); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    trace = {x, pass.visits};
    const ArenaScope forgotten(pass.workspace().trace);
    const bool recording = std::exchange(pass.recording, false);
    TraceOf<L, Pass> unused;
    forward_of<L, Pass>(w, x, y, unused, pass, write);
    pass.recording = recording;
  }

  /// x̄ = Jᵀ ȳ with the trace of a second forward
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    const ArenaScope forgotten(pass.workspace().trace);
    const VisitCounts visits = std::exchange(pass.visits, trace.visits);
    const Out<Pass> y = pass.keep_uninitialised(ybar, outputs);
    TraceOf<L, Pass> inner;
    forward_of<L, Pass>(w, trace.x, y, inner, pass, Write::set);
    pass.visits = visits;
    vjp_of<L, Pass>(w, ybar, inner, wbar, xbar, pass, write);
  }
};

template <Layer L> constexpr Recomputed<L> recomputed(L) { return {}; }

}  // namespace mno

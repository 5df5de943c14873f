#pragma once
// repeat<n>(a): a >> a >> … >> a, every copy with parameters of its own.
// tied<n>(a):   the same with one set of parameters for all n visits: the steps of a solver, say.
// One instantiation serves all copies.
#include <array>

#include "mno/expression/node.hpp"

namespace mno {

namespace detail {

/// L `Times` times; copy i has its parameters `stride`·i behind those of the first.
template <int Times, class L, std::size_t Stride> struct Repetition {
  static_assert(Times >= 1, "mno: repeat<n>(a) and tied<n>(a) need n of at least 1");
  static_assert(L::inputs == L::outputs,
                "mno: repeat<n>(a) and tied<n>(a) need as many output channels of a as input channels");
  static constexpr int times = Times;
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr const char* name = "";
  static constexpr std::size_t parameters = std::size_t(Times - 1) * Stride + L::parameters;

  template <class Pass> struct Trace {
    std::array<TraceOf<L, Pass>, std::size_t(Times)> copies;
    std::array<Grid<Pass::dimension>, std::size_t(Times)> grids;  // of every copy's input
  };

  template <int D> static Grid<D> grid(Grid<D> g) {
    for (int i = 0; i < Times; ++i) g = output_grid<L>(g);
    return g;
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    std::array<Out<Pass>, 2> turns{};  // where nothing is recorded, two buffers take turns
    for (std::size_t i = 0; i < std::size_t(Times); ++i) {
      const bool last = i + 1 == std::size_t(Times);
      const Grid<Pass::dimension> next = output_grid<L>(x.grid);
      Out<Pass>& turn = turns[i % 2];
      if (!last && (pass.recording || !turn || turn.grid != next))
        turn = pass.keep_uninitialised(x.batch, next, outputs);
      const Out<Pass> z = last ? y : turn;
      trace.grids[i] = x.grid;
      forward_of<L, Pass>(w.subspan(i * Stride, L::parameters), x, z, trace.copies[i], pass,
                          last ? write : Write::set);
      x = z;
    }
  }

  /// x̄ = J_1ᵀ ⋯ J_nᵀ ȳ; two buffers take turns.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    const auto scope = pass.scope();
    std::array<Out<Pass>, 2> turns{};
    for (std::size_t left = std::size_t(Times); left-- > 0;) {
      Out<Pass>& turn = turns[left % 2];
      if (left > 0 && (!turn || turn.grid != trace.grids[left]))
        turn = pass.scratch_uninitialised(ybar.batch, trace.grids[left], inputs);
      const Out<Pass> zbar = left > 0 ? turn : xbar;
      vjp_of<L, Pass>(w.subspan(left * Stride, L::parameters), ybar, trace.copies[left],
                      wbar.subspan(left * Stride, L::parameters), zbar, pass, left > 0 ? Write::set : write);
      ybar = zbar;
    }
  }
};

}  // namespace detail

template <int Times, Layer L> struct Repeat : detail::Repetition<Times, L, L::parameters> {
  using expression = Repeat;
  using repeated = L;
};
template <int Times, Layer L> struct Tied : detail::Repetition<Times, L, 0> {
  using expression = Tied;
  using parts = Parts<L>;
};

template <int Times, Layer L> constexpr Repeat<Times, L> repeat(L) { return {}; }
template <int Times, Layer L> constexpr Tied<Times, L> tied(L) { return {}; }

}  // namespace mno

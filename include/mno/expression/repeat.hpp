#pragma once
// repeat<n>(a): a >> a >> … >> a, every copy with parameters of its own. One instantiation serves all copies.
#include <array>

#include "mno/expression/node.hpp"

namespace mno {

template <int Times, Layer L> struct Repeat {
  static_assert(Times >= 1, "mno: repeat<n>(a) needs n of at least 1");
  static_assert(L::inputs == L::outputs,
                "mno: repeat<n>(a) needs as many output channels of a as input channels");
  using expression = Repeat;
  using repeated = L;
  static constexpr int times = Times;
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr const char* name = "";
  static constexpr std::size_t parameters = std::size_t(Times) * L::parameters;

  template <class Pass> struct Trace { std::array<TraceOf<L, Pass>, std::size_t(Times)> copies; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    evaluate<Pass>(w, x, y, trace, pass, Write::add);
  }
  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    std::array<Out<Pass>, 2> turns{};  // where nothing is recorded, two buffers take turns
    for (std::size_t i = 0; i < std::size_t(Times); ++i) {
      const bool last = i + 1 == std::size_t(Times);
      Out<Pass>& turn = turns[i % 2];
      if (!last && (pass.recording || !turn)) turn = pass.keep_uninitialised(x, outputs);
      const Out<Pass> z = last ? y : turn;
      detail::evaluate<L, Pass>(w.subspan(i * L::parameters, L::parameters), x, z, trace.copies[i], pass,
                                last ? write : Write::set);
      x = z;
    }
  }

  /// x̄ = J_1ᵀ ⋯ J_nᵀ ȳ; two buffers take turns.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    adjoint<Pass>(w, ybar, trace, wbar, xbar, pass, Write::add);
  }
  template <class Pass>
  static void adjoint(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    const auto scope = pass.scope();
    std::array<Out<Pass>, 2> turns{};
    for (std::size_t left = std::size_t(Times); left-- > 0;) {
      Out<Pass>& turn = turns[left % 2];
      if (left > 0 && !turn) turn = pass.scratch_uninitialised(ybar, inputs);
      const Out<Pass> zbar = left > 0 ? turn : xbar;
      detail::adjoint<L, Pass>(w.subspan(left * L::parameters, L::parameters), ybar, trace.copies[left],
                               wbar.subspan(left * L::parameters, L::parameters), zbar, pass,
                               left > 0 ? Write::set : write);
      ybar = zbar;
    }
  }
};

template <int Times, Layer L> constexpr Repeat<Times, L> repeat(L) { return {}; }

}  // namespace mno

#pragma once
// a * gate: the output of a scaled by a number per sample, g(t).
#include "mno/expression/node.hpp"

namespace mno {

/// A gate is a learned function of time: value(w, t), and vjp(w, t, ḡ, w̄), which adds ḡ ∂g/∂w to w̄ and
/// returns ḡ ∂g/∂t.
template <class G>
concept TimeGate = requires(std::span<const double> w, std::span<double> wbar, double t) {
  { G::parameters } -> std::convertible_to<std::size_t>;
  { G::value(w, t) } -> std::convertible_to<double>;
  { G::vjp(w, t, t, wbar) } -> std::convertible_to<double>;
};

template <Layer L, TimeGate G> struct Gated {
  using expression = Gated;
  using gated = L;
  using gate = G;
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr const char* name = "";
  static constexpr std::size_t parameters = L::parameters + G::parameters;

  template <class Pass> struct Trace {
    typename L::template Trace<Pass> inner;
    In<Pass> a;  // a(x), before the gate
  };

  /// y = g(t) a(x); where g(t) = 0 the output is exactly zero, whatever a is.
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    using T = typename Pass::Scalar;
    const Out<Pass> a = pass.keep(x, outputs);
    L::template forward<Pass>(w.first(L::parameters), x, a, trace.inner, pass);
    trace.a = a;
    for (Index b = 0; b < x.batch; ++b) {
      const T g = G::value(w.subspan(L::parameters), pass.times[std::size_t(b)]);
      if (g == T(0)) continue;
      for (Index p = 0; p < x.points(); ++p)
        for (Index c = 0; c < outputs; ++c) y(b, p, c) += g * a(b, p, c);
    }
  }

  /// ā = g ȳ,  ḡ = ⟨ȳ, a⟩
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> abar = pass.scratch(ybar, outputs);
    for (Index b = 0; b < ybar.batch; ++b) {
      const T t = pass.times[std::size_t(b)];
      const T g = G::value(w.subspan(L::parameters), t);
      T gbar = 0;
      for (Index p = 0; p < ybar.points(); ++p) {
        T sum = 0;
        for (Index c = 0; c < outputs; ++c) {
          sum += ybar(b, p, c) * trace.a(b, p, c);
          abar(b, p, c) = g * ybar(b, p, c);
        }
        gbar += sum;
      }
      const T tbar = G::vjp(w.subspan(L::parameters), t, gbar, wbar.subspan(L::parameters));
      if (!pass.times_bar.empty()) pass.times_bar[std::size_t(b)] += tbar;
    }
    L::template vjp<Pass>(w.first(L::parameters), abar, trace.inner, wbar.first(L::parameters), xbar, pass);
  }
};

template <Layer L, TimeGate G> constexpr Gated<L, G> operator*(L, G) { return {}; }

}  // namespace mno

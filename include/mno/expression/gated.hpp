#pragma once
// a * gate: the output of a scaled by a number per sample, g(t).
#include "mno/device/packet.hpp"
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
  using parts = Parts<L, G>;
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr const char* name = "";
  static constexpr std::size_t parameters = L::parameters + G::parameters;

  template <class Pass> struct Trace {
    TraceOf<L, Pass> inner;
    In<Pass> a;  // a(x), before the gate
  };

  template <int D> static Grid<D> grid(const Grid<D>& g) { return output_grid<L>(g); }

  /// y = g(t) a(x); where g(t) = 0 the output is exactly zero, whatever a is.
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const Out<Pass> a = pass.keep_uninitialised(y, outputs);
    forward_of<L, Pass>(w.first(L::parameters), x, a, trace.inner, pass, Write::set);
    trace.a = a;
    for (Index b = 0; b < x.batch; ++b) {
      const T g = G::value(w.subspan(L::parameters), pass.times[std::size_t(b)]);
      for_each_run(a.samples(b, 1), y.samples(b, 1), [&](const T* from, T* to, Index n) {
        if (g == T(0) && write == Write::set) std::fill_n(to, n, T(0));
        if (g == T(0)) return;
        for_each_packet<T>(n, [&](auto load, auto store) {
          const Packet<T> value = packet::pmul(packet::everywhere(g), load(from));
          store(to, write == Write::add ? Packet<T>(packet::padd(load(to), value)) : value);
        });
      });
    }
  }

  /// ā = g ȳ,  ḡ = ⟨ȳ, a⟩
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    const Out<Pass> abar = pass.scratch_uninitialised(ybar, outputs);
    for (Index b = 0; b < ybar.batch; ++b) {
      const T t = pass.times[std::size_t(b)];
      const T g = G::value(w.subspan(L::parameters), t);
      T gbar = 0;
      for_each_run(ybar.samples(b, 1), abar.samples(b, 1), [&](const T* from, T* to, Index n) {
        using namespace packet;
        const T* const a = trace.a.data + (to - abar.data);
        Packet<T> sum = everywhere(T(0));
        for_each_packet<T>(n, [&](auto load, auto store) {
          const Packet<T> value = load(from);
          sum = pmadd(value, load(a), sum);
          store(to, pmul(everywhere(g), value));
        });
        gbar += Eigen::internal::predux(sum);
      });
      const T tbar = G::vjp(w.subspan(L::parameters), t, gbar, wbar.subspan(L::parameters));
      if (!pass.times_bar.empty()) pass.times_bar[std::size_t(b)] += tbar;
    }
    vjp_of<L, Pass>(w.first(L::parameters), abar, trace.inner, wbar.first(L::parameters), xbar, pass, write);
  }

 private:
  /// f(from, to, numbers) for runs of at most 256 points that lie together in both views, so that a sum over
  /// many points is a sum of short ones.
  template <class From, class To, class F> static void for_each_run(const From& from, const To& to, F&& f) {
    const Index run = from.pitch == outputs && to.pitch == outputs ? 256 : 1;
    for (Index r = 0; r < from.rows(); r += run)
      f(from.row(r), to.row(r), std::min(run, from.rows() - r) * outputs);
  }
};

template <Layer L, TimeGate G> constexpr Gated<L, G> operator*(L, G) { return {}; }

}  // namespace mno

#pragma once
// Feature-wise modulation, y = (1 + s) x + b at every point and channel: another part of the model scales and
// shifts x. Its input is [x | s | b]; s = b = 0 lets x through.
#include "mno/layer/pass.hpp"

namespace mno {

template <int Channels> struct Film : WithoutParameters {
  static constexpr int inputs = 3 * Channels, outputs = Channels;
  static constexpr const char* name = "film";

  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass&, Write write) {
    using namespace packet;
    using T = typename Pass::Scalar;
    trace.x = x;
    for (Index r = 0; r < x.rows(); ++r) {
      const T *const field = x.row(r), *const scale = field + Channels, *const shift = scale + Channels;
      T* const to = y.row(r);
      for_each_packet<T>(Channels, [&](auto load, auto store) {
        const Packet<T> u = load(field), value = pmadd(load(scale), u, Packet<T>(padd(u, load(shift))));
        store(to, write == Write::add ? Packet<T>(padd(load(to), value)) : value);
      });
    }
  }

  /// x̄ = (1 + s) ȳ,   s̄ = x ȳ,   b̄ = ȳ
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass&, Write write) {
    using namespace packet;
    using T = typename Pass::Scalar;
    if (!xbar) return;
    for (Index r = 0; r < ybar.rows(); ++r) {
      const T *const bar = ybar.row(r), *const field = trace.x.row(r), *const scale = field + Channels;
      T* const to = xbar.row(r);
      for_each_packet<T>(Channels, [&](auto load, auto store) {
        const auto put = [&](T* at, const Packet<T>& value) {
          store(at, write == Write::add ? Packet<T>(padd(load(at), value)) : value);
        };
        const Packet<T> q = load(bar);
        put(to, pmadd(load(scale), q, q));
        put(to + Channels, pmul(load(field), q));
        put(to + 2 * Channels, q);
      });
    }
  }
};

}  // namespace mno

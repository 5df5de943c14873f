#pragma once
// A straight path from u_0 to the drift, y_c = κ_c u_0,c: so the layers need not reproduce the part of u_0
// that is gone at time t.
#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

/// Stands beside a head (head + InitialPath), so it has the head's inputs, which it does not read.
template <int In_, int Channels> struct InitialPath {
  static constexpr int inputs = In_, outputs = Channels;
  static constexpr const char* name = "path";
  static constexpr std::array leaves{parameter("scale", Channels)};
  static constexpr std::size_t parameters = total(leaves);

  template <class Pass> struct Trace {};

  /// Closed at first: open_path (train/open_path.hpp) says how far it is opened.
  template <class T> static void initialise(std::span<T> w, Stream&) { std::fill(w.begin(), w.end(), T(0)); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass) {
    for (Index r = 0; r < y.rows(); ++r)
      for (Index c = 0; c < Channels; ++c) y.row(r)[c] += w[std::size_t(c)] * pass.initial.row(r)[c];
  }

  /// κ̄_c = Σ ȳ_c u_0,c,  ū_0,c = κ_c ȳ_c;  nothing for x̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass> wbar, Out<Pass>,
                  Pass& pass) {
    using T = typename Pass::Scalar;
    for (Index b = 0; b < ybar.batch; ++b) {
      T sum[Channels] = {};
      for (Index p = 0; p < ybar.points(); ++p)
        for (Index c = 0; c < Channels; ++c) sum[c] += ybar(b, p, c) * pass.initial(b, p, c);
      for (Index c = 0; c < Channels; ++c) wbar[std::size_t(c)] += sum[c];
    }
    if (!pass.initial_bar) return;
    for (Index r = 0; r < ybar.rows(); ++r)
      for (Index c = 0; c < Channels; ++c) pass.initial_bar.row(r)[c] += w[std::size_t(c)] * ybar.row(r)[c];
  }
};

}  // namespace mno

#pragma once
// y = x: one side of a skip connection.
#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <int Channels> struct Identity {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "identity";
  static constexpr std::array<Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;

  template <class Pass> struct Trace {};

  template <class T> static void initialise(std::span<T>, Stream&) {}

  template <class Pass> static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass&) {
    add(x, y);
  }

  /// x̄ = ȳ
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass&) {
    if (xbar) add(ybar, xbar);
  }

 private:
  template <class From, class To> static void add(const From& from, const To& to) {
    for (Index r = 0; r < to.rows(); ++r)
      for (Index c = 0; c < to.channels; ++c) to.row(r)[c] += from.row(r)[c];
  }
};

}  // namespace mno

#pragma once
// y = c everywhere, whatever x is: the time increment beside increments of noise, say, or a constant
// diffusion.
#include "mno/layer/pass.hpp"

namespace mno {

namespace detail {
template <class T, int D> struct PutConstant {
  View<T, D> y;
  T value;
  bool add;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const { y.row(r)[c] = add ? y.row(r)[c] + value : value; }
};
}  // namespace detail

/// Value is a type with `static constexpr double value`.
template <int In_, int Channels, class Value> struct Constant : WithoutParameters {
  static constexpr int inputs = In_, outputs = Channels;
  static constexpr const char* name = "constant";
  static constexpr double value = Value::value;
  static constexpr std::array settings{setting("value", value)};

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    pass.for_each(y, detail::PutConstant<T, Pass::dimension>{y, T(value), write == Write::add});
  }

  /// Nothing depends on x.
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass>, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass& pass,
                  Write write) {
    if (xbar && write == Write::set) pass.clear(xbar);
  }
};

}  // namespace mno

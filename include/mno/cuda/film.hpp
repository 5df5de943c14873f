#pragma once
// Feature-wise modulation on the GPU: y = (1 + s) x + b for [x | s | b].
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/film.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// y = (1 + s) x + b, or y += that
template <class T> struct Modulate {
  Rows<const T> field, scale, shift;
  Rows<T> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T x = field(i), value = scale(i) * x + (x + shift(i));
    y(i) = add ? y(i) + value : value;
  }
};
/// x̄ = (1 + s) ȳ,   s̄ = x ȳ,   b̄ = ȳ, or each += that
template <class T> struct ModulateAdjoint {
  Rows<const T> ybar, field, scale;
  Rows<T> field_bar, scale_bar, shift_bar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T q = ybar(i);
    put(field_bar(i), scale(i) * q + q);
    put(scale_bar(i), field(i) * q);
    put(shift_bar(i), q);
  }
  MNO_HOST_DEVICE void put(T& to, T value) const { to = add ? to + value : value; }
};

}  // namespace detail

template <int Channels> struct FilmOnCuda {
  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    trace.x = x;
    pass.device().for_each(numbers(y), detail::Modulate<typename Pass::Scalar>{
                                           part(x, 0), part(x, 1), part(x, 2), rows(y), write == Write::add});
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar)
      pass.device().for_each(numbers(ybar), detail::ModulateAdjoint<typename Pass::Scalar>{
                                                rows(ybar), part(trace.x, 0), part(trace.x, 1), part(xbar, 0),
                                                part(xbar, 1), part(xbar, 2), write == Write::add});
  }

 private:
  /// x, s or b
  template <class T, int D> static Rows<T> part(const View<T, D>& all, Index i) {
    return rows(all.slice(i * Channels, Channels));
  }
};

}  // namespace cuda

template <int Channels> cuda::FilmOnCuda<Channels> on_cuda(const Film<Channels>*);

}  // namespace mno

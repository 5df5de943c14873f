#pragma once
// The Mercer prior on the GPU: one thread per sample does what the CPU does. Orthonormalising is a chain of
// scalar products that wait for each other; spreading one product over threads would need a launch for each
// product.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/mercer.hpp"

namespace mno {

namespace cuda {

template <class L> struct MercerOnCuda {
  template <class Pass> struct Trace {
    typename Pass::Scalar *raw, *psi, *coefficient, *norm, *root, *slope;
  };

  template <class TraceType, class T> struct Forward {
    const T* x;
    Index x_pitch;
    T* y;
    Index y_pitch;
    TraceType trace;
    Index points;
    T cell;
    MNO_HOST_DEVICE void operator()(Index b) const {
      L::forward_sample(x + b * points * x_pitch, x_pitch, y + b * points * y_pitch, y_pitch,
                        L::sample(trace, points, cell, b));
    }
  };
  template <class TraceType, class T> struct Backward {
    const T* ybar;
    Index y_pitch;
    T* xbar;
    Index x_pitch;
    T* room;
    TraceType trace;
    Index points, room_per_sample;
    T cell;
    MNO_HOST_DEVICE void operator()(Index b) const {
      L::vjp_sample(ybar + b * points * y_pitch, y_pitch, xbar + b * points * x_pitch, x_pitch,
                    room + b * room_per_sample, L::sample(trace, points, cell, b));
    }
  };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    trace = L::template make_trace<Trace<Pass>>(x, pass);
    if (write == Write::set) pass.device().for_each(numbers(y), SetTo<T>{rows(y), T(0)});
    pass.device().for_each(x.batch, Forward<Trace<Pass>, T>{x.data, x.pitch, y.data, y.pitch, trace,
                                                            x.points(), T(x.grid.cell())});
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    if (!xbar) return;
    const auto scope = pass.scope();
    if (write == Write::set) pass.device().for_each(numbers(xbar), SetTo<T>{rows(xbar), T(0)});
    const Index room = (L::outputs / L::channels + 1) * ybar.points() * L::channels;
    pass.device().for_each(ybar.batch, Backward<Trace<Pass>, T>{ybar.data, ybar.pitch, xbar.data, xbar.pitch,
                                                                pass.scratch_values(ybar.batch * room), trace,
                                                                ybar.points(), room, T(ybar.grid.cell())});
  }
};

}  // namespace cuda

template <int Rank, int Channels, class Bound>
cuda::MercerOnCuda<Mercer<Rank, Channels, Bound>> on_cuda(const Mercer<Rank, Channels, Bound>*);

}  // namespace mno

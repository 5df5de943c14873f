#pragma once
// Pooling on the GPU: average, maximum, and the mean over the grid.
#include "mno/cuda/grid_blocks.hpp"
#include "mno/layer/pooling.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// y = the largest of the block, or y += that, and which point it was, where that is kept (null: not).
template <int K, class T, int D> struct LargestOfBlocks {
  Rows<const T> x;
  Grid<D> fine, coarse;
  Rows<T> y;
  T* winner;  // dense
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % y.channels;
    const Index corner = mno::detail::block_corner<K>(i / y.channels, coarse);
    T best = x.data[corner * x.pitch + channel];
    Index which = 0;
    for (Index t = 1; t < mno::detail::block_size<K, D>(); ++t) {
      const T value = x.data[(corner + mno::detail::block_offset<K>(t, fine)) * x.pitch + channel];
      if (best == best && !(value <= best)) {  // it is larger, or the first NaN
        best = value;
        which = t;
      }
    }
    y(i) = add ? y(i) + best : best;
    if (winner) winner[i] = T(which);
  }
};
/// x̄ = ȳ where the largest was and 0 elsewhere, or x̄ += that
template <int K, class T, int D> struct LargestAdjoint {
  Rows<const T> ybar;
  const T* winner;
  Grid<D> fine;
  Rows<T> xbar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % xbar.channels;
    const auto place = mno::detail::place_in_block<K>(i / xbar.channels, fine);
    const bool won = winner[place.coarse * xbar.channels + channel] == T(place.point);
    const T value = won ? ybar.data[place.coarse * ybar.pitch + channel] : T(0);
    xbar(i) = add ? xbar(i) + value : value;
  }
};

/// A segment is (sample, channel).
template <class T> struct PointTerm {
  Rows<const T> x;
  Index points;
  MNO_HOST_DEVICE double operator()(Index segment, Index point) const {
    return double(x.data[(segment / x.channels * points + point) * x.pitch + segment % x.channels]);
  }
};
/// y = sum/points in every point, or y += that
template <class T> struct SpreadGridMean {
  const double* sums;  // (sample, channel)
  Index points;
  Rows<T> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const double sum = sums[i / y.channels / points * y.channels + i % y.channels];
    const T value = T(sum / double(points));
    y(i) = add ? y(i) + value : value;
  }
};

}  // namespace detail

template <int Channels, int K> struct AveragePoolOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    sum_blocks<K>(pass.device(), x, y, AveragePool<Channels, K>::template share<Pass>(), write);
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar)
      spread_blocks<K>(pass.device(), ybar, xbar, AveragePool<Channels, K>::template share<Pass>(), write);
  }
};

template <int Channels, int K> struct MaxPoolOnCuda {
  template <class Pass> struct Trace {
    In<Pass> winner;  // which point of the block it was, as a number
  };

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const Out<Pass> winner = pass.recording ? pass.keep_uninitialised(y, Channels) : Out<Pass>{};
    trace.winner = winner;
    pass.device().for_each(numbers(y),
                           detail::LargestOfBlocks<K, T, Pass::dimension>{rows(x), x.grid, y.grid, rows(y),
                                                                          winner.data, write == Write::add});
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    if (xbar)
      pass.device().for_each(numbers(xbar),
                             detail::LargestAdjoint<K, T, Pass::dimension>{
                                 rows(ybar), trace.winner.data, xbar.grid, rows(xbar), write == Write::add});
  }
};

template <int Channels> struct GlobalMeanOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    average(x, y, pass, write);
  }
  /// The operator is its own adjoint.
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass& pass, Write write) {
    if (xbar) average(ybar, xbar, pass, write);
  }

 private:
  template <class Pass> static void average(In<Pass> from, Out<Pass> to, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    double* const sums = device.arena().template scratch<double>(std::size_t(from.batch * Channels));
    reduce<double>(device, from.batch * Channels, from.points(),
                   detail::PointTerm<T>{rows(from), from.points()}, sums, Neighbours::segments);
    device.for_each(numbers(to), detail::SpreadGridMean<T>{sums, to.points(), rows(to), write == Write::add});
  }
};

}  // namespace cuda

template <int Channels, int K> cuda::AveragePoolOnCuda<Channels, K> on_cuda(const AveragePool<Channels, K>*);
template <int Channels, int K> cuda::MaxPoolOnCuda<Channels, K> on_cuda(const MaxPool<Channels, K>*);
template <int Channels> cuda::GlobalMeanOnCuda<Channels> on_cuda(const GlobalMean<Channels>*);

}  // namespace mno

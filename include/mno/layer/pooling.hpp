#pragma once
// Pooling: a block of K points per axis becomes one, or the whole grid its mean.
#include "mno/layer/grid_blocks.hpp"
#include "mno/layer/pass.hpp"
#include "mno/layer/point_sums.hpp"

namespace mno {

/// y = the mean of the block;  x̄ = ȳ / K^D.
template <int Channels, int K> struct AveragePool : WithoutParameters {
  static_assert(K >= 1, "mno: an AveragePool takes blocks of at least one point per axis");
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "average-pool";
  static constexpr std::array settings{setting("block", K)};

  template <class Pass> struct Trace {};

  template <int D> static Grid<D> grid(const Grid<D>& in) { return detail::coarser<K>("AveragePool", in); }

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass&, Write write) {
    detail::sum_blocks<K>(x, y, share<Pass>(), write);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass&,
                  Write write) {
    if (xbar) detail::spread_blocks<K>(ybar, xbar, share<Pass>(), write);
  }

  /// 1 / K^D
  template <class Pass> static constexpr typename Pass::Scalar share() {
    return typename Pass::Scalar(1.0 / double(detail::block_size<K, Pass::dimension>()));
  }
};

/// y = the largest of the block, the first of those that are equal;  x̄ is ȳ there, and 0 elsewhere. A NaN
/// counts as larger than every number.
template <int Channels, int K> struct MaxPool : WithoutParameters {
  static_assert(K >= 1, "mno: a MaxPool takes blocks of at least one point per axis");
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "max-pool";
  static constexpr std::array settings{setting("block", K)};

  template <class Pass> struct Trace {
    In<Pass> winner;  // which point of the block it was, as a number
  };

  template <int D> static Grid<D> grid(const Grid<D>& in) { return detail::coarser<K>("MaxPool", in); }

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    namespace in = Eigen::internal;
    using namespace packet;
    using T = typename Pass::Scalar;
    using P = Packet<T>;
    const auto winner = pass.recording ? pass.keep_uninitialised(y, Channels) : Out<Pass>{};
    trace.winner = winner;
    const auto offsets = detail::block_offsets<K>(x.grid);
    detail::for_each_grid_block<K>(y.batch, y.grid, [&](Index at, Index corner) {
      T* const to = y.row(at);
      for_each_packet<T>(Channels, [&](auto load, auto store) {
        P best = load(x.row(corner)), which = everywhere(T(0));
        for (std::size_t t = 1; t < offsets.size(); ++t) {
          const P value = load(x.row(corner + offsets[t]));
          // best < value, or value is the first NaN
          const P larger = in::pand(in::pcmp_lt_or_nan(best, value), in::pcmp_eq(best, best));
          best = in::pselect(larger, value, best);
          which = in::pselect(larger, everywhere(T(t)), which);
        }
        store(to, write == Write::add ? P(padd(load(to), best)) : best);
        if (winner) store(winner.row(at), which);
      });
    });
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass&, Write write) {
    namespace in = Eigen::internal;
    using namespace packet;
    using T = typename Pass::Scalar;
    using P = Packet<T>;
    if (!xbar) return;
    const auto offsets = detail::block_offsets<K>(xbar.grid);
    detail::for_each_grid_block<K>(ybar.batch, ybar.grid, [&](Index at, Index corner) {
      for_each_packet<T>(Channels, [&](auto load, auto store) {
        const P bar = load(ybar.row(at)), which = load(trace.winner.row(at));
        for (std::size_t t = 0; t < offsets.size(); ++t) {
          T* const to = xbar.row(corner + offsets[t]);
          const P value = in::pand(in::pcmp_eq(which, everywhere(T(t))), bar);
          store(to, write == Write::add ? P(padd(load(to), value)) : value);
        }
      });
    });
  }
};

/// y = the mean over the grid, in every point;  x̄ = the mean of ȳ over the grid, in every point. The operator
/// is its own adjoint.
template <int Channels> struct GlobalMean : WithoutParameters {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "global-mean";

  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass&, Write write) {
    average(x, y, write);
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass&,
                  Write write) {
    if (xbar) average(ybar, xbar, write);
  }

 private:
  template <class T, int D>
  static void average(const View<const T, D>& from, const View<T, D>& to, Write write) {
    for (Index b = 0; b < from.batch; ++b) {
      const auto sample = from.samples(b, 1);
      double sum[1][Channels];
      detail::sum_over_points<T, Channels>(
          from.points(), sum, [&](Index p, auto load) { return std::array{load(sample.row(p))}; });
      T mean[Channels];
      for (Index c = 0; c < Channels; ++c) mean[c] = T(sum[0][c] / double(from.points()));
      for (Index p = 0; p < to.points(); ++p) {
        T* const row = to.samples(b, 1).row(p);
        for_each_packet<T>(Channels, [&](auto load, auto store) {
          store(row, write == Write::add ? Packet<T>(packet::padd(load(row), load(mean))) : load(mean));
        });
      }
    }
  }
};

}  // namespace mno

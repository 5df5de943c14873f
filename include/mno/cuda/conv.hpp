#pragma once
// Convolution on the GPU by patches and cuBLAS:
//
//     y = P W + b,    W̄ = Pᵀ ȳ,    x̄_q = Σ Z_{p,a} over all (p, a) that read x_q,   Z = ȳ Wᵀ,
//
// where row p of P holds what all taps of output p read. P and Z are as large as x or y times the number of
// taps, so they are made for some samples at a time, or for some taps of one sample.
#include "mno/cuda/elementwise.hpp"
#include "mno/layer/conv.hpp"

namespace mno {

namespace cuda {

namespace detail {

/// P of the taps [first, first + taps): (output, tap, input).
template <class Points, class T, int D> struct Patches {
  Rows<const T> x;
  Grid<D> in, out;
  Index points, out_points, first, taps;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % x.channels, tap = i / x.channels % taps, row = i / x.channels / taps;
    const Index from = Points::template source<D>(row % out_points, first + tap, in, out);
    to[i] = from < 0 ? T(0) : x.data[(row / out_points * points + from) * x.pitch + channel];
  }
};

/// x̄ = its share of Z over the taps [first, first + taps), or x̄ += that.
template <class Points, class T, int D> struct GatherPatches {
  const T* z;  // (output, tap, input)
  Grid<D> in, out;
  Index points, out_points, first, taps;
  Rows<T> xbar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index row = i / xbar.channels, sample = row / points;
    const T* const from = z + sample * out_points * taps * xbar.channels + i % xbar.channels;
    T sum = 0;
    for (Index tap = 0; tap < taps; ++tap)
      Points::for_each_reader(row % points, first + tap, in, out,
                              Sum{from + tap * xbar.channels, taps * xbar.channels, sum});
    xbar(i) = add ? xbar(i) + sum : sum;
  }
  struct Sum {
    const T* from;
    Index pitch;
    T& sum;
    MNO_HOST_DEVICE void operator()(Index output) const { sum += from[output * pitch]; }
  };
};

}  // namespace detail

/// P and Z have at most `most` numbers at a time, or as many as one tap of one sample has.
template <class L, Index most = Index(1) << 24> struct ConvOnCuda {
  using Points = typename L::Points;
  static constexpr int D = L::dimension;
  static constexpr Index inputs = L::inputs, outputs = L::outputs;
  static constexpr Index taps = Index(L::parameters - L::outputs) / (inputs * outputs);

  template <class Pass> struct Trace { In<Pass> x; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this Conv was made for fields of another dimension");
    const Grid<D> out = Points::outputs("Conv", x.grid);
    trace.x = x;
    put_rows<T, D>(pass.device(), w.data() + taps * inputs * outputs, y, write);
    for_each_part<T>(out.size(), x.batch, pass, [&](const Part<T>& part) {
      const MatrixView<T> patches = part.patches(x, out, pass.device());
      pass.device().template multiply<T>(part.of(y), patches, Op::plain, part.matrix(w.data()), Op::plain,
                                         Write::add);
    });
  }

  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    add_column_sums<T>(device, ybar, wbar.data() + taps * inputs * outputs);
    for_each_part<T>(ybar.points(), ybar.batch, pass, [&](const Part<T>& part) {
      const MatrixView<T> patches = part.patches(trace.x, ybar.grid, device);
      device.template multiply<T>(part.matrix(wbar.data()), patches, Op::transposed, part.of(ybar), Op::plain,
                                  Write::add);
      if (!xbar) return;
      const MatrixView<T> z = patches;  // no longer needed
      device.template multiply<T>(z, part.of(ybar), Op::plain, part.template matrix<const T>(w.data()),
                                  Op::transposed, Write::set);
      part.gather(z, ybar.grid, xbar, device, part.tap == 0 ? write : Write::add);
    });
  }

 private:
  /// Some samples and some taps, and the memory for P and Z.
  template <class T> struct Part {
    Index sample, samples, tap, count;
    T* room;

    template <class U> MatrixView<U> of(const View<U, D>& field) const {
      return as_matrix(field.samples(sample, samples));
    }
    template <class U> MatrixView<U> matrix(U* w) const {
      return {w + tap * inputs * outputs, count * inputs, outputs, outputs};
    }
    MatrixView<T> patches(const View<const T, D>& x, const Grid<D>& out, Cuda& device) const {
      const Index rows_of_out = samples * out.size(), columns = count * inputs;
      device.for_each(rows_of_out * columns,
                      detail::Patches<Points, T, D>{rows(x.samples(sample, samples)), x.grid, out, x.points(),
                                                    out.size(), tap, count, room});
      return {room, rows_of_out, columns, columns};
    }
    void gather(const MatrixView<T>& z, const Grid<D>& out, const View<T, D>& xbar, Cuda& device,
                Write write) const {
      const View<T, D> to = xbar.samples(sample, samples);
      device.for_each(numbers(to),
                      detail::GatherPatches<Points, T, D>{z.data, to.grid, out, to.points(), out.size(), tap,
                                                          count, rows(to), write == Write::add});
    }
  };

  template <class T, class Pass, class F>
  static void for_each_part(Index out_points, Index batch, Pass& pass, F&& f) {
    const Index one_tap = out_points * inputs;
    const Index samples = std::clamp<Index>(most / (one_tap * taps), 1, batch);
    const Index count = std::clamp<Index>(most / (samples * one_tap), 1, taps);
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(samples * one_tap * count);
    for (Index b = 0; b < batch; b += samples)
      for (Index tap = 0; tap < taps; tap += count)
        f(Part<T>{b, std::min(samples, batch - b), tap, std::min(count, taps - tap), room});
  }
};

}  // namespace cuda

template <int In_, int Out_, int D, int Size, class Edge, int Stride>
cuda::ConvOnCuda<Conv<In_, Out_, D, Size, Edge, Stride>> on_cuda(
    const Conv<In_, Out_, D, Size, Edge, Stride>*);

}  // namespace mno

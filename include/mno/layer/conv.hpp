#pragma once
// Convolution with a stencil of Size points per axis:
//
//     y_p = b + Σ_a x_{s p + a − h} W_a,        a ∈ {0 … Size−1}^D,  h = (Size − 1)/2,
//
// with the stride s. The edge says what stands beyond the ends of an axis (edge.hpp).
//
// In a row of channel-last points, the Size points that an output reads lie side by side, so a row of outputs
// is one product: the rows of its left factor, Size·In numbers each, begin s·In numbers apart and overlap. No
// patches are copied; a row is copied once for every product that reads it, with its edges filled in, which
// is 1/(Size·Out) of the product's work.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"
#include "mno/layer/stencil.hpp"

namespace mno {

template <int In_, int Out_, int D, int Size, class Edge = Circular, int Stride = 1> struct Conv {
  static_assert(In_ >= 1 && Out_ >= 1, "mno: Conv needs at least one channel on each side");
  static_assert(Size >= 1 && Size % 2 == 1, "mno: the Size of a Conv is odd, so that it has a middle");
  static_assert(Stride >= 1, "mno: the Stride of a Conv is at least one");
  using Points = Stencil<D, Size, Edge, Stride>;
  static constexpr int inputs = In_, outputs = Out_, dimension = D;
  static constexpr const char* name = "conv";
  static constexpr std::array leaves{parameter("weight", Points::rows* Size, inputs, outputs),
                                     parameter("bias", outputs)};
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("size", Size),
                                       setting("edge", Edge::name), setting("stride", Stride)};

  template <class Pass> struct Trace { In<Pass> x; };

  /// Uniform in ±1/√(inputs·Size^D), weight and bias.
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    const double bound = 1 / std::sqrt(double(inputs) * double(Points::rows * Size));
    for (T& value : w) value = T(bound * (2 * random.uniform() - 1));
  }

  /// The points 0, s, 2s, … of every axis.
  template <int E> static Grid<E> grid(const Grid<E>& in) requires(Stride > 1) {
    static_assert(E == D, "mno: this Conv was made for fields of another dimension");
    return Points::outputs("Conv", in);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this Conv was made for fields of another dimension");
    trace.x = x;
    const auto scope = pass.scope();
    const T* const matrices = few_outputs ? transposed<T>(w, pass) : w.data();
    const T* const bias = w.data() + weights;
    if (write == Write::add)
      for (Index r = 0; r < y.rows(); ++r) add_to(bias, y.row(r), outputs);
    for_each_piece<T>(x, pass, [&](Index row, Index count, Index tap, const T* patches, bool first) {
      const T* const matrix = matrices + tap * depth * outputs;
      detail::product<T>({y.row(row), count, outputs, y.pitch}, {patches, Stride * inputs, 1},
                         few_outputs ? MatrixView<const T>{matrix, outputs, depth, depth}
                                     : MatrixView<const T>{matrix, depth, outputs, outputs},
                         depth, T(1), Write::add, few_outputs, first && write == Write::set ? bias : nullptr);
    });
  }

  /// W̄_a = Σ_p x_{sp + a − h}ᵀ ȳ_p,   b̄ = Σ_p ȳ_p,   x̄_q = Σ ȳ_p W_aᵀ over all (p, a) that read x_q.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto scope = pass.scope();
    for (Index r = 0; r < ybar.rows(); ++r) add_to(ybar.row(r), wbar.data() + weights, outputs);
    T* const few = few_outputs ? pass.scratch_values(weights) : nullptr;  // W̄ as (row tap, output, tap·input)
    if (few) std::fill_n(few, weights, T(0));
    for_each_piece<T>(trace.x, pass, [&](Index row, Index count, Index tap, const T* patches, bool) {
      const Index at = tap * depth * outputs;
      if (few)
        detail::product<T>({few + at, outputs, depth, depth}, {ybar.row(row), 1, ybar.pitch},
                           {patches, count, depth, Stride * inputs}, count, T(1), Write::add, false);
      else
        detail::product<T>({wbar.data() + at, depth, outputs, outputs}, {patches, 1, Stride * inputs},
                           {ybar.row(row), count, outputs, ybar.pitch}, count, T(1), Write::add, false);
    });
    for (Index i = 0; few && i < weights; ++i) {
      const Index tap = i / (depth * outputs), rest = i % (depth * outputs);
      wbar[std::size_t(tap * depth * outputs + rest % depth * outputs + rest / depth)] += few[i];
    }
    if (!xbar) return;
    if (write == Write::set) pass.clear(xbar);
    add_input_bar<T>(adjoint_matrices<T>(w, pass), ybar, xbar, pass);
  }

 private:
  static constexpr Index depth = Size * inputs, weights = Points::rows * depth * outputs;
  static constexpr Index half = Points::half;
  static constexpr bool few_outputs = outputs <= 4, few_inputs = inputs <= 4;  // scalar products of rows
  static constexpr Index most_points = 64;  // of a row at a time: what the product reads stays in L1

  /// f(row of y, points, tap, patches, is it the first tap?) for all pieces of rows and their taps: the first
  /// point's row of y, and the points' patches, which begin Stride·inputs numbers apart.
  template <class T, class Pass, class F>
  static void for_each_piece(const View<const T, D>& x, Pass& pass, F&& f) {
    const Grid<D> to = Points::outputs("Conv", x.grid);
    const Index n = Points::last(x.grid), m = Points::last(to), rows = to.size() / m;
    T* const room = pass.scratch_values(Points::reach(std::min(m, most_points)) * inputs);
    for (Index b = 0; b < x.batch; ++b)
      for (Index o = 0; o < rows; ++o)
        for (Index p = 0; p < m; p += most_points) {
          const Index count = std::min(most_points, m - p);
          bool first = true;
          Points::for_each_row(o, x.grid, to, [&](Index tap, Index row) {
            copy_padded<Edge>(x.samples(b, 1).row(row * n), n, x.pitch, inputs, p * Stride - half,
                              Points::reach(count), room);
            f((b * rows + o) * m + p, count, tap, static_cast<const T*>(room), first);
            first = false;
          });
        }
  }

  /// Adds to x̄ row by row: every row of ȳ adds to the rows of x that its outputs read.
  template <class T, class Pass>
  static void add_input_bar(const T* matrices, const View<const T, D>& ybar, const View<T, D>& xbar,
                            Pass& pass) {
    const Index n = Points::last(xbar.grid), m = Points::last(ybar.grid), rows = ybar.points() / m;
    constexpr Index strip = most_points * Stride;
    T* const room = pass.scratch_values((most_points + 2 * taps_of(0)) * outputs);
    T* const images = pass.scratch_values(std::max<Index>(half, 1) * inputs);
    for (Index b = 0; b < ybar.batch; ++b)
      for (Index o = 0; o < rows; ++o) {
        const T* const row = ybar.samples(b, 1).row(o * m);
        for (Index q = 0; q < n; q += strip) {
          const Piece<T> piece(row, m, ybar.pitch, q + half, std::min(n, q + strip) + half, room);
          Points::for_each_row(o, xbar.grid, ybar.grid, [&](Index tap, Index to) {
            piece.add(matrices + tap * depth * outputs, xbar.samples(b, 1).row(to * n + q), xbar.pitch);
          });
        }
        if constexpr (std::is_same_v<Edge, Reflecting> && half > 0)
          for (const Index begin : {Index(0), n + half}) {  // what mirror images get is the points'
            const Piece<T> piece(row, m, ybar.pitch, begin, begin + half, room);
            Points::for_each_row(o, xbar.grid, ybar.grid, [&](Index tap, Index to) {
              std::fill_n(images, half * inputs, T(0));
              piece.add(matrices + tap * depth * outputs, images, inputs);
              for (Index i = 0; i < half; ++i)
                add_to(images + i * inputs,
                       xbar.samples(b, 1).row(to * n + Edge::source(begin + i - half, n)), inputs);
            });
          }
      }
  }

  /// The taps r, r + s, … below Size.
  static constexpr Index taps_of(Index r) { return r < Size ? (Size - r + Stride - 1) / Stride : 0; }

  /// The outputs of a row that read its positions i = q + h in [begin, end). Tap a of output p reads
  /// i = sp + a. So the positions i ≡ r (mod s) are read by the taps r, r + s, …, each for another output,
  /// and these outputs lie side by side: every r is one product, whose matrix has the taps in reverse order.
  template <class T> struct Piece {
    Piece(const T* row, Index m, Index pitch, Index first, Index last, T* room)
        : begin(first), end(last), low(first / Stride - (taps_of(0) - 1)), values(room) {
      // On a circle ȳ goes round as x does; else there are no outputs beyond the ends.
      copy_padded<typename Edge::Outputs>(row, m, pitch, outputs, low, (last - 1) / Stride - low + 1, room);
    }
    /// Adds to the positions' cotangents, which lie `pitch` numbers apart.
    void add(const T* matrix, T* to, Index pitch) const {
      for (Index r = 0; r < Stride; matrix += taps_of(r) * outputs * inputs, ++r) {
        const Index taps = taps_of(r), deep = taps * outputs;
        const Index i = begin + ((r - begin) % Stride + Stride) % Stride;
        if (i >= end || taps == 0) continue;
        detail::product<T>(
            {to + (i - begin) * pitch, (end - i + Stride - 1) / Stride, inputs, Stride * pitch},
            {values + ((i - r) / Stride - (taps - 1) - low) * outputs, outputs, 1},
            few_inputs ? MatrixView<const T>{matrix, inputs, deep, deep}
                       : MatrixView<const T>{matrix, deep, inputs, inputs},
            deep, T(1), Write::add, few_inputs);
      }
    }
    Index begin, end, low;
    const T* values;  // of outputs low, low + 1, …
  };

  /// W_aᵀ in the order in which a Piece reads them: (row tap, r, tap from the last, output, input), or
  /// (row tap, r, input, tap from the last, output) where there are few inputs.
  template <class T, class Pass> static const T* adjoint_matrices(std::span<const T> w, Pass& pass) {
    T* const matrices = pass.scratch_values(weights);
    T* to = matrices;
    for (Index tap = 0; tap < Points::rows; ++tap)
      for (Index r = 0; r < Stride; to += taps_of(r) * outputs * inputs, ++r)
        for (Index t = 0; t < taps_of(r); ++t) {
          const T* const from =
              w.data() + (tap * Size + r + Stride * (taps_of(r) - 1 - t)) * inputs * outputs;
          if (few_inputs)
            for (Index i = 0; i < inputs; ++i)
              std::copy_n(from + i * outputs, outputs, to + (i * taps_of(r) + t) * outputs);
          else
            packet::transpose<T>(from, outputs, to + t * outputs * inputs, inputs, inputs, outputs);
        }
    return matrices;
  }
  /// The matrices of all rows' stencils, (tap·input, output), as (output, tap·input).
  template <class T, class Pass> static const T* transposed(std::span<const T> w, Pass& pass) {
    T* const to = pass.scratch_values(weights);
    for (Index at = 0; at < weights; at += depth * outputs)
      packet::transpose<T>(w.data() + at, outputs, to + at, depth, depth, outputs);
    return to;
  }
  template <class T> static void add_to(const T* from, T* to, Index n) {
    for_each_packet<T>(n, [&](auto load, auto store) { store(to, packet::padd(load(to), load(from))); });
  }
};

}  // namespace mno

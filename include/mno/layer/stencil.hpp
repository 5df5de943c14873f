#pragma once
// Which points a stencil of Size points per axis reads: output p, tap a ∈ {0 … Size−1}^D reads the position
// s p + a − h with the stride s and h = (Size − 1)/2, and the edge says what stands beyond the ends of an
// axis.
//
// Points of the last axis lie side by side and are worked on in rows; this header handles the other axes.
#include "mno/layer/edge.hpp"

namespace mno {

template <int D, int Size, class Edge, int Stride> struct Stencil {
  static constexpr Index half = (Size - 1) / 2;
  /// Rows that an output reads.
  static constexpr Index rows = D == 1 ? 1 : D == 2 ? Size : Size * Size;

  static Index last(const Grid<D>& grid) { return grid.points[std::size_t(D - 1)]; }
  /// Points of a row that `count` of its outputs read.
  static constexpr Index reach(Index count) { return (count - 1) * Stride + Size; }

  /// The outputs' grid, or the sentence that says why there is none.
  static Grid<D> outputs(const char* layer, Grid<D> grid) {
    for (int d = 0; d < D; ++d) {
      Index& points = grid.points[std::size_t(d)];
      require(points >= Edge::least_points(half), layer, "x",
              Text("at least ", Edge::least_points(half), " points on every axis, since the edge is ",
                   Edge::name),
              Text(points, " on axis ", d));
      require(points % Stride == 0, layer, "x", Text("points that the stride ", Stride, " divides"),
              Text(points, " on axis ", d));
      points /= Stride;
    }
    return grid;
  }

  /// f(tap of the axes but the last, row of `in` that it reads) for row o of the outputs, where there is one.
  template <class F> static void for_each_row(Index o, const Grid<D>& in, const Grid<D>& out, F&& f) {
    for (Index tap = 0; tap < rows; ++tap)
      if (const Index row = source<D - 1>(o, tap, in, out); row >= 0) f(tap, row);
  }

  /// The point that tap `tap` of output o reads, or −1: of the first axes, all D or all but the last.
  template <int Axes>
  MNO_HOST_DEVICE static Index source(Index o, Index tap, const Grid<D>& in, const Grid<D>& out) {
    Index point = 0, step = 1;
    for (int d = Axes - 1; d >= 0; --d) {
      const Index n = in.points[std::size_t(d)], m = out.points[std::size_t(d)];
      const Index i = Edge::source(o % m * Stride + tap % Size - half, n);
      if (i < 0) return -1;
      point += i * step;
      step *= n;
      o /= m;
      tap /= Size;
    }
    return point;
  }

  /// f(output) for every output whose tap `tap` reads point q: the other way round, s p + a − h is an image
  /// of q.
  template <class F>
  MNO_HOST_DEVICE static void for_each_reader(Index q, Index tap, const Grid<D>& in, const Grid<D>& out,
                                              F&& f) {
    constexpr int all = D == 1   ? Edge::images
                        : D == 2 ? Edge::images * Edge::images
                                 : Edge::images * Edge::images * Edge::images;
    for (int images = 0; images < all; ++images) {  // one per axis
      Index point = q, a = tap, output = 0, step = 1;
      int rest = images;
      for (int d = D - 1; d >= 0 && output >= 0; --d) {
        const Index n = in.points[std::size_t(d)], m = out.points[std::size_t(d)];
        const Index p = reader(rest % Edge::images, point % n, a % Size, n, m);
        output = p < 0 ? -1 : output + p * step;
        step *= m;
        point /= n;
        a /= Size;
        rest /= Edge::images;
      }
      if (output >= 0) f(output);
    }
  }

 private:
  /// The output of an axis whose tap a reads the k-th image of q, or −1.
  MNO_HOST_DEVICE static Index reader(int k, Index q, Index a, Index n, Index m) {
    const Index i = Edge::image(k, q, n), at = i + half - a;  // s p
    if (k > 0 && i == q) return -1;                           // an end is its own image
    return at % Stride == 0 ? Edge::Outputs::source(at / Stride, m) : -1;
  }
};

}  // namespace mno

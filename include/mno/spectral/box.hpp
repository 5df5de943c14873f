#pragma once
// The periodic box that a field with walls is put into, since layers know only periodic boxes.
//
// A bounded axis [0,L] becomes a periodic one of length (1 + p)L, p = 1/4. Beyond each wall stands the mirror
// image of u, and the two images are blended into each other:
//
//     E u(x) = u(x)                                    on [0,L),
//     E u(L + s) = w u(L − s) + (1 − w) u(pL − s),     0 ≤ s < pL,   w = ½(1 + cos(πs/pL)).
//
// This is continuous, linear in u, and means the same on every grid: pL is a whole number of steps where N is
// a multiple of four, and is rounded to one elsewhere. The far wall is not a point of the grid x_j = jL/N, so
// u(L) is taken to be u at the last point. docs/decisions/bounded-domains.md has what else was tried.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mno/core/field.hpp"

namespace mno {

/// The same points, and after those of every bounded axis the ones that make it periodic.
template <int D> Grid<D> box_of(Grid<D> grid) {
  for (std::size_t d = 0; d < std::size_t(D); ++d) {
    if (!grid.domain.bounded[d]) continue;
    const Index points = grid.points[d];
    grid.points[d] += std::max<Index>(1, (points + 2) / 4);
    grid.domain.length[d] *= double(grid.points[d]) / double(points);
    grid.domain.bounded[d] = false;
  }
  return grid;
}

namespace detail {

/// Two grids have the same box where a quarter of the points of each bounded axis is a whole number in both.
template <int D>
void require_same_box(const char* function, const char* argument, const Grid<D>& box, const Grid<D>& other) {
  for (std::size_t d = 0; d < std::size_t(D); ++d)
    require(std::abs(other.domain.length[d] / box.domain.length[d] - 1) < 1e-12, function, argument,
            Text("a multiple of 4 points on axis ", d, ", which has walls, on both grids"),
            Text("boxes of ", box.points[d], " and ", other.points[d], " points of different length"));
}

/// A point of another grid, and its share in this one.
struct Share {
  Index at;
  double weight;
};

/// E along one axis; on a periodic one the box has no more points than the field.
struct BoxAxis {
  Index points, box;

  MNO_HOST_DEVICE double w(Index i) const {
    return 0.5 * (1 + std::cos(std::numbers::pi * double(i - points) / double(box - points)));
  }
  /// The given points that make up a point of the box.
  static constexpr int most_sources = 2;
  MNO_HOST_DEVICE int sources(Index i, Share* to) const {
    to[0] = {i, 1};
    if (i < points) return 1;
    to[0].at = points - 1;  // the far wall
    if (i == points) return 1;
    to[0] = {2 * points - i, w(i)};
    to[1] = {box - i, 1 - w(i)};
    return 2;
  }
  /// Which points of the box a given one has a share in: the transpose.
  static constexpr int most_images = 4;
  MNO_HOST_DEVICE int images(Index q, Share* to) const {
    int count = 0;
    to[count++] = {q, 1};
    if (box == points) return count;
    if (q == points - 1) to[count++] = {points, 1};
    if (const Index i = 2 * points - q; i < box) to[count++] = {i, w(i)};
    if (const Index i = box - q; q > 0 && i > points) to[count++] = {i, 1 - w(i)};
    return count;
  }
};

/// Σ over products of shares, one for every axis: row `r` of a field on `own` from one on `other`.
template <int Most, class T, int D, class Shares>
MNO_HOST_DEVICE T sum_of_shares(const View<const T, D>& other, const Grid<D>& own, Index r, Index c,
                                const Shares& shares) {
  Share of[D][Most];
  int count[D], all = 1;
  for (int d = D - 1; d >= 0; --d) {
    const Index n = own.points[std::size_t(d)];
    count[d] = shares(d, r % n, of[d]);
    all *= count[d];
    r /= n;  // at last the sample
  }
  T sum = 0;
  for (int k = 0; k < all; ++k) {
    Index row = r;
    double weight = 1;
    for (int d = 0, rest = k; d < D; rest /= count[d], ++d) {
      const Share& share = of[d][rest % count[d]];
      row = row * other.grid.points[std::size_t(d)] + share.at;
      weight *= share.weight;
    }
    sum += T(weight) * other.row(row)[c];
  }
  return sum;
}

/// box = E given, and given += Eᵀ box.
template <class T, int D> struct ExtendToBox {
  View<const T, D> given;
  View<T, D> box;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    box.row(r)[c] = sum_of_shares<BoxAxis::most_sources, T, D>(given, box.grid, r, c, *this);
  }
  MNO_HOST_DEVICE int operator()(int d, Index i, Share* to) const {
    return BoxAxis{given.grid.points[std::size_t(d)], box.grid.points[std::size_t(d)]}.sources(i, to);
  }
};
template <class T, int D> struct FoldFromBox {
  View<const T, D> box;
  View<T, D> given;
  MNO_HOST_DEVICE void operator()(Index r, Index c) const {
    given.row(r)[c] += sum_of_shares<BoxAxis::most_images, T, D>(box, given.grid, r, c, *this);
  }
  MNO_HOST_DEVICE int operator()(int d, Index q, Share* to) const {
    return BoxAxis{given.grid.points[std::size_t(d)], box.grid.points[std::size_t(d)]}.images(q, to);
  }
};

}  // namespace detail

/// A field in its box, on the host.
template <class T, int D> Field<T, D> in_box(const Field<T, D>& given) {
  Field<T, D> box(given.batch(), box_of(given.grid()), given.channels());
  const detail::ExtendToBox<T, D> extend{given.view(), box.view()};
  for (Index r = 0; r < box.view().rows(); ++r)
    for (Index c = 0; c < box.channels(); ++c) extend(r, c);
  return box;
}

/// The part of a field in a box that lies on `grid`.
template <class T, int D> Field<T, D> out_of_box(const Field<T, D>& box, const Grid<D>& grid) {
  Field<T, D> to(box.batch(), grid, box.channels());
  for (Index r = 0; r < to.view().rows(); ++r) {
    Index rest = r, row = 0, stride = 1;
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      row += rest % grid.points[d] * stride;
      stride *= box.grid().points[d];
      rest /= grid.points[d];
    }
    for (Index c = 0; c < to.channels(); ++c) to.view().row(r)[c] = box.view().row(rest * stride + row)[c];
  }
  return to;
}

}  // namespace mno

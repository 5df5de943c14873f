#pragma once
// Where a factor keeps its numbers, and what one of its rows says: the one home of this layout, for every
// device.
//
// A row of a factor field is a point; B_k(c,·) stands in its channel k·C + c. Factors of an ensemble's
// covariance are stored alike.
#include "mno/core/grid.hpp"
#include "mno/core/host_device.hpp"

namespace mno::detail {

MNO_HOST_DEVICE constexpr Index factor_channel(Index k, Index c, Index channels) { return k * channels + c; }

/// v(c) = Σ_k B_k(c)² of one row
template <class T> MNO_HOST_DEVICE double row_variance(const T* row, Index c, Index channels, Index rank) {
  double v = 0;
  for (Index k = 0; k < rank; ++k) {
    const double b = double(row[factor_channel(k, c, channels)]);
    v += b * b;
  }
  return v;
}
/// Its adjoint: B̄_k(c) += 2 v̄ B_k(c)
template <class T>
MNO_HOST_DEVICE void add_row_variance_bar(const T* row, Index c, Index channels, Index rank,
                                          double variance_bar, T* row_bar) {
  const T twice = T(2 * variance_bar);
  for (Index k = 0; k < rank; ++k)
    row_bar[factor_channel(k, c, channels)] += twice * row[factor_channel(k, c, channels)];
}

}  // namespace mno::detail

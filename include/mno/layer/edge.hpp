#pragma once
// What a stencil finds beyond the ends of an axis of n points: `source(i, n)` is the point that stands at
// position i ∈ Z, or −1 where there is nothing. `image(k, q, n)`, k < images, are the positions at which
// point q stands, and `Outputs` is the edge of the stencil's outputs, as the adjoint sees them.
#include <algorithm>

#include "mno/core/grid.hpp"
#include "mno/core/host_device.hpp"

namespace mno {

/// The axis goes round: … x₀ x₁ … x_{n−1} x₀ …
struct Circular {
  static constexpr const char* name = "circular";
  using Outputs = Circular;
  static constexpr int images = 1;  // round the axis, as its outputs go
  MNO_HOST_DEVICE static Index source(Index i, Index n) { return (i % n + n) % n; }
  MNO_HOST_DEVICE static Index image(int, Index q, Index) { return q; }
  static constexpr Index least_points(Index) { return 1; }
};

/// Nothing: … 0 x₀ x₁ … x_{n−1} 0 …
struct Zero {
  static constexpr const char* name = "zero";
  using Outputs = Zero;
  static constexpr int images = 1;
  MNO_HOST_DEVICE static Index source(Index i, Index n) { return i < 0 || i >= n ? -1 : i; }
  MNO_HOST_DEVICE static Index image(int, Index q, Index) { return q; }
  static constexpr Index least_points(Index) { return 1; }
};

/// A mirror in the last point, which is not repeated: … x₁ x₀ x₁ … x_{n−1} x_{n−2} …
struct Reflecting {
  static constexpr const char* name = "reflecting";
  using Outputs = Zero;
  static constexpr int images = 3;  // itself and one in each mirror; an end is its own image
  MNO_HOST_DEVICE static Index source(Index i, Index n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }
  MNO_HOST_DEVICE static Index image(int k, Index q, Index n) {
    return k == 0 ? q : k == 1 ? -q : 2 * (n - 1) - q;
  }
  /// Each end mirrors only once, so a reach of h points needs h + 1 points.
  static constexpr Index least_points(Index reach) { return reach + 1; }
};

/// Points [first, first + count) of a row of n points, as the edge says, side by side: to (point, channel).
template <class Edge, class T>
void copy_padded(const T* row, Index n, Index pitch, Index channels, Index first, Index count, T* to) {
  const Index last = first + count;
  const Index begin = std::clamp<Index>(0, first, last), end = std::clamp(n, begin, last);
  const auto beyond = [&](Index i) {
    const Index from = Edge::source(i, n);
    T* const at = to + (i - first) * channels;
    if (from < 0)
      std::fill_n(at, channels, T(0));
    else
      std::copy_n(row + from * pitch, channels, at);
  };
  for (Index i = first; i < begin; ++i) beyond(i);
  if (pitch == channels)
    std::copy_n(row + begin * pitch, (end - begin) * channels, to + (begin - first) * channels);
  else
    for (Index i = begin; i < end; ++i) std::copy_n(row + i * pitch, channels, to + (i - first) * channels);
  for (Index i = end; i < last; ++i) beyond(i);
}

}  // namespace mno

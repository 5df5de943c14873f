#pragma once
// The grid a field lives on: points and physical length per axis of a box, which is periodic or has walls.
#include <array>
#include <cstddef>
#include <string>

#include "mno/core/error.hpp"
#include "mno/core/host_device.hpp"

namespace mno {

using Index = std::ptrdiff_t;

/// Physical lengths of the box D = [0,L_1) x ... x [0,L_D), and which of its axes end at walls. The others
/// are periodic: what leaves at one end comes in at the other.
template <int D> struct Domain {
  std::array<double, D> length = ones();
  std::array<bool, D> bounded{};

  double volume() const {
    double product = 1;
    for (double l : length) product *= l;
    return product;
  }
  bool has_walls() const {
    for (bool b : bounded)
      if (b) return true;
    return false;
  }
  bool operator==(const Domain&) const = default;

  static constexpr std::array<double, D> ones() {
    std::array<double, D> one{};
    for (double& l : one) l = 1;
    return one;
  }
};

/// Points x_j = L j / N on every axis, also on one with walls: the first point stands on the wall. The same
/// function on two grids is two fields with the same domain.
template <int D> struct Grid {
  static_assert(D >= 1 && D <= 3, "mno: a grid has 1, 2 or 3 dimensions");
  std::array<Index, D> points{};
  Domain<D> domain{};

  MNO_HOST_DEVICE Index size() const {
    Index product = 1;
    for (Index n : points) product *= n;
    return product;
  }
  /// The quadrature weight of a point: ⟨f,g⟩_{L²(D)} ≈ cell() Σ_x f(x) g(x).
  double cell() const { return domain.volume() / double(size()); }

  bool operator==(const Grid&) const = default;

  std::string str() const {
    std::string s;
    for (int d = 0; d < D; ++d) s += (d ? "x" : "") + std::to_string(points[std::size_t(d)]);
    return s;
  }
};

}  // namespace mno

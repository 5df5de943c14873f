#pragma once
// Which wavenumbers a grid carries, and with what weight: the one home of Fourier conventions.
//
// A kept mode is a wave vector k ∈ Z^D with |k_d| < M_d, standing for the physical wavenumber 2π k_d / L_d.
// Fields are real, so the last axis keeps k_D ≥ 0 only:
//     x̂_k = a_k Σ_j x_j e^{−2πi k·j/N},       y_j = Re Σ_k m_k ŷ_k e^{+2πi k·j/N},
// with multiplicity m_k = 2, or 1 where k_D = 0 (both k and −k are kept there), and analysis weight
// a_k = 1/N ("forward" scaling: coefficients mean the same on every grid). A grid of N points has the
// wavenumbers |k| ≤ N/2; those beyond are left out, so a coarser grid is served by the modes that exist. For
// even N the waves +N/2 and −N/2 coincide on the grid, and each gets half of the coefficient: a_k = ½/N per
// such axis. The real part makes the synthesis Hermitian, whatever the learned coefficients are.
#include <algorithm>
#include <array>

#include "mno/core/grid.hpp"

namespace mno {

/// The modes of a weight tensor: k_d from −(M−1) to M−1, on the last axis from 0 to M−1.
template <int D> constexpr Index mode_count(Index modes) {
  Index count = modes;
  for (int d = 1; d < D; ++d) count *= 2 * modes - 1;
  return count;
}

template <int D> struct Wavenumbers {
  std::array<Index, D> points{};
  std::array<Index, D> modes{};   // M_d as asked for
  std::array<Index, D> lowest{};  // the first k on the axis: −h_d, and 0 on the last axis
  std::array<Index, D> count{};   // how many are kept on this grid

  Wavenumbers(const std::array<Index, D>& n, const std::array<Index, D>& m) : points(n), modes(m) {
    for (std::size_t d = 0; d < std::size_t(D); ++d) {
      const Index highest = std::min(m[d] - 1, n[d] / 2);
      const bool last = d + 1 == std::size_t(D);
      lowest[d] = last ? 0 : -highest;
      count[d] = last ? highest + 1 : 2 * highest + 1;
    }
  }

  Index size() const {
    Index product = 1;
    for (Index c : count) product *= c;
    return product;
  }

  /// Where the mean stands among the kept modes: k = 0.
  Index mean() const {
    Index index = 0;
    for (std::size_t d = 0; d < std::size_t(D); ++d) index = index * count[d] - lowest[d];
    return index;
  }

  /// The wave vector of the i-th kept mode, the last axis fastest.
  std::array<Index, D> wave(Index i) const {
    std::array<Index, D> k{};
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      k[d] = lowest[d] + i % count[d];
      i /= count[d];
    }
    return k;
  }

  /// Where the i-th kept mode stands in a weight tensor made for all M modes.
  Index weight_index(Index i) const {
    const auto k = wave(i);
    Index index = 0;
    for (std::size_t d = 0; d < std::size_t(D); ++d) {
      const bool last = d + 1 == std::size_t(D);
      index = index * (last ? modes[d] : 2 * modes[d] - 1) + k[d] + (last ? 0 : modes[d] - 1);
    }
    return index;
  }

  double multiplicity(Index i) const { return wave(i)[std::size_t(D - 1)] == 0 ? 1 : 2; }

  double analysis_weight(Index i) const {
    const auto k = wave(i);
    double weight = 1;
    for (std::size_t d = 0; d < std::size_t(D); ++d)
      weight /= double(points[d]) * (2 * std::max(k[d], -k[d]) == points[d] ? 2 : 1);
    return weight;
  }
};

}  // namespace mno

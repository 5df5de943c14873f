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
#include "mno/core/host_device.hpp"

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

  MNO_HOST_DEVICE Index size() const {
    Index product = 1;
    for (Index c : count) product *= c;
    return product;
  }

  /// Where the mean stands among the kept modes: k = 0.
  MNO_HOST_DEVICE Index mean() const {
    Index index = 0;
    for (std::size_t d = 0; d < std::size_t(D); ++d) index = index * count[d] - lowest[d];
    return index;
  }

  /// The wave vector of the i-th kept mode, the last axis fastest.
  MNO_HOST_DEVICE std::array<Index, D> wave(Index i) const {
    std::array<Index, D> k{};
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      k[d] = lowest[d] + i % count[d];
      i /= count[d];
    }
    return k;
  }

  /// Where the i-th kept mode stands in a weight tensor made for all M modes.
  MNO_HOST_DEVICE Index weight_index(Index i) const {
    const auto k = wave(i);
    Index index = 0;
    for (std::size_t d = 0; d < std::size_t(D); ++d) {
      const bool last = d + 1 == std::size_t(D);
      index = index * (last ? modes[d] : 2 * modes[d] - 1) + k[d] + (last ? 0 : modes[d] - 1);
    }
    return index;
  }

  /// The kept mode that stands there in the weight tensor, or −1: a wave that the grid does not have.
  MNO_HOST_DEVICE Index mode_of_weight(Index index) const {
    std::array<Index, D> k{};
    for (std::size_t d = std::size_t(D); d-- > 0;) {
      const bool last = d + 1 == std::size_t(D);
      const Index all = last ? modes[d] : 2 * modes[d] - 1;
      k[d] = index % all - (last ? 0 : modes[d] - 1);
      index /= all;
    }
    return find(k);
  }

  MNO_HOST_DEVICE double multiplicity(Index i) const { return wave(i)[std::size_t(D - 1)] == 0 ? 1 : 2; }

  MNO_HOST_DEVICE double analysis_weight(Index i) const {
    const auto k = wave(i);
    double weight = 1;
    for (std::size_t d = 0; d < std::size_t(D); ++d)
      weight /= double(points[d]) * (2 * std::max(k[d], -k[d]) == points[d] ? 2 : 1);
    return weight;
  }

  /// Where this wave vector stands among the kept modes, or −1 if it is not kept.
  MNO_HOST_DEVICE Index find(const std::array<Index, D>& k) const {
    Index index = 0;
    for (std::size_t d = 0; d < std::size_t(D); ++d) {
      const Index at = k[d] - lowest[d];
      if (at < 0 || at >= count[d]) return -1;
      index = index * count[d] + at;
    }
    return index;
  }
};

/// What a real transform gives and takes: (k_1 mod N_1, …, k_{D−1} mod N_{D−1}, 0 … N_D/2), the half that the
/// other half mirrors. The one home of its layout, for every library that transforms.
template <int D> struct HalfSpectrum {
  std::array<Index, D> points{};

  MNO_HOST_DEVICE Index last() const { return points[std::size_t(D - 1)]; }
  MNO_HOST_DEVICE Index size() const {
    Index product = last() / 2 + 1;
    for (std::size_t d = 0; d + 1 < std::size_t(D); ++d) product *= points[d];
    return product;
  }

  /// Where the wave sign·k lies; on the last axis ±N/2 and 0 are their own mirror images.
  MNO_HOST_DEVICE Index bin(const std::array<Index, D>& k, Index sign) const {
    Index index = 0;
    for (std::size_t d = 0; d + 1 < std::size_t(D); ++d)
      index = index * points[d] + ((sign * k[d]) % points[d] + points[d]) % points[d];
    return index * (last() / 2 + 1) + k[std::size_t(D - 1)];
  }
  /// Does −k lie in the half spectrum too? Elsewhere it is implied.
  MNO_HOST_DEVICE bool mirrored(const std::array<Index, D>& k) const {
    return k[std::size_t(D - 1)] == 0 || 2 * k[std::size_t(D - 1)] == last();
  }

  /// What a bin is made of, so that the real inverse transform gives y_j = Re Σ_k z_k e^{2πi k·j/N}: half of
  /// z_k of every kept k that lies there, and half of z̄_k of those whose mirror image does.
  ///   add(mode, conjugated)
  template <class Add> MNO_HOST_DEVICE void gather(Index at, const Wavenumbers<D>& waves, Add&& add) const {
    std::array<Index, D> f{};
    f[std::size_t(D - 1)] = at % (last() / 2 + 1);
    at /= last() / 2 + 1;
    for (std::size_t d = std::size_t(D - 1); d-- > 0;) {
      f[d] = at % points[d];
      at /= points[d];
    }
    const int signs = mirrored(f) ? 2 : 1;
    for (int sign = 0; sign < signs; ++sign)
      for (int wrap = 0; wrap < 1 << (D - 1);
           ++wrap) {  // k_d is f_d or f_d − N_d, or these with the other sign
        std::array<Index, D> k = f;
        for (std::size_t d = 0; d + 1 < std::size_t(D); ++d) {
          k[d] = wrap >> d & 1 ? f[d] - points[d] : f[d];
          if (sign == 1) k[d] = -k[d];
        }
        const Index mode = waves.find(k);
        if (mode >= 0) add(mode, sign == 1);
      }
  }
};

}  // namespace mno

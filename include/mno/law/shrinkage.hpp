#pragma once
// Shrinkage of a covariance towards its diagonal: a share φ of the variance that the factor explains goes to
// the nugget,
//
//     B ↦ √(1−φ) B,   η² ↦ η² + φ Σ_k B_k².
//
// Means and variances stay as they are, the rank does not grow, and entries without spread stay so. Only the
// covariances between points change: they are 1 − φ times as large. A factor that was learned from single
// draws claims that u never leaves the span of its r fields, which it cannot know: a field that leaves it a
// little would have next to no density.
#include <cmath>

#include "mno/law/law.hpp"

namespace mno {

template <class T, int D, class R, class W> Law<T, D, R, W> shrunk(Law<T, D, R, W> law, double share) {
  require(share >= 0 && share < 1, "shrunk", "share", Text("a share from 0 to below 1"), Text(share));
  if (share == 0) return law;
  if (!law.has_nugget()) law.nugget = Field<T, D>(law.batch(), law.grid(), law.channels());
  const Index channels = law.channels(), rank = law.rank(), rows = law.batch() * law.points();
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < channels; ++c) {
      double explained = 0;
      for (Index k = 0; k < rank; ++k) {
        T& b = law.factor.data()[row * rank * channels + k * channels + c];
        explained += double(b) * double(b);
        b = T(double(b) * std::sqrt(1 - share));
      }
      T& eta = law.nugget.data()[row * channels + c];
      eta = T(std::sqrt(double(eta) * double(eta) + share * explained));
    }
  return law;
}

/// The adjoint: from cotangents of the shrunk law to those of the given one. With η'² = η² + φ Σ_k B_k²,
///
///     B̄ = √(1−φ) B̄' + φ B η̄'/η',   η̄ = η η̄'/η';
///
/// where η' = 0 there is no spread, and the share of η̄' is 0. `bar` may be without a nugget.
template <class T, int D, class R, class W>
void shrunk_vjp(const Law<T, D, R, W>& law, double share, Law<T, D>& bar) {
  if (share == 0) return;
  const Index channels = law.channels(), rank = law.rank(), rows = law.batch() * law.points();
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < channels; ++c) {
      const Index entry = row * channels + c;
      const auto at = [&](Index k) { return row * rank * channels + k * channels + c; };
      const double before = law.has_nugget() ? double(law.nugget.data()[entry]) : 0;
      double explained = 0;
      for (Index k = 0; k < rank; ++k) explained += std::pow(double(law.factor.data()[at(k)]), 2);
      const double eta = std::sqrt(before * before + share * explained);
      const double pull = bar.has_nugget() && eta > 0 ? double(bar.nugget.data()[entry]) / eta : 0;
      for (Index k = 0; k < rank; ++k) {
        T& b = bar.factor.data()[at(k)];
        b = T(std::sqrt(1 - share) * double(b) + share * double(law.factor.data()[at(k)]) * pull);
      }
      if (bar.has_nugget()) bar.nugget.data()[entry] = T(before * pull);
    }
}

}  // namespace mno

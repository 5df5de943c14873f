#pragma once
// The continuous ranked probability score of Gaussian marginals, in closed form. In units of u, and it grows
// only linearly with the error. It needs the members.
//   T. Gneiting, A. E. Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007.
#include <numbers>

#include "mno/loss/member_average.hpp"

namespace mno {

/// average over members and entries of σ(ω(2Φ(ω) − 1) + 2φ(ω) − 1/√π),   ω = (u − m)/σ, σ = √v
///   m̄ = 1 − 2Φ(ω),   σ̄ = 2φ(ω) − 1/√π,   v̄ = σ̄/(2σ)
struct Crps {
  static constexpr const char* name = "crps";
  double weight = 1;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_members(name, law, target);
  }
  /// One member's share; v is clamped.
  struct Member {
    MNO_HOST_DEVICE detail::EntryTerm operator()(double u, double m, double v) const {
      constexpr double sqrt2 = std::numbers::sqrt2, inv_sqrtpi = std::numbers::inv_sqrtpi;
      const double sigma = std::sqrt(v), omega = (u - m) / sigma;
      const double centred = std::erf(omega / sqrt2);                                      // 2Φ(ω) − 1
      const double sigma_bar = inv_sqrtpi * (sqrt2 * std::exp(-0.5 * omega * omega) - 1);  // 2φ − 1/√π
      return {sigma * (omega * centred + sigma_bar), -centred, sigma_bar / (2 * sigma)};
    }
  };
  Member member() const { return {}; }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_members(name, law, target, weight * scale, floor, ceiling, member());
  }
};

}  // namespace mno

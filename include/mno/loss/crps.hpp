#pragma once
// The continuous ranked probability score of Gaussian marginals (law/crps.hpp). It is in units of u, grows
// only linearly with the error, and needs the members.
#include "mno/law/crps.hpp"
#include "mno/loss/member_average.hpp"

namespace mno {

/// average over members and entries of CRPS(N(m, v), u);   v̄ = σ̄/(2σ) with σ = √v
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
      const double sigma = std::sqrt(v);
      const CrpsValue crps = gaussian_crps(m, sigma, u);
      return {crps.value, crps.mean_bar, crps.deviation_bar / (2 * sigma)};
    }
  };
  Member member() const { return {}; }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_members(*this, law, target, weight * scale);
  }
};

}  // namespace mno

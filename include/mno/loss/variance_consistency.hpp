#pragma once
// The relative distance between predicted and empirical variance.
#include "mno/loss/relative_distance.hpp"

namespace mno {

/// L_consistency = ‖v − s²‖ / (‖s²‖ + tiny) per sample, v = Σ_k B_k² unclamped and ‖·‖ the root mean square
/// over entries, so that it means the same on every grid.
///   v̄ = (v − s²) / (n ‖v − s²‖ (‖s²‖ + tiny)), and 0 where v = s² everywhere
struct VarianceConsistency {
  static constexpr const char* name = "variance_consistency";
  double weight = 0.1;
  double tiny = 1e-12;  // in units of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 2);
  }

  static constexpr auto moment = detail::Moment::variance;
  MNO_HOST_DEVICE detail::Compared compare(double, double v, const detail::EntryTarget& e) const {
    return {v - e.variance, e.variance};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::sum_distances(*this, law, target, weight * scale);
  }
};

}  // namespace mno

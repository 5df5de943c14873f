#pragma once
// The relative distance between predicted and empirical mean.
#include "mno/loss/relative_distance.hpp"

namespace mno {

/// ‖m − ū‖ / (‖ū‖ + tiny) per sample, ‖·‖ the root mean square over entries
///   m̄ = (m − ū) / (n ‖m − ū‖ (‖ū‖ + tiny)), and 0 where m = ū everywhere
struct MeanError {
  static constexpr const char* name = "mean_error";
  double weight = 1;
  double tiny = 1e-8;  // in units of the mean

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_mean(name, law, target);
  }

  static constexpr auto moment = detail::Moment::mean;
  MNO_HOST_DEVICE detail::Compared compare(double m, double, const detail::EntryTarget& e) const {
    return {m - e.mean, e.mean};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::sum_distances(*this, law, target, weight * scale);
  }
};

}  // namespace mno

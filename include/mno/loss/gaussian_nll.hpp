#pragma once
// The Gaussian negative log-likelihood of the ensemble, per entry, without the constant ½ log 2π.
#include "mno/loss/entry.hpp"
#include "mno/loss/need.hpp"

namespace mno {

/// L_NLL = average over members and entries of ½(log v + (u − m)²/v)
///       = average over entries of ½(log v + ((1−1/M) s² + (ū − m)²)/v),   v = clamp(Σ_k B_k²)
///   m̄ = (m − ū)/v,   v̄ = ½(1 − q/v)/v with q = (1−1/M) s² + (ū − m)²
struct GaussianNll {
  static constexpr const char* name = "gaussian_nll";
  double weight = 1;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 1);
  }
  MNO_HOST_DEVICE detail::EntryTerm at(double m, double variance, const detail::EntryTarget& e) const {
    const auto v = detail::clamped(variance, floor, ceiling);
    const double error = m - e.mean, q = e.biased_variance() + error * error;
    return {0.5 * (std::log(v.value) + q / v.value), error / v.value,
            v.slope * 0.5 * (1 - q / v.value) / v.value};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target, weight * scale);
  }
};

}  // namespace mno

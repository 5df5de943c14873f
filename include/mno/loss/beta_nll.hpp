#pragma once
// β-NLL: the likelihood with each entry weighted by v^β, the weight held fixed in the derivative. β = 0 is
// the likelihood; with β = 1 the mean's gradient is that of the squared error, whatever the variance.
//   M. Seitzer et al., "On the pitfalls of heteroscedastic uncertainty estimation with probabilistic neural
//   networks", ICLR 2022.
#include "mno/loss/entry.hpp"
#include "mno/loss/need.hpp"

namespace mno {

/// average over entries of ⌊v^β⌋ ½(log v + q/v) with q = (1−1/M) s² + (ū − m)² and ⌊·⌋ held fixed
struct BetaNll {
  static constexpr const char* name = "beta_nll";
  double weight = 1;
  double beta = 0.5;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 1);
  }
  MNO_HOST_DEVICE detail::EntryTerm at(double m, double variance, const detail::EntryTarget& e) const {
    const auto v = detail::clamped(variance, floor, ceiling);
    const double fixed = std::pow(v.value, beta);
    const double error = m - e.mean, q = e.biased_variance() + error * error;
    return {fixed * 0.5 * (std::log(v.value) + q / v.value), fixed * error / v.value,
            fixed * v.slope * 0.5 * (1 - q / v.value) / v.value};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target, weight * scale);
  }
};

}  // namespace mno

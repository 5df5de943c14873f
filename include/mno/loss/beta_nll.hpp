#pragma once
// β-NLL: the likelihood with each entry weighted by v^β, the weight held fixed in the derivative. β = 0 is
// the likelihood; with β = 1 the mean's gradient is that of the squared error, whatever the variance.
//   M. Seitzer et al., "On the pitfalls of heteroscedastic uncertainty estimation with probabilistic neural
//   networks", ICLR 2022.
#include "mno/loss/entry.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// average over entries of ⌊v^β⌋ ½(log v + q/v) with q = (1−1/M) s² + (ū − m)² and ⌊·⌋ held fixed
struct BetaNll {
  static constexpr const char* name = "beta_nll";
  double weight = 1;
  double beta = 0.5;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 1);
    return detail::average_entries(
        law, weight * scale, [&](Index sample, Index x, Index c, double m, double variance) {
          const auto v = detail::clamped(variance, floor, ceiling);
          const double fixed = std::pow(v.value, beta);
          const double error = m - double(target.mean(sample, x, c));
          const double q = target.biased_variance(sample, x, c) + error * error;
          return detail::EntryTerm{.value = fixed * 0.5 * (std::log(v.value) + q / v.value),
                                   .mean_bar = fixed * error / v.value,
                                   .variance_bar = fixed * v.slope * 0.5 * (1 - q / v.value) / v.value};
        });
  }
};

}  // namespace mno

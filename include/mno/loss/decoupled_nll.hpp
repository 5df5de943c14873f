#pragma once
// A likelihood of the ensemble's own spread: the mean's error does not enter, so the variance never grows to
// absorb it, and the mean is left to terms of its own.
#include "mno/loss/entry.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// average over entries of ½(log v + s²/v),   v = clamp(Σ_k B_k²);   v̄ = ½(1 − s²/v)/v,   m̄ = 0
struct DecoupledNll {
  static constexpr const char* name = "decoupled_nll";
  double weight = 1;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 2);
    return detail::average_entries(
        law, weight * scale, [&](Index sample, Index x, Index c, double, double variance) {
          const auto v = detail::clamped(variance, floor, ceiling);
          const double s2 = double(target.variance(sample, x, c));
          return detail::EntryTerm{.value = 0.5 * (std::log(v.value) + s2 / v.value),
                                   .variance_bar = v.slope * 0.5 * (1 - s2 / v.value) / v.value};
        });
  }
};

}  // namespace mno

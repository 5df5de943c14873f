#pragma once
// A likelihood of the ensemble's own spread: the mean's error does not enter, so the variance never grows to
// absorb it, and the mean is left to terms of its own.
#include "mno/loss/entry.hpp"
#include "mno/loss/need.hpp"

namespace mno {

/// average over entries of ½(log v + s²/v),   v = clamp(Σ_k B_k²);   v̄ = ½(1 − s²/v)/v,   m̄ = 0
struct DecoupledNll {
  static constexpr const char* name = "decoupled_nll";
  double weight = 1;
  double floor = 1e-5, ceiling = 1e2;  // of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 2);
  }
  MNO_HOST_DEVICE detail::EntryTerm at(double, double variance, const detail::EntryTarget& e) const {
    const auto v = detail::clamped(variance, floor, ceiling);
    return {0.5 * (std::log(v.value) + e.variance / v.value), 0,
            v.slope * 0.5 * (1 - e.variance / v.value) / v.value};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target, weight * scale);
  }
};

}  // namespace mno

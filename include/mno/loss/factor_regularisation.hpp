#pragma once
// A mild L² penalty on the learned factor.
#include "mno/loss/entry.hpp"
#include "mno/loss/need.hpp"

namespace mno {

/// L_reg = average over points, channels and ranks of B²;   B̄ = 2B
struct FactorRegularisation {
  static constexpr const char* name = "factor_regularisation";
  double weight = 0.01;

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>&) const {
    detail::require_factor(name, law);
  }
  /// B² summed over ranks, and η² with them, is the variance.
  MNO_HOST_DEVICE detail::EntryTerm at(double, double variance, const detail::EntryTarget&) const {
    return {variance, 0, 1};
  }
  static double share(Index rank) { return 1 / double(rank); }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    return detail::average_entries(detail::formula_of(*this), law, target,
                                   weight * scale * share(law.factor.channels / law.mean.channels));
  }
};

}  // namespace mno

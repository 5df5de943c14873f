#pragma once
// A mild L² penalty on the learned factor.
#include "mno/loss/entry.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// L_reg = average over points, channels and ranks of B²;   B̄ = 2B
struct FactorRegularisation {
  static constexpr const char* name = "factor_regularisation";
  double weight = 0.01;

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>&, double scale) const {
    detail::require_factor(name, law);
    const Index channels = law.mean.channels, rank = law.factor.channels / channels;
    // B² summed over ranks is the variance.
    return detail::average_entries(law, weight * scale / double(rank),
                                   [](Index, Index, Index, double, double variance) {
                                     return detail::EntryTerm{.value = variance, .variance_bar = 1};
                                   });
  }
};

}  // namespace mno

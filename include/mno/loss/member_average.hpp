#pragma once
// Averages over members and entries, for terms that are no functions of mean and variance.
#include "mno/loss/entry.hpp"
#include "mno/loss/target.hpp"

namespace mno::detail {

/// Σ_samples weight · (average over members and entries of f), f(u, m, v) → EntryTerm with v the clamped
/// variance.
template <class T, int D, class F>
double average_members(const char* term, const LawBlock<T, D>& law, const Target<T, D>& target, double weight,
                       double floor, double ceiling, F&& f) {
  const double value =
      average_entries(law, weight, [&](Index sample, Index x, Index c, double m, double variance) {
        const ClampedVariance v = clamped(variance, floor, ceiling);
        const Index count = target.count(sample);
        EntryTerm sum;
        for (Index j = 0; j < count; ++j) {
          const EntryTerm at = f(double(target.members(sample * count + j, x, c)), m, v.value);
          sum.value += at.value;
          sum.mean_bar += at.mean_bar;
          sum.variance_bar += at.variance_bar;
        }
        const double share = 1.0 / double(count);
        return EntryTerm{share * sum.value, share * sum.mean_bar, share * v.slope * sum.variance_bar};
      });
  if (!std::isfinite(value)) {
    const Index count = target.count(law.first);
    require(all_finite(target.members.samples(law.first * count, law.mean.batch * count)), term,
            "target.members", text("finite values"), text("a NaN or an infinity"));
  }
  return value;
}

}  // namespace mno::detail

#pragma once
// Averages over members and entries, for terms that need more of the ensemble than its mean and variance.
#include "mno/loss/entry.hpp"

namespace mno::detail {

/// A term that is a function of one entry and one member: term.member()(u, m, v) → EntryTerm with v the
/// variance clamped to [term.floor, term.ceiling].
template <class Term>
concept MemberLoss = requires(const Term& term, double x) {
  { term.member()(x, x, x) } -> std::same_as<EntryTerm>;
};
/// Its average over members.
template <class Member> struct MemberFormula {
  Member member;
  double floor, ceiling;
  template <class T, int D>
  MNO_HOST_DEVICE EntryTerm operator()(const Target<T, D>& target, Index sample, Index point, Index channel,
                                       double m, double variance) const {
    const ClampedVariance v = clamped(variance, floor, ceiling);
    const Index count = target.count(sample), first = target.first_member(sample);
    EntryTerm sum;
    for (Index j = 0; j < count; ++j) {
      const EntryTerm at = member(double(target.members(first + j, point, channel)), m, v.value);
      sum.value += at.value;
      sum.mean_bar += at.mean_bar;
      sum.variance_bar += at.variance_bar;
    }
    const double share = 1.0 / double(count);
    return {share * sum.value, share * sum.mean_bar, share * v.slope * sum.variance_bar};
  }
};
template <MemberLoss Term> auto formula_of(const Term& term) {
  return MemberFormula<decltype(term.member())>{term.member(), term.floor, term.ceiling};
}

/// Σ_samples weight · (average over members and entries)
template <MemberLoss Term, class T, int D>
double average_members(const Term& term, const LawBlock<T, D>& law, const Target<T, D>& target,
                       double weight) {
  const double value = average_entries(formula_of(term), law, target, weight);
  if (!std::isfinite(value)) {
    const Index first = target.first_member(law.first),
                last = target.first_member(law.first + law.mean.batch);
    require(all_finite(target.members.samples(first, last - first)), Term::name, "target.members",
            Text("finite values"), Text("a NaN or an infinity"));
  }
  return value;
}

}  // namespace mno::detail

#pragma once
// Terms that look at one entry of a field at a time (a channel at a point) and average over entries.
//
//   v(c,x) = Σ_k B_k(c,x)² + η(c,x)²,   B̄_k += 2 v̄ B_k,   η̄ += 2 v̄ η
//
// Entry arithmetic runs in double for every scalar.
#include <algorithm>
#include <cmath>
#include <concepts>

#include "mno/core/host_device.hpp"
#include "mno/law/block.hpp"
#include "mno/law/factor.hpp"
#include "mno/loss/need.hpp"

namespace mno::detail {

template <class T, int D>
MNO_HOST_DEVICE double variance_at(const LawBlock<T, D>& law, Index row, Index channel) {
  if (law.variance) return double(law.variance.row(row)[channel]);
  if (!law.factor) return 0;
  const Index channels = law.mean.channels;
  const double v = row_variance(law.factor.row(row), channel, channels, law.factor.channels / channels);
  if (!law.nugget) return v;
  const double eta = double(law.nugget.row(row)[channel]);
  return v + eta * eta;
}
template <class T, int D>
MNO_HOST_DEVICE void add_variance_bar(const LawBlock<T, D>& law, Index row, Index channel,
                                      double variance_bar) {
  if (law.variance_bar) {
    law.variance_bar.row(row)[channel] += T(variance_bar);
    return;
  }
  if (!law.factor_bar) return;
  const Index channels = law.mean.channels;
  add_row_variance_bar(law.factor.row(row), channel, channels, law.factor.channels / channels, variance_bar,
                       law.factor_bar.row(row));
  if (law.nugget_bar)
    law.nugget_bar.row(row)[channel] += T(2 * variance_bar * double(law.nugget.row(row)[channel]));
}

/// The value of a term at one entry, and its derivatives in the law's mean and variance there.
struct EntryTerm {
  double value = 0, mean_bar = 0, variance_bar = 0;
};

/// What the ensemble says about one entry: ū, s² and the number of members.
struct EntryTarget {
  double mean, variance;
  Index count;

  /// (1/M) Σ_j (u_j − ū)² = s² (M − 1)/M
  MNO_HOST_DEVICE double biased_variance() const {
    return count == 1 ? 0.0 : variance * double(count - 1) / double(count);
  }
};
/// A mean or variance that is not given is 0, and a count that is not given is 1.
template <class T, int D>
MNO_HOST_DEVICE EntryTarget entry_target(const Target<T, D>& target, Index sample, Index point,
                                         Index channel) {
  return {target.mean ? double(target.mean(sample, point, channel)) : 0.0,
          target.variance ? double(target.variance(sample, point, channel)) : 0.0,
          target.counts.empty() ? 1 : target.count(sample)};
}

/// A term that is a function of one entry: term.at(m, v, target) → EntryTerm.
template <class Term>
concept EntryLoss = requires(const Term& term, double x, const EntryTarget& e) {
  { term.at(x, x, e) } -> std::same_as<EntryTerm>;
};
/// It as a formula: f(target, sample, point, channel, m, v) → EntryTerm, samples counted as the target does.
template <EntryLoss Term> struct EntryFormula {
  Term term;
  template <class T, int D>
  MNO_HOST_DEVICE EntryTerm operator()(const Target<T, D>& target, Index sample, Index point, Index channel,
                                       double m, double v) const {
    return term.at(m, v, entry_target(target, sample, point, channel));
  }
};
template <EntryLoss Term> EntryFormula<Term> formula_of(const Term& term) { return {term}; }

/// A formula at one entry of a law, whose samples are counted from 0.
template <class Formula, class T, int D>
MNO_HOST_DEVICE EntryTerm evaluate(const Formula& f, const LawBlock<T, D>& law, const Target<T, D>& target,
                                   Index b, Index point, Index channel) {
  const Index row = b * law.mean.points() + point;
  return f(target, law.first + b, point, channel, double(law.mean.row(row)[channel]),
           variance_at(law, row, channel));
}
template <class T, int D>
MNO_HOST_DEVICE void add_bars(const LawBlock<T, D>& law, Index row, Index channel, const EntryTerm& at,
                              double share) {
  law.mean_bar.row(row)[channel] += T(share * at.mean_bar);
  add_variance_bar(law, row, channel, share * at.variance_bar);
}

/// Σ_samples weight · (average over entries of f)
template <class Formula, class T, int D>
double average_entries(const Formula& f, const LawBlock<T, D>& law, const Target<T, D>& target,
                       double weight) {
  const Index points = law.mean.points(), channels = law.mean.channels;
  const double share = weight / double(points * channels);
  double total = 0;
  for (Index b = 0; b < law.mean.batch; ++b)
    for (Index x = 0; x < points; ++x)
      for (Index c = 0; c < channels; ++c) {
        const EntryTerm at = evaluate(f, law, target, b, x, c);
        total += at.value;
        add_bars(law, b * points + x, c, at, share);
      }
  return share * total;
}

/// The variance as a likelihood sees it, v clamped to [floor, ceiling]; no derivative passes where it is
/// clamped.
struct ClampedVariance {
  double value;
  double slope;  // ∂value/∂v, 0 or 1
};
MNO_HOST_DEVICE inline ClampedVariance clamped(double v, double floor, double ceiling) {
  return {std::clamp(v, floor, ceiling), v >= floor && v <= ceiling ? 1.0 : 0.0};
}

}  // namespace mno::detail

#pragma once
// Terms that look at one entry of a field at a time (a channel at a point) and average over entries.
//
//   v(c,x) = Σ_k B_k(c,x)²,   B̄_k += 2 v̄ B_k
//
// Entry arithmetic runs in double for every scalar.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mno/core/host_device.hpp"
#include "mno/loss/target.hpp"
#include "mno/model/gradient.hpp"

namespace mno::detail {

template <class T, int D> double variance_at(const LawBlock<T, D>& law, Index row, Index channel) {
  if (law.variance) return double(law.variance.row(row)[channel]);
  const Index channels = law.mean.channels, rank = law.factor.channels / channels;
  const T* const b = law.factor.row(row) + channel;
  if (channels == 1) return double(Eigen::Map<const Eigen::VectorX<T>>(b, rank).squaredNorm());
  double v = 0;
  for (Index k = 0; k < rank; ++k) v += double(b[k * channels]) * double(b[k * channels]);
  return v;
}
template <class T, int D>
void add_variance_bar(const LawBlock<T, D>& law, Index row, Index channel, double variance_bar) {
  if (law.variance_bar) {
    law.variance_bar.row(row)[channel] += T(variance_bar);
    return;
  }
  const Index channels = law.mean.channels, rank = law.factor.channels / channels;
  const T* const b = law.factor.row(row) + channel;
  T* const b_bar = law.factor_bar.row(row) + channel;
  const T twice = T(2 * variance_bar);
  if (channels == 1)
    Eigen::Map<Eigen::VectorX<T>>(b_bar, rank) += twice * Eigen::Map<const Eigen::VectorX<T>>(b, rank);
  else
    for (Index k = 0; k < rank; ++k) b_bar[k * channels] += twice * b[k * channels];
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
template <class T, int D>
EntryTarget entry_target(const Target<T, D>& target, Index sample, Index point, Index channel) {
  return {double(target.mean(sample, point, channel)),
          target.variance ? double(target.variance(sample, point, channel)) : 0.0, target.count(sample)};
}

/// Σ_samples weight · (average over entries of f), f(sample, point, channel, m, v) → EntryTerm; samples are
/// counted as the target does.
template <class T, int D, class F> double average_entries(const LawBlock<T, D>& law, double weight, F&& f) {
  const Index points = law.mean.points(), channels = law.mean.channels;
  const double share = weight / double(points * channels);
  double total = 0;
  for (Index b = 0; b < law.mean.batch; ++b)
    for (Index x = 0; x < points; ++x)
      for (Index c = 0; c < channels; ++c) {
        const Index row = b * points + x;
        const EntryTerm at = f(law.first + b, x, c, double(law.mean.row(row)[c]), variance_at(law, row, c));
        total += at.value;
        law.mean_bar.row(row)[c] += T(share * at.mean_bar);
        add_variance_bar(law, row, c, share * at.variance_bar);
      }
  return share * total;
}

/// A term that is a function of one entry: term.at(m, v, target) → EntryTerm, for every device.
template <class Term, class T, int D>
double average_term(const Term& term, const LawBlock<T, D>& law, const Target<T, D>& target, double weight) {
  return average_entries(law, weight, [&](Index sample, Index x, Index c, double m, double variance) {
    return term.at(m, variance, entry_target(target, sample, x, c));
  });
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

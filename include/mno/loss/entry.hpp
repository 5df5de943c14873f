#pragma once
// Terms that look at one entry of a field at a time (a channel at a point) and average over entries.
//
//   v(c,x) = Σ_k B_k(c,x)²,   B̄_k += 2 v̄ B_k
//
// Entry arithmetic runs in double for every scalar.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

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

/// The variance as a likelihood sees it, v clamped to [floor, ceiling]; no derivative passes where it is
/// clamped.
struct ClampedVariance {
  double value;
  double slope;  // ∂value/∂v, 0 or 1
};
inline ClampedVariance clamped(double v, double floor, double ceiling) {
  return {std::clamp(v, floor, ceiling), v >= floor && v <= ceiling ? 1.0 : 0.0};
}

}  // namespace mno::detail

#pragma once
// What the losses do at one entry or for one sample, as kernels. The formula of a term is the one that the
// CPU uses.
#include "mno/cuda/model.hpp"
#include "mno/loss/recipe.hpp"

namespace mno::cuda {

namespace detail {

/// What terms work on: dense fields (sample, entry), an entry being a channel at a point.
template <class T> struct LawNumbers {
  const T *mean, *factor;  // factor: (row, rank, channel)
  T *mean_bar, *factor_bar;
  T *variance, *variance_bar;  // null without a factor
  Index batch, points, channels, rank;
  double scale;  // 1/samples

  MNO_HOST_DEVICE Index entries() const { return points * channels; }
};
template <class T> struct TargetNumbers {
  const T *mean, *variance, *covariance_factor, *members;
  const Index* counts;
  Index kept, factors;

  MNO_HOST_DEVICE mno::detail::EntryTarget at(Index sample, Index i) const {
    return {double(mean[i]), variance ? double(variance[i]) : 0.0, counts ? counts[sample] : 1};
  }
};

/// v = Σ_k B_k² into memory of its own, v̄ = m̄ = B̄ = 0
template <class T> struct BeginLoss {
  LawNumbers<T> law;
  MNO_HOST_DEVICE void operator()(Index i) const {
    law.mean_bar[i] = 0;
    if (!law.variance) return;
    const T* const b = law.factor + i / law.channels * law.rank * law.channels + i % law.channels;
    double v = 0;
    for (Index k = 0; k < law.rank; ++k) v += double(b[k * law.channels]) * double(b[k * law.channels]);
    law.variance[i] = T(v);
    law.variance_bar[i] = 0;
  }
};
/// B̄_k += 2 v̄ B_k, when all terms have added their v̄
template <class T> struct EndLoss {
  LawNumbers<T> law;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index row = i / (law.rank * law.channels), channel = i % law.channels;
    law.factor_bar[i] += T(2) * law.variance_bar[row * law.channels + channel] * law.factor[i];
  }
};

/// A term at every entry: its value to be summed, its cotangents to be added.
template <class Term, class T> struct EntryValue {
  Term term;
  LawNumbers<T> law;
  TargetNumbers<T> target;
  MNO_HOST_DEVICE mno::detail::EntryTerm at(Index sample, Index i) const {
    return term.at(double(law.mean[i]), law.variance ? double(law.variance[i]) : 0.0, target.at(sample, i));
  }
  MNO_HOST_DEVICE double operator()(Index sample, Index e) const {
    return at(sample, sample * law.entries() + e).value;
  }
};
template <class Value, class T> struct EntryBars {
  Value value;
  LawNumbers<T> law;
  double share;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const mno::detail::EntryTerm at = value.at(i / law.entries(), i);
    law.mean_bar[i] += T(share * at.mean_bar);
    if (law.variance) law.variance_bar[i] += T(share * at.variance_bar);
  }
};
/// The average over members of a term that needs them.
template <class Member, class T> struct MemberValue {
  Member member;
  double floor, ceiling;
  LawNumbers<T> law;
  TargetNumbers<T> target;
  MNO_HOST_DEVICE mno::detail::EntryTerm at(Index sample, Index i) const {
    const auto v = mno::detail::clamped(double(law.variance[i]), floor, ceiling);
    const Index entry = i - sample * law.entries();
    mno::detail::EntryTerm sum;
    for (Index j = 0; j < target.kept; ++j) {
      const auto one = member(double(target.members[(sample * target.kept + j) * law.entries() + entry]),
                              double(law.mean[i]), v.value);
      sum.value += one.value;
      sum.mean_bar += one.mean_bar;
      sum.variance_bar += one.variance_bar;
    }
    const double share = 1.0 / double(target.kept);
    return {share * sum.value, share * sum.mean_bar, share * v.slope * sum.variance_bar};
  }
  MNO_HOST_DEVICE double operator()(Index sample, Index e) const {
    return at(sample, sample * law.entries() + e).value;
  }
};

/// values[b] = factor · sums[b]
struct ScaleValues {
  const double* sums;
  double factor;
  double* values;
  MNO_HOST_DEVICE void operator()(Index b) const { values[b] = factor * sums[b]; }
};

/// Σ (x − y)² and Σ y² of a sample
template <class T> struct Squares {
  const T *x, *y;
  Index entries;
  MNO_HOST_DEVICE Pair operator()(Index sample, Index e) const {
    const Index i = sample * entries + e;
    const double b = double(y[i]), d = double(x[i]) - b;
    return {d * d, b * b};
  }
};
/// Relative distance ‖x − y‖/(‖y‖ + tiny) from these sums, and the factor of (x − y) in its cotangent.
struct RelativeDistance {
  const Pair* sums;
  double weight, entries, tiny;
  double *values, *factors;
  MNO_HOST_DEVICE void operator()(Index b) const {
    const double distance = std::sqrt(sums[b].first / entries),
                 size = std::sqrt(sums[b].second / entries) + tiny;
    values[b] = weight * distance / size;
    factors[b] = distance > 0 ? weight / (entries * distance * size) : 0;
  }
};
/// bar += factor[sample] (x − y)
template <class T> struct AddDifference {
  const T *x, *y;
  const double* factors;  // (sample), or null: the same for all
  double factor;
  Index entries;
  T* bar;
  MNO_HOST_DEVICE void operator()(Index i) const {
    bar[i] += T((factors ? factors[i / entries] : factor) * (double(x[i]) - double(y[i])));
  }
};
/// (m − ū)², and with it the spread of the ensemble where it counts
template <class T> struct SquaredError {
  LawNumbers<T> law;
  TargetNumbers<T> target;
  bool spread;
  MNO_HOST_DEVICE double operator()(Index sample, Index e) const {
    const Index i = sample * law.entries() + e;
    const double d = double(law.mean[i]) - double(target.mean[i]);
    return d * d + (spread ? target.at(sample, i).biased_variance() : 0.0);
  }
};

/// Bᵀ of every sample in double, (sample, entry, k) from (row, k, channel)
template <class T> struct Columns {
  const T* factor;
  Index channels, rank;
  double* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index k = i % rank, entry = i / rank;
    to[i] = double(factor[entry / channels * rank * channels + k * channels + entry % channels]);
  }
};
/// B̄ += factor[sample] · columns
template <class T> struct AddColumns {
  const double *columns, *factors;
  Index channels, rank, entries;
  T* bar;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index k = i % rank, entry = i / rank;
    bar[entry / channels * rank * channels + k * channels + entry % channels] +=
        T(factors[entry / entries] * columns[i]);
  }
};
struct SquareSum {
  const double* values;
  Index n;
  MNO_HOST_DEVICE double operator()(Index segment, Index i) const {
    const double v = values[segment * n + i];
    return v * v;
  }
};
struct FinishHilbertSchmidt {
  const double *bb, *yb, *yy;  // squared norms: (sample)
  double weight, smoothing, tiny;
  double *values, *factors;
  MNO_HOST_DEVICE void operator()(Index b) const {
    const double size = yy[b] + tiny, q = std::max(0.0, bb[b] - 2 * yb[b] + yy[b]);
    const double root = std::sqrt(q / size + smoothing * smoothing);
    values[b] = weight * (root - smoothing);
    factors[b] = weight * 2 / (size * root);
  }
};
/// The probes of Hutchinson: v(sample, probe, entry), the same integers as on the host.
struct DrawProbes {
  Hutchinson term;
  Index entries;
  double* v;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index entry = i % entries, probe = i / entries % term.probes, sample = i / entries / term.probes;
    const std::uint64_t word = std::uint64_t(probe * ((entries + 7) / 8) + entry / 8),
                        stream = term.stream(sample);
    const auto block = philox(
        {std::uint32_t(word / 4), Hutchinson::purpose, std::uint32_t(stream), std::uint32_t(stream >> 32)},
        {std::uint32_t(term.seed), std::uint32_t(term.seed >> 32)});
    v[i] = Hutchinson::value(block[word % 4] >> (4 * (entry % 8)) & 7);
  }
};
/// d_p = ‖Bv_p‖² − ‖Yv_p‖² per probe, and its square beside ‖Yv_p‖⁴
struct ProbeTerm {
  const double *predicted, *empirical;  // (sample, probe)
  Index probes;
  MNO_HOST_DEVICE Pair operator()(Index sample, Index p) const {
    const double e = empirical[sample * probes + p], d = predicted[sample * probes + p] - e;
    return {d * d, e * e};
  }
};
struct FinishHutchinson {
  const Pair* sums;
  double weight, tiny;
  double *values, *factors;
  MNO_HOST_DEVICE void operator()(Index b) const {
    const double size = sums[b].second + tiny;
    values[b] = weight * sums[b].first / size;
    factors[b] = weight * 4 / size;
  }
};
struct ScaleProbes {
  const double *predicted, *empirical;
  Index rank;
  double* bv;
  MNO_HOST_DEVICE void operator()(Index i) const { bv[i] *= predicted[i / rank] - empirical[i / rank]; }
};

}  // namespace detail

}  // namespace mno::cuda

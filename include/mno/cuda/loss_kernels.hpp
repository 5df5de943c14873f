#pragma once
// The sums around the formulas of losses, as kernels: the formulas are those of loss/.
#include "mno/cuda/elementwise.hpp"
#include "mno/cuda/reduce.hpp"
#include "mno/loss/recipe.hpp"

namespace mno::cuda::detail {

using mno::detail::SampleTerm, mno::detail::SquareSums;

/// v = Σ_k B_k² into memory of its own, v̄ = 0
template <class T, int D> struct BeginVariance {
  LawBlock<T, D> law;  // without it
  View<T, D> v, v_bar;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    v.row(row)[channel] = T(mno::detail::variance_at(law, row, channel));
    v_bar.row(row)[channel] = 0;
  }
};
/// B̄_k += 2 v̄ B_k, when all terms have added their v̄
template <class T, int D> struct EndVariance {
  LawBlock<T, D> law;
  View<const T, D> v_bar;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    mno::detail::add_variance_bar(law, row, channel, double(v_bar.row(row)[channel]));
  }
};

/// A term at every entry: its value to be summed, its cotangents to be added.
template <class Formula, class T, int D> struct EntryValue {
  Formula formula;
  LawBlock<T, D> law;
  Target<T, D> target;
  MNO_HOST_DEVICE double operator()(Index sample, Index entry) const {
    const Index c = law.mean.channels;
    return mno::detail::evaluate(formula, law, target, sample, entry / c, entry % c).value;
  }
};
template <class Formula, class T, int D> struct EntryBars {
  EntryValue<Formula, T, D> of;
  double share;
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const Index points = of.law.mean.points();
    const auto at = mno::detail::evaluate(of.formula, of.law, of.target, row / points, row % points, channel);
    mno::detail::add_bars(of.law, row, channel, at, share);
  }
};
/// values[b] = factor · sums[b]
struct ScaleValues {
  const double* sums;
  double factor;
  double* values;
  MNO_HOST_DEVICE void operator()(Index b) const { values[b] = factor * sums[b]; }
};

/// A relative distance: its sums over the entries of a sample, and its cotangents.
template <class Term, class T, int D> struct Squares {
  Term term;
  LawBlock<T, D> law;
  Target<T, D> target;
  MNO_HOST_DEVICE SquareSums operator()(Index sample, Index entry) const {
    const Index c = law.mean.channels;
    return mno::detail::squares(mno::detail::compare(term, law, target, sample, entry / c, entry % c));
  }
};
template <class Term, class T, int D> struct AddDifference {
  Squares<Term, T, D> of;
  const double* factors;  // (sample)
  MNO_HOST_DEVICE void operator()(Index row, Index channel) const {
    const Index points = of.law.mean.points(), sample = row / points;
    const auto at = mno::detail::compare(of.term, of.law, of.target, sample, row % points, channel);
    mno::detail::add_bar<Term>(of.law, row, channel, factors[sample] * at.difference);
  }
};

/// Value and factor of every sample, from its sums: f(sample) → SampleTerm.
template <class F> struct Finish {
  F f;
  double *values, *factors;
  MNO_HOST_DEVICE void operator()(Index sample) const {
    const SampleTerm at = f(sample);
    values[sample] = at.value;
    factors[sample] = at.factor;
  }
};
struct OfDistance {
  const SquareSums* sums;
  double entries, tiny, weight;
  MNO_HOST_DEVICE SampleTerm operator()(Index sample) const {
    return mno::detail::relative_distance(sums[sample], entries, tiny, weight);
  }
};
struct OfHilbertSchmidt {
  HilbertSchmidt term;
  const double *bb, *yb, *yy;  // squared norms: (sample)
  const double* nugget;        // what it adds: (sample)
  double scale;
  MNO_HOST_DEVICE SampleTerm operator()(Index sample) const {
    return term.of_sample(bb[sample], yb[sample], yy[sample], nugget[sample], scale);
  }
};
/// What a nugget d adds to the squared distance of covariances at an entry, d (d + 2 (‖b‖² − ‖y‖²)); and the
/// share of its derivative, in `excess`.
template <class T, int D> struct NuggetExcess {
  LawBlock<T, D> law;
  const double *bt, *yt;  // (sample, entry, k)
  Index entries, rank, factors;
  double* excess;
  MNO_HOST_DEVICE double operator()(Index sample, Index i) const {
    const Index at = sample * entries + i;
    double difference = 0;
    for (Index k = 0; k < rank; ++k) difference += bt[at * rank + k] * bt[at * rank + k];
    for (Index k = 0; k < factors; ++k) difference -= yt[at * factors + k] * yt[at * factors + k];
    const double d = mno::detail::nugget_variance(law, sample, i);
    excess[at] = d + difference;
    return d * (d + 2 * difference);
  }
};
template <class T, int D> struct NuggetDistanceBars {
  NuggetExcess<T, D> of;
  const double* sample_factors;
  double* bar;  // (sample, entry, k)
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index sample = at / of.entries, i = at % of.entries;
    const double d = mno::detail::nugget_variance(of.law, sample, i);
    for (Index k = 0; k < of.rank; ++k) bar[at * of.rank + k] += d * of.bt[at * of.rank + k];
    mno::detail::add_nugget_variance_bar(of.law, sample, i, 0.5 * sample_factors[sample] * of.excess[at]);
  }
};
/// ‖Bv‖² += Σ_i η_i² v_i² of a probe, and the nugget's cotangent.
template <class T, int D> struct AddNuggetProbes {
  LawBlock<T, D> law;
  const double* v;  // (sample, probe, entry)
  Index probes, entries;
  double* predicted;
  MNO_HOST_DEVICE void operator()(Index at) const {
    double sum = 0;
    for (Index i = 0; i < entries; ++i) {
      const double x = v[at * entries + i];
      sum += mno::detail::nugget_variance(law, at / probes, i) * x * x;
    }
    predicted[at] += sum;
  }
};
template <class T, int D> struct NuggetProbeBars {
  LawBlock<T, D> law;
  const double *v, *predicted, *empirical, *factors;
  Index probes, entries;
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index sample = at / entries, i = at % entries;
    double sum = 0;
    for (Index p = sample * probes; p < (sample + 1) * probes; ++p) {
      const double x = v[p * entries + i];
      sum += (predicted[p] - empirical[p]) * x * x;
    }
    mno::detail::add_nugget_variance_bar(law, sample, i, 0.5 * factors[sample] * sum);
  }
};
struct OfHutchinson {
  Hutchinson term;
  const SquareSums* sums;
  double scale;
  MNO_HOST_DEVICE SampleTerm operator()(Index sample) const { return term.of_sample(sums[sample], scale); }
};

/// Bᵀ of every sample in double, (sample, entry, k) from (row, k, channel)
template <class T, int D> struct Columns {
  View<const T, D> factor;
  Index channels, rank;
  double* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index k = i % rank, entry = i / rank;
    to[i] = double(factor.row(entry / channels)[mno::detail::factor_channel(k, entry % channels, channels)]);
  }
};
/// B̄ += factor[sample] · columns
template <class T, int D> struct AddColumns {
  const double *columns, *factors;
  Index channels, rank, entries;
  View<T, D> bar;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index k = i % rank, entry = i / rank;
    bar.row(entry / channels)[mno::detail::factor_channel(k, entry % channels, channels)] +=
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
/// The probes of Hutchinson: v(sample, probe, entry).
struct DrawProbes {
  Hutchinson term;
  std::uint64_t step;
  Index first, entries;
  double* v;
  MNO_HOST_DEVICE void operator()(Index i) const {
    v[i] =
        term.entry(step, first + i / entries / term.probes, i / entries % term.probes, i % entries, entries);
  }
};
/// d_p = ‖Bv_p‖² − ‖Yv_p‖² per probe: its square beside ‖Yv_p‖⁴, and Bv_p times it
struct ProbeTerm {
  const double *predicted, *empirical;  // (sample, probe)
  Index probes;
  MNO_HOST_DEVICE SquareSums operator()(Index sample, Index p) const {
    const double e = empirical[sample * probes + p], d = predicted[sample * probes + p] - e;
    return {d * d, e * e};
  }
};
struct ScaleProbes {
  const double *predicted, *empirical;
  Index rank;
  double* bv;
  MNO_HOST_DEVICE void operator()(Index i) const { bv[i] *= predicted[i / rank] - empirical[i / rank]; }
};

}  // namespace mno::cuda::detail

#pragma once
// The losses on the device. The formulas of terms are those of loss/; here are the sums around them.
//
// Values are made sample by sample, so that their sum has one order, and all arithmetic is in double, as on
// the processor.
#include "mno/cuda/draws.hpp"
#include "mno/cuda/exact_nll.hpp"

namespace mno::cuda {

/// Law and target are in the device's memory, and the law has its variance.
template <class T, int D> class LossOnDevice {
 public:
  /// `host`: the target as the host sees it.
  LossOnDevice(Pass<T, D, Cuda>& pass, const LawBlock<T, D>& law, const Target<T, D>& target,
               const Target<T, D>& host)
      : pass_(pass), device_(pass.device()), law_(law), target_(target), host_(host) {}

  /// Adds a term's cotangents and writes its value per sample, weight and scale included.
  template <class Term> void add(const Term& term, double* values) {
    static_assert(mno::detail::EntryLoss<Term> || mno::detail::MemberLoss<Term>,
                  "mno: this term has no version for mno::Cuda. A term of one entry gets one by a function "
                  "EntryTerm at(double m, double v, const EntryTarget&) const that is MNO_HOST_DEVICE");
    const DeviceScope scope(device_.arena());
    double share = term.weight * scale_ / double(entries_);
    if constexpr (requires { Term::share(rank_); }) share *= Term::share(rank_);
    const auto formula = mno::detail::formula_of(term);
    const detail::EntryValue<std::remove_const_t<decltype(formula)>, T, D> value{formula, law_, target_};
    double* const sums = take(samples_);
    reduce<double>(device_, samples_, entries_, value, sums);
    device_.for_each(samples_, detail::ScaleValues{sums, share, values});
    pass_.for_each(law_.mean, detail::EntryBars<std::remove_const_t<decltype(formula)>, T, D>{value, share});
  }
  template <mno::detail::RelativeLoss Term> void add(const Term& term, double* values) {
    const DeviceScope scope(device_.arena());
    const detail::Squares<Term, T, D> squares{term, law_, target_};
    detail::SquareSums* const sums =
        device_.arena().template scratch<detail::SquareSums>(std::size_t(samples_));
    reduce<detail::SquareSums>(device_, samples_, entries_, squares, sums);
    const double* const factors =
        finish(detail::OfDistance{sums, double(entries_), term.tiny, term.weight * scale_}, values);
    pass_.for_each(law_.mean, detail::AddDifference<Term, T, D>{squares, factors});
  }

  /// The formulas of loss/hilbert_schmidt.hpp, all samples in one product.
  void add(const HilbertSchmidt& term, double* values) {
    const DeviceScope scope(device_.arena());
    const Index n = entries_, r = rank_, s = factors_, samples = samples_;
    double* const bt = columns(law_.factor, r);
    double* const yt = columns(target_.covariance_factor.samples(law_.first, samples), s);
    double *const bb = take(samples * r * r), *const yb = take(samples * s * r),
                  *const yy = take(samples * s * s);
    gram(bb, bt, r, bt, r);
    gram(yb, yt, s, bt, r);
    gram(yy, yt, s, yt, s);
    double* const sums = take(4 * samples);
    reduce<double>(device_, samples, r * r, detail::SquareSum{bb, r * r}, sums);
    reduce<double>(device_, samples, s * r, detail::SquareSum{yb, s * r}, sums + samples);
    reduce<double>(device_, samples, s * s, detail::SquareSum{yy, s * s}, sums + 2 * samples);
    double* const excess = take(samples * n);
    const detail::NuggetExcess<T, D> nugget{law_, bt, yt, n, r, s, excess};
    if (law_.nugget)
      reduce<double>(device_, samples, n, nugget, sums + 3 * samples);
    else
      device_.fill(sums + 3 * samples, samples, 0.0);
    const double* const factors = finish(
        detail::OfHilbertSchmidt{term, sums, sums + samples, sums + 2 * samples, sums + 3 * samples, scale_},
        values);
    double* const bar = take(samples * n * r);
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {bt, n, r, r, n * r}, Op::plain,
                             {bb, r, r, r, r * r}, Op::plain, Write::set);
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {yt, n, s, s, n * s}, Op::plain,
                             {yb, s, r, r, s * r}, Op::plain, Write::add, -1);
    if (law_.nugget) device_.for_each(samples * n, detail::NuggetDistanceBars<T, D>{nugget, factors, bar});
    add_columns(bar, factors);
  }

  /// The formulas of loss/exact_nll.hpp.
  void add(const ExactNll& term, double* values) {
    const DeviceScope scope(device_.arena());
    double *const bt = columns(law_.factor, rank_), *const bar = take(samples_ * entries_ * rank_);
    const auto result = exact_nll<T, D>(device_, term, law_, target_, term.rows(host_), scale_, bt, bar,
                                        [&](Index n) { return take(n); });
    add_columns(bar, finish(result, values));
  }

  template <class... Terms> void add(const OnDraws<Terms...>& term, double* values) {
    add_draws_of_law(pass_, term, law_, target_, host_, values);
  }

  /// The formulas of loss/hutchinson.hpp.
  void add(const Hutchinson& term, double* values) {
    const DeviceScope scope(device_.arena());
    const Index n = entries_, r = rank_, s = factors_, samples = samples_, probes = term.probes;
    double* const bt = columns(law_.factor, r);
    double* const yt = columns(target_.covariance_factor.samples(law_.first, samples), s);
    double *const v = take(samples * probes * n), *const bv = take(samples * probes * r),
                  *const yv = take(samples * probes * s);
    device_.for_each(samples * probes * n, detail::DrawProbes{term, target_.step, law_.first, n, v});
    device_.multiply<double>(samples, {bv, probes, r, r, probes * r}, {v, probes, n, n, probes * n},
                             Op::plain, {bt, n, r, r, n * r}, Op::plain, Write::set);
    device_.multiply<double>(samples, {yv, probes, s, s, probes * s}, {v, probes, n, n, probes * n},
                             Op::plain, {yt, n, s, s, n * s}, Op::plain, Write::set);
    double *const predicted = take(samples * probes), *const empirical = take(samples * probes);
    detail::SquareSums* const sums =
        device_.arena().template scratch<detail::SquareSums>(std::size_t(samples));
    reduce<double>(device_, samples * probes, r, detail::SquareSum{bv, r}, predicted);
    reduce<double>(device_, samples * probes, s, detail::SquareSum{yv, s}, empirical);
    if (law_.nugget)
      device_.for_each(samples * probes, detail::AddNuggetProbes<T, D>{law_, v, probes, n, predicted});
    reduce<detail::SquareSums>(device_, samples, probes, detail::ProbeTerm{predicted, empirical, probes},
                               sums);
    const double* const factors = finish(detail::OfHutchinson{term, sums, scale_}, values);
    device_.for_each(samples * probes * r, detail::ScaleProbes{predicted, empirical, r, bv});
    if (law_.nugget)
      device_.for_each(samples * n,
                       detail::NuggetProbeBars<T, D>{law_, v, predicted, empirical, factors, probes, n});
    double* const bar = take(samples * n * r);  // Σ_p v_p (d_p Bv_p)ᵀ
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {v, probes, n, n, probes * n}, Op::transposed,
                             {bv, probes, r, r, probes * r}, Op::plain, Write::set);
    add_columns(bar, factors);
  }

 private:
  double* take(Index n) { return device_.arena().template scratch<double>(std::size_t(n)); }

  template <class F> const double* finish(const F& f, double* values) {
    double* const factors = take(samples_);
    device_.for_each(samples_, detail::Finish<F>{f, values, factors});
    return factors;
  }
  double* columns(const View<const T, D>& factor, Index rank) {
    double* const to = take(samples_ * entries_ * rank);
    device_.for_each(samples_ * entries_ * rank, detail::Columns<T, D>{factor, law_.mean.channels, rank, to});
    return to;
  }
  void add_columns(const double* bar, const double* factors) {
    device_.for_each(samples_ * entries_ * rank_, detail::AddColumns<T, D>{bar, factors, law_.mean.channels,
                                                                           rank_, entries_, law_.factor_bar});
  }
  /// (sample, i, j) = Σ_entry a(entry, i) b(entry, j)
  void gram(double* to, const double* a, Index i, const double* b, Index j) {
    const Index n = entries_;
    device_.multiply<double>(samples_, {to, i, j, j, i * j}, {a, n, i, i, n * i}, Op::transposed,
                             {b, n, j, j, n * j}, Op::plain, Write::set);
  }

  Pass<T, D, Cuda>& pass_;
  Cuda& device_;
  LawBlock<T, D> law_;
  Target<T, D> target_, host_;
  Index samples_ = law_.mean.batch, entries_ = law_.mean.points() * law_.mean.channels;
  Index rank_ = law_.factor.channels / law_.mean.channels,
        factors_ = target_.covariance_factor.channels / law_.mean.channels;
  double scale_ = 1 / double(target_.samples());
};

/// All terms of a loss on a law of all samples, or of some that begin with law.first: adds to its cotangents,
/// and sets `values` to their Σ_samples per term, a share of the mean over the target's samples. `host` is
/// the target as the host sees it.
template <class L, class T, int D>
void evaluate_loss(Cuda& device, const L& loss, const LawBlock<T, D>& law, const Target<T, D>& target,
                   const Target<T, D>& host, double* values) {
  const DeviceScope scope(device.arena());
  Pass<T, D, Cuda> pass(device);
  const Index samples = law.mean.batch;
  const View<T, D> v = pass.scratch_uninitialised(law.mean, law.mean.channels),
                   v_bar = pass.scratch_uninitialised(law.mean, law.mean.channels);
  LawBlock<T, D> shared = law;
  shared.variance = v;
  shared.variance_bar = v_bar;
  pass.for_each(v, detail::BeginVariance<T, D>{law, v, v_bar});
  double* const per_sample = device.arena().template scratch<double>(L::size * std::size_t(samples));
  device.fill(per_sample, Index(L::size) * samples, 0.0);
  LossOnDevice<T, D> terms(pass, shared, target, host);
  double* place = per_sample;
  const auto add = [&](const auto& term) {
    if constexpr (mno::detail::is_of_model<std::remove_cvref_t<decltype(term)>>) {
      require(term.weight == 0, term.name, "weight", Text("0 on mno::Cuda, where it has no version yet"),
              Text(term.weight));
    } else if (term.weight != 0) {
      if constexpr (requires { term.need(law, host); }) term.need(law, host);
      terms.add(term, place);
    }
    place += samples;
  };
  std::apply([&](const auto&... term) { (add(term), ...); }, loss.terms());
  if (law.factor) pass.for_each(v_bar, detail::EndVariance<T, D>{law, v_bar});
  reduce<double>(device, Index(L::size), samples, detail::Stored<double>{per_sample, samples}, values);
}

/// The same on fields of an operator: on draws of every condition, or as laws without a factor.
template <class L, class T, int D>
void evaluate_loss(Cuda& device, const L& loss, const FieldBlock<T, D>& field, const Target<T, D>& target,
                   const Target<T, D>& host, double* values) {
  if constexpr (!mno::detail::OfDraws<L>) {
    evaluate_loss(device, loss, mno::detail::as_law(field), target, host, values);
  } else {
    const DeviceScope scope(device.arena());
    Pass<T, D, Cuda> pass(device);
    const DrawBlock<T, D> block = mno::detail::as_draws(field, mno::detail::draws_of(loss));
    const Index conditions = block.conditions();
    double* const per_condition = device.arena().template scratch<double>(L::size * std::size_t(conditions));
    device.fill(per_condition, Index(L::size) * conditions, 0.0);
    DrawsOnDevice<T, D> draws(pass, block, target, host);
    double* place = per_condition;
    const auto add = [&]<class Term>(const Term& term) {
      static_assert(mno::detail::is_on_draws<Term>,
                    "mno: beside OnDraws{S, terms…} an operator with noise inside takes no other term");
      if (term.weight != 0) draws.add(term, place);
      place += conditions;
    };
    std::apply([&](const auto&... term) { (add(term), ...); }, loss.terms());
    reduce<double>(device, Index(L::size), conditions, detail::Stored<double>{per_condition, conditions},
                   values);
  }
}

}  // namespace mno::cuda

#pragma once
// The losses on the device. A term's formula is the one that the CPU uses; here are the sums around it.
//
// Values are made sample by sample, so that their sum has one order, and all arithmetic is in double, as
// there.
#include "mno/cuda/loss_kernels.hpp"

namespace mno::cuda {

/// A target whose views point to the device.
template <class T, int D> struct DeviceTarget {
  View<const T, D> mean{}, variance{}, covariance_factor{}, members{};
  const Index* counts = nullptr;  // (sample); null: nobody asks
  Index kept = 0;                 // members per sample in `members`
};

/// Terms of one entry, and terms of one entry and one member, run on the device by their formula alone.
template <class Term>
concept EntryLoss = requires(const Term& term, double x, const mno::detail::EntryTarget& e) {
  { term.at(x, x, e) } -> std::same_as<mno::detail::EntryTerm>;
};
template <class Term>
concept MemberLoss = requires(const Term& term, double x) {
  { term.member()(x, x, x) } -> std::same_as<mno::detail::EntryTerm>;
};

template <class T> class LossOnDevice {
 public:
  LossOnDevice(Cuda& device, const detail::LawNumbers<T>& law, const detail::TargetNumbers<T>& target)
      : device_(device), law_(law), target_(target) {}

  /// Adds a term's cotangents and writes its value per sample, weight and scale included.
  template <class Term> void add(const Term& term, double* values) {
    static_assert(EntryLoss<Term> || MemberLoss<Term>,
                  "mno: this term has no version for mno::Cuda. A term of one entry gets one by a function "
                  "EntryTerm at(double m, double v, const EntryTarget&) const that is MNO_HOST_DEVICE");
    double share = 1;
    if constexpr (requires { Term::share(law_.rank); }) share = Term::share(law_.rank);
    const double weight = term.weight * law_.scale * share / double(law_.entries());
    if constexpr (EntryLoss<Term>)
      add_entries(detail::EntryValue<Term, T>{term, law_, target_}, weight, values);
    else
      add_entries(detail::MemberValue<decltype(term.member()), T>{term.member(), term.floor, term.ceiling,
                                                                  law_, target_},
                  weight, values);
  }
  void add(const MeanError& term, double* values) {
    add_distance(law_.mean, target_.mean, term.weight * law_.scale, term.tiny, law_.mean_bar, values);
  }
  void add(const VarianceConsistency& term, double* values) {
    add_distance(law_.variance, target_.variance, term.weight * law_.scale, term.tiny, law_.variance_bar,
                 values);
  }
  void add(const Centring& term, double* values) { add_squares(term.weight, false, values); }
  void add(const MeanSquaredError& term, double* values) { add_squares(term.weight, true, values); }

  /// The formulas of loss/hilbert_schmidt.hpp, all samples in one product.
  void add(const HilbertSchmidt& term, double* values) {
    const DeviceScope scope(device_.arena());
    const Index n = law_.entries(), r = law_.rank, s = target_.factors, samples = law_.batch;
    double* const bt = columns(law_.factor, r);
    double* const yt = columns(target_.covariance_factor, s);
    double *const bb = take(samples * r * r), *const yb = take(samples * s * r),
                  *const yy = take(samples * s * s);
    gram(bb, bt, r, bt, r);
    gram(yb, yt, s, bt, r);
    gram(yy, yt, s, yt, s);
    double *const sums = take(3 * samples), *const factors = take(samples);
    reduce<double>(device_, samples, r * r, detail::SquareSum{bb, r * r}, sums);
    reduce<double>(device_, samples, s * r, detail::SquareSum{yb, s * r}, sums + samples);
    reduce<double>(device_, samples, s * s, detail::SquareSum{yy, s * s}, sums + 2 * samples);
    device_.for_each(samples, detail::FinishHilbertSchmidt{sums, sums + samples, sums + 2 * samples,
                                                           term.weight * law_.scale, term.smoothing,
                                                           term.tiny, values, factors});
    double* const bar = take(samples * n * r);
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {bt, n, r, r, n * r}, Op::plain,
                             {bb, r, r, r, r * r}, Op::plain, Write::set);
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {yt, n, s, s, n * s}, Op::plain,
                             {yb, s, r, r, s * r}, Op::plain, Write::add, -1);
    device_.for_each(samples * n * r,
                     detail::AddColumns<T>{bar, factors, law_.channels, r, n, law_.factor_bar});
  }

  /// The formulas of loss/hutchinson.hpp.
  void add(const Hutchinson& term, double* values) {
    const DeviceScope scope(device_.arena());
    const Index n = law_.entries(), r = law_.rank, s = target_.factors, samples = law_.batch,
                probes = term.probes;
    double* const bt = columns(law_.factor, r);
    double* const yt = columns(target_.covariance_factor, s);
    double *const v = take(samples * probes * n), *const bv = take(samples * probes * r),
                  *const yv = take(samples * probes * s);
    device_.for_each(samples * probes * n, detail::DrawProbes{term, n, v});
    device_.multiply<double>(samples, {bv, probes, r, r, probes * r}, {v, probes, n, n, probes * n},
                             Op::plain, {bt, n, r, r, n * r}, Op::plain, Write::set);
    device_.multiply<double>(samples, {yv, probes, s, s, probes * s}, {v, probes, n, n, probes * n},
                             Op::plain, {yt, n, s, s, n * s}, Op::plain, Write::set);
    double *const predicted = take(samples * probes), *const empirical = take(samples * probes),
                  *const factors = take(samples);
    Pair* const sums = device_.arena().template scratch<Pair>(std::size_t(samples));
    reduce<double>(device_, samples * probes, r, detail::SquareSum{bv, r}, predicted);
    reduce<double>(device_, samples * probes, s, detail::SquareSum{yv, s}, empirical);
    reduce<Pair>(device_, samples, probes, detail::ProbeTerm{predicted, empirical, probes}, sums);
    device_.for_each(samples,
                     detail::FinishHutchinson{sums, term.weight * law_.scale, term.tiny, values, factors});
    device_.for_each(samples * probes * r, detail::ScaleProbes{predicted, empirical, r, bv});
    double* const bar = take(samples * n * r);  // Σ_p v_p (d_p Bv_p)ᵀ
    device_.multiply<double>(samples, {bar, n, r, r, n * r}, {v, probes, n, n, probes * n}, Op::transposed,
                             {bv, probes, r, r, probes * r}, Op::plain, Write::set);
    device_.for_each(samples * n * r,
                     detail::AddColumns<T>{bar, factors, law_.channels, r, n, law_.factor_bar});
  }

 private:
  double* take(Index n) { return device_.arena().template scratch<double>(std::size_t(n)); }

  template <class Value> void add_entries(const Value& value, double weight, double* values) {
    const DeviceScope scope(device_.arena());
    double* const sums = take(law_.batch);
    reduce<double>(device_, law_.batch, law_.entries(), value, sums);
    device_.for_each(law_.batch, detail::ScaleValues{sums, weight, values});
    device_.for_each(law_.batch * law_.entries(), detail::EntryBars<Value, T>{value, law_, weight});
  }
  void add_distance(const T* x, const T* y, double weight, double tiny, T* bar, double* values) {
    const DeviceScope scope(device_.arena());
    const Index entries = law_.entries();
    Pair* const sums = device_.arena().template scratch<Pair>(std::size_t(law_.batch));
    double* const factors = take(law_.batch);
    reduce<Pair>(device_, law_.batch, entries, detail::Squares<T>{x, y, entries}, sums);
    device_.for_each(law_.batch,
                     detail::RelativeDistance{sums, weight, double(entries), tiny, values, factors});
    device_.for_each(law_.batch * entries, detail::AddDifference<T>{x, y, factors, 0, entries, bar});
  }
  void add_squares(double weight, bool spread, double* values) {
    const DeviceScope scope(device_.arena());
    const Index entries = law_.entries();
    const double share = weight * law_.scale / double(entries);
    double* const sums = take(law_.batch);
    reduce<double>(device_, law_.batch, entries, detail::SquaredError<T>{law_, target_, spread}, sums);
    device_.for_each(law_.batch, detail::ScaleValues{sums, share, values});
    device_.for_each(law_.batch * entries, detail::AddDifference<T>{law_.mean, target_.mean, nullptr,
                                                                    2 * share, entries, law_.mean_bar});
  }
  double* columns(const T* factor, Index rank) {
    const Index n = law_.batch * law_.entries() * rank;
    double* const to = take(n);
    device_.for_each(n, detail::Columns<T>{factor, law_.channels, rank, to});
    return to;
  }
  /// (sample, i, j) = Σ_entry a(entry, i) b(entry, j)
  void gram(double* to, const double* a, Index i, const double* b, Index j) {
    const Index n = law_.entries();
    device_.multiply<double>(law_.batch, {to, i, j, j, i * j}, {a, n, i, i, n * i}, Op::transposed,
                             {b, n, j, j, n * j}, Op::plain, Write::set);
  }

  Cuda& device_;
  detail::LawNumbers<T> law_;
  detail::TargetNumbers<T> target_;
};

/// All terms of a loss on a law: sets its cotangents, and `values` to Σ_samples per term.
template <class L, class T, int D>
void evaluate_loss(Cuda& device, const L& loss, const DeviceLaw<T, D>& law, const DeviceTarget<T, D>& target,
                   const Target<T, D>& host, double* values) {
  const DeviceScope scope(device.arena());
  const auto& m = law.mean;
  const Index entries = numbers(m), rank = law.factor ? law.factor.channels / m.channels : 0;
  T *const v = rank > 0 ? device.arena().template scratch<T>(std::size_t(entries)) : nullptr,
           *const v_bar = rank > 0 ? device.arena().template scratch<T>(std::size_t(entries)) : nullptr;
  const detail::LawNumbers<T> numbers_of_law{m.data,
                                             law.factor.data,
                                             law.mean_bar.data,
                                             law.factor_bar.data,
                                             v,
                                             v_bar,
                                             m.batch,
                                             m.points(),
                                             m.channels,
                                             rank,
                                             1 / double(m.batch)};
  const detail::TargetNumbers<T> numbers_of_target{
      target.mean.data,
      target.variance.data,
      target.covariance_factor.data,
      target.members.data,
      target.counts,
      target.kept,
      target.covariance_factor ? target.covariance_factor.channels / m.channels : 0};
  device.for_each(entries, detail::BeginLoss<T>{numbers_of_law});
  if (rank > 0) device.fill(law.factor_bar.data, entries * rank, T(0));
  double* const per_sample =
      device.arena().template scratch<double>(std::size_t(L::size) * std::size_t(m.batch));
  device.fill(per_sample, Index(L::size) * m.batch, 0.0);
  LossOnDevice<T> terms(device, numbers_of_law, numbers_of_target);
  const LawBlock<T, D> block{0, law.mean, law.factor, law.mean_bar, law.factor_bar};  // for its shape alone
  std::size_t index = 0;
  const auto add = [&](const auto& term) {
    if (term.weight != 0) {
      if constexpr (requires { term.need(block, host); }) term.need(block, host);
      terms.add(term, per_sample + index * std::size_t(m.batch));
    }
    ++index;
  };
  std::apply([&](const auto&... term) { (add(term), ...); }, loss.terms());
  if (rank > 0) device.for_each(entries * rank, detail::EndLoss<T>{numbers_of_law});
  reduce<double>(device, Index(L::size), m.batch, detail::Stored<double>{per_sample, m.batch}, values);
}

}  // namespace mno::cuda

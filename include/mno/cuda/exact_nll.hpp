#pragma once
// The likelihood of whole fields on the device: the formulas are those of loss/exact_nll.hpp, all samples in
// one product.
//
// One thread per sample does the small r × r factorisation, since its steps wait for each other.
#include "mno/cuda/loss_kernels.hpp"
#include "mno/loss/exact_nll.hpp"

namespace mno::cuda {

namespace detail {

/// W, 1/√D and δ/D of an entry, and log D beside them, from Bᵀ in the place of W.
template <class T, int D> struct Whiten {
  ExactNll term;
  LawBlock<T, D> law;
  Target<T, D> target;
  Index entries, rank;
  double *w, *root, *g, *log_d;  // (sample, entry…)
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index b = at / entries, i = at % entries;
    const double d = term.noise(law, b, i);
    root[at] = 1 / std::sqrt(d);
    for (Index k = 0; k < rank; ++k) w[at * rank + k] *= root[at];
    g[at] = term.rest(target, law.first + b, i) / d;
    log_d[at] = std::log(d);
  }
};
struct AddIdentity {
  double* k;  // (sample, r, r)
  Index rank;
  MNO_HOST_DEVICE void operator()(Index i) const { k[i / rank * rank * rank + i % rank * (rank + 1)] += 1; }
};
/// K → R⁻¹, and log|K| is added up.
struct Factorise {
  double *k, *inverse, *log_determinant;
  Index rank;
  MNO_HOST_DEVICE void operator()(Index b) const {
    double* const mine = k + b * rank * rank;
    log_determinant[b] += mno::detail::cholesky(mine, rank);
    mno::detail::invert_triangle(mine, inverse + b * rank * rank, rank);
  }
};
template <class T, int D> struct WhitenedRows {
  ExactNll term;
  LawBlock<T, D> law;
  Target<T, D> target;
  const double* root;
  Index rows, entries;
  double* e;  // (sample, row, entry)
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index i = at % entries, row = at / entries % rows, b = at / entries / rows;
    e[at] = term.row_entry(law, target, b, row, i) * root[b * entries + i];
  }
};
/// diag(g) M, for rows of M
struct ScaleRows {
  const double *g, *from;
  Index columns;
  double* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] = g[i / columns] * from[i]; }
};
struct Subtract {
  const double* from;
  double* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] -= from[i]; }
};
/// What the rest and the rows explain at an entry, and what the rest adds to the value.
struct Explain {
  const double *q, *qz, *g, *e;
  Index entries, rank, rows;
  double *explained, *trace;
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index b = at / entries, i = at % entries;
    double sum = 0;
    trace[at] = ExactNll::explained_by_rest(q + at * rank, qz + at * rank, rank, g[at], sum);
    for (Index j = 0; j < rows; ++j) {
      const double p = e[(b * rows + j) * entries + i];
      sum += p * p;
    }
    explained[at] = sum;
  }
};
template <class T, int D> struct ExactBars {
  ExactNll term;
  LawBlock<T, D> law;
  Index entries, rank, rows;
  const double *root, *q, *explained, *e;
  double share;
  double* w_bar;
  MNO_HOST_DEVICE void operator()(Index at) const {
    const Index b = at / entries, i = at % entries;
    const double p = term.decoupled ? 0 : e[b * rows * entries + i];
    term.add_bars(law, b, i, rank, root[at], q + at * rank, explained[at], p, share, w_bar + at * rank);
  }
};
/// ½ share (Σ log D + log|Γ̃| + ‖p‖² + ‖μ‖² + tr N diag(g)), and a factor for w̄
struct OfExactNll {
  const double *log_d, *log_determinant, *p, *mu, *trace;  // (sample)
  double share;
  MNO_HOST_DEVICE SampleTerm operator()(Index b) const {
    return {0.5 * share * (log_d[b] + log_determinant[b] + p[b] + mu[b] + trace[b]), share};
  }
};
struct Numbers {
  const double* values;
  Index n;
  MNO_HOST_DEVICE double operator()(Index segment, Index i) const { return values[segment * n + i]; }
};

}  // namespace detail

/// Values of all samples and their factors, with w̄ turned into b̄ in `w`, which holds Bᵀ before: (sample,
/// entry, k). `rows`: of the term, as the host counts them. `take` gives memory.
template <class T, int D, class Take>
detail::OfExactNll exact_nll(Cuda& device, const ExactNll& term, const LawBlock<T, D>& law,
                             const Target<T, D>& target, Index rows, double scale, double* bt, double* bar,
                             Take&& take) {
  const Index samples = law.mean.batch, n = law.mean.points() * law.mean.channels,
              r = law.factor.channels / law.mean.channels, all = samples * n;
  const auto tall = [&](auto* m) { return Matrices<std::remove_pointer_t<decltype(m)>>{m, n, r, r, n * r}; };
  const auto square = [&](auto* m) {
    return Matrices<std::remove_pointer_t<decltype(m)>>{m, r, r, r, r * r};
  };
  const auto wide = [&](auto* m) {
    return Matrices<std::remove_pointer_t<decltype(m)>>{m, rows, n, n, rows * n};
  };
  const auto coefficients = [&](auto* m) {
    return Matrices<std::remove_pointer_t<decltype(m)>>{m, rows, r, r, rows * r};
  };
  using In = const double*;
  const auto multiply = [&](Matrices<double> c, Matrices<const double> a, Op op_a, Matrices<const double> b,
                            Op op_b, Write write, double s = 1) {
    device.multiply<double>(samples, c, a, op_a, b, op_b, write, s);
  };
  double *const w = bt, *const root = take(all), *const g = take(all), *const log_d = take(all);
  device.for_each(all, detail::Whiten<T, D>{term, law, target, n, r, w, root, g, log_d});

  double *const k = take(samples * r * r), *const first = take(samples * r * r),
                *const second = take(samples * r * r), *const inverse = take(samples * r * r),
                *const rough = take(all * r), *const q = take(all * r),
                *const log_determinant = take(samples);
  device.fill(log_determinant, samples, 0.0);
  multiply(square(k), tall(In(w)), Op::transposed, tall(In(w)), Op::plain, Write::set);
  device.for_each(samples * r, detail::AddIdentity{k, r});
  device.for_each(samples, detail::Factorise{k, first, log_determinant, r});
  multiply(tall(rough), tall(In(w)), Op::plain, square(In(first)), Op::plain, Write::set);
  multiply(square(k), tall(In(rough)), Op::transposed, tall(In(rough)), Op::plain, Write::set);
  multiply(square(k), square(In(first)), Op::transposed, square(In(first)), Op::plain, Write::add);
  device.for_each(samples, detail::Factorise{k, second, log_determinant, r});
  multiply(tall(q), tall(In(rough)), Op::plain, square(In(second)), Op::plain, Write::set);
  multiply(square(inverse), square(In(first)), Op::plain, square(In(second)), Op::plain, Write::set);

  double *const e = take(samples * rows * n), *const c = take(samples * rows * r),
                *const mu = take(samples * rows * r);
  device.for_each(samples * rows * n, detail::WhitenedRows<T, D>{term, law, target, root, rows, n, e});
  multiply(coefficients(c), wide(In(e)), Op::plain, tall(In(q)), Op::plain, Write::set);
  multiply(coefficients(mu), coefficients(In(c)), Op::plain, square(In(inverse)), Op::transposed, Write::set);
  multiply(wide(e), coefficients(In(c)), Op::plain, tall(In(q)), Op::transposed, Write::add, -1);

  double *const scaled = take(all * r), *const gq = take(all * r), *const explained = take(all),
                *const trace = take(all);
  multiply(tall(bar), tall(In(q)), Op::plain, square(In(inverse)), Op::transposed, Write::set);
  device.for_each(all * r, detail::ScaleRows{g, bar, r, scaled});
  device.for_each(all * r, detail::ScaleRows{g, q, r, gq});
  device.for_each(all * r, detail::Subtract{scaled, bar});
  multiply(square(k), tall(In(q)), Op::transposed, tall(In(scaled)), Op::plain, Write::set);
  multiply(tall(bar), tall(In(q)), Op::plain, square(In(k)), Op::plain, Write::add);
  multiply(square(k), tall(In(q)), Op::transposed, tall(In(gq)), Op::plain, Write::set);
  multiply(tall(scaled), tall(In(q)), Op::plain, square(In(k)), Op::plain, Write::set);
  device.for_each(all, detail::Explain{q, scaled, g, e, n, r, rows, explained, trace});
  multiply(tall(bar), wide(In(e)), Op::transposed, coefficients(In(mu)), Op::plain, Write::add, -1);

  const double share = term.weight * scale / double(n);
  device.for_each(all, detail::ExactBars<T, D>{term, law, n, r, rows, root, q, explained, e, share, bar});
  double* const sums = take(4 * samples);
  reduce<double>(device, samples, n, detail::Numbers{log_d, n}, sums);
  reduce<double>(device, samples, rows * n, detail::SquareSum{e, rows * n}, sums + samples);
  reduce<double>(device, samples, rows * r, detail::SquareSum{mu, rows * r}, sums + 2 * samples);
  reduce<double>(device, samples, n, detail::Numbers{trace, n}, sums + 3 * samples);
  return {sums, log_determinant, sums + samples, sums + 2 * samples, sums + 3 * samples, share};
}

}  // namespace mno::cuda

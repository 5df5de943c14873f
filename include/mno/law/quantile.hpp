#pragma once
// Pointwise quantiles, intervals and risks: exact, because every u(c,x) is w(m + σζ) with
// σ² = Σ_k B_k(c,x)² + η(c,x)² and ζ the residual law's standardised marginal. Where σ = 0 the law is a point
// mass.
#include <cmath>

#include "mno/law/marginal.hpp"
#include "mno/law/moments.hpp"

namespace mno {

/// The p-quantile of every u(c,x).
template <class T, int D, class R, class W> Field<T, D> quantile(const Law<T, D, R, W>& law, double p) {
  double z = Marginal<R>{0, 1, law.residual}.quantile(p);
  const bool differs = detail::leans(law.residual);
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double sd = std::sqrt(detail::own_variance(law, Index(i)));
    if (differs) z = detail::residual_at(law, Index(i)).quantile(p);
    result.data()[i] = T(law.warp.map(double(law.mean.data()[i]) + sd * z, Index(i) % law.channels()));
  }
  return result;
}

template <class T, int D> struct Interval {
  Field<T, D> lower;
  Field<T, D> upper;
};

/// The central interval of every u(c,x): it holds the given level of probability, and leaves half of the rest
/// on either side.
template <class T, int D, class R, class W>
Interval<T, D> interval(const Law<T, D, R, W>& law, double level) {
  require(level > 0 && level < 1, "interval", "level", Text("a probability strictly between 0 and 1"),
          Text(level));
  return {quantile(law, (1 - level) / 2), quantile(law, (1 + level) / 2)};
}

namespace detail {
/// of(marginal of z, z of the value) for every entry; value(i) is in the user's units.
template <class T, int D, class R, class W, class Value, class Of>
Field<T, D> each_marginal(const Law<T, D, R, W>& law, const Value& value, const Of& of) {
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Marginal<R> z{double(law.mean.data()[i]), std::sqrt(own_variance(law, Index(i))),
                        residual_at(law, Index(i))};
    result.data()[i] = T(of(z, law.warp.inverse(value(i), Index(i) % law.channels())));
  }
  return result;
}
template <class T, int D, class R, class W>
void require_values(const char* function, const char* argument, const Law<T, D, R, W>& law,
                    const Field<T, D>& values) {
  require(
      (values.batch() == law.batch() || values.batch() == 1) && values.grid() == law.grid() &&
          values.channels() == law.channels(),
      function, argument,
      Text("batch 1 or ", law.batch(), ", grid ", law.grid().str(), " and its domain, ", law.channels(),
           " channels"),
      Text("batch ", values.batch(), ", grid ", values.grid().str(), ", ", values.channels(), " channels"));
}
}  // namespace detail

/// P(u(c,x) > a(c,x)); the threshold has the law's batch, or one sample that serves all.
template <class T, int D, class R, class W>
Field<T, D> exceedance(const Law<T, D, R, W>& law, const Field<T, D>& threshold) {
  detail::require_values("exceedance", "threshold", law, threshold);
  return detail::each_marginal(
      law, [&](std::size_t i) { return double(threshold.data()[i % threshold.size()]); },
      [](const auto& z, double a) { return z.exceedance(a); });
}

/// P(u(c,x) > a)
template <class T, int D, class R, class W>
Field<T, D> exceedance(const Law<T, D, R, W>& law, double threshold) {
  return detail::each_marginal(
      law, [&](std::size_t) { return threshold; }, [](const auto& z, double a) { return z.exceedance(a); });
}

/// P(u(c,x) ≤ a(c,x)): of data that follow the law these are uniform, the probability integral transform.
template <class T, int D, class R, class W>
Field<T, D> cdf(const Law<T, D, R, W>& law, const Field<T, D>& values) {
  detail::require_values("cdf", "values", law, values);
  return detail::each_marginal(
      law, [&](std::size_t i) { return double(values.data()[i % values.size()]); },
      [](const auto& z, double a) { return z.cdf(a); });
}

}  // namespace mno

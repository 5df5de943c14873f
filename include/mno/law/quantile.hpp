#pragma once
// Pointwise quantiles, intervals and exceedance risk: exact, because every u(c,x) is m + σζ with
// σ² = Σ_k B_k(c,x)² and ζ the residual law's standardised marginal. Where σ = 0 the law is a point mass.
#include <cmath>

#include "mno/law/law.hpp"
#include "mno/law/marginal.hpp"

namespace mno {

/// The p-quantile of every u(c,x).
template <class T, int D, class R = Gaussian>
Field<T, D> quantile(const Law<T, D>& law, double p, const R& residual = {}) {
  const double z = Marginal<R>{0, 1, residual}.quantile(p);
  Field<T, D> result = variance(law);
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = T(double(law.mean.data()[i]) + std::sqrt(double(result.data()[i])) * z);
  return result;
}

template <class T, int D> struct Interval {
  Field<T, D> lower;
  Field<T, D> upper;
};

/// The central interval of every u(c,x): it holds the given level of probability, and leaves half of the rest
/// on either side.
template <class T, int D, class R = Gaussian>
Interval<T, D> interval(const Law<T, D>& law, double level, const R& residual = {}) {
  require(level > 0 && level < 1, "interval", "level", Text("a probability strictly between 0 and 1"),
          Text(level));
  return {quantile(law, (1 - level) / 2, residual), quantile(law, (1 + level) / 2, residual)};
}

/// P(u(c,x) > a(c,x)); the threshold has the law's batch, or one sample that serves all.
template <class T, int D, class R = Gaussian>
Field<T, D> exceedance(const Law<T, D>& law, const Field<T, D>& threshold, const R& residual = {}) {
  require((threshold.batch() == law.batch() || threshold.batch() == 1) && threshold.grid() == law.grid() &&
              threshold.channels() == law.channels(),
          "exceedance", "threshold",
          Text("batch 1 or ", law.batch(), ", grid ", law.grid().str(), " and its domain, ", law.channels(),
               " channels"),
          Text("batch ", threshold.batch(), ", grid ", threshold.grid().str(), ", ", threshold.channels(),
               " channels"));
  Field<T, D> result = variance(law);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Marginal<R> u{double(law.mean.data()[i]), std::sqrt(double(result.data()[i])), residual};
    result.data()[i] = T(u.exceedance(double(threshold.data()[i % threshold.size()])));
  }
  return result;
}

/// P(u(c,x) > a)
template <class T, int D, class R = Gaussian>
Field<T, D> exceedance(const Law<T, D>& law, double threshold, const R& residual = {}) {
  Field<T, D> result = variance(law);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Marginal<R> u{double(law.mean.data()[i]), std::sqrt(double(result.data()[i])), residual};
    result.data()[i] = T(u.exceedance(threshold));
  }
  return result;
}

}  // namespace mno

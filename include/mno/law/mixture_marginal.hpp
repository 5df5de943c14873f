#pragma once
// Marginals and densities of a mixture: probabilities are averages over its laws, a quantile is the root of
// one, between the least and the largest quantile of the laws.
//
//   F = avg_k F_k,   log p(u) = log avg_k p_k(u)
//   CRPS: in closed form for Gaussian laws without a warp (law/normal_mixture.hpp)
#include <algorithm>
#include <cmath>
#include <vector>

#include "mno/law/density.hpp"
#include "mno/law/mixture.hpp"
#include "mno/law/normal_mixture.hpp"
#include "mno/law/quantile.hpp"

namespace mno {

/// The law of one number under a mixture.
template <class R = Gaussian, class W = Unwarped> struct MixtureMarginal {
  std::vector<Marginal<R, W>> parts;

  double cdf(double a) const {
    return average([&](const auto& part) { return part.cdf(a); });
  }
  double exceedance(double a) const {
    return average([&](const auto& part) { return part.exceedance(a); });
  }
  double quantile(double p) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& part : parts) {
      const double q = part.quantile(p);
      low = std::min(low, q);
      high = std::max(high, q);
    }
    return detail::quantile_between(
        low, high, p, [&](double a) { return cdf(a); }, [&](double a) { return exceedance(a); });
  }

 private:
  template <class Of> double average(Of&& of) const {
    double sum = 0;
    for (const auto& part : parts) sum += of(part);
    return sum / double(parts.size());
  }
};

/// The law of u(channel, point) of one sample.
template <class T, int D, class R, class W>
MixtureMarginal<R, W> marginal(const Mixture<T, D, R, W>& mixture, Index sample, Index point, Index channel) {
  MixtureMarginal<R, W> result;
  for (const auto& law : mixture.laws()) result.parts.push_back(marginal(law, sample, point, channel));
  return result;
}

/// Of one marginal against one value.
template <class R, class W> double crps(const MixtureMarginal<R, W>& mixture, double u) {
  static_assert(detail::MaybeGaussian<R> && detail::MaybeUnwarped<W>,
                "mno: the CRPS of a mixture has a closed form for Gaussian laws without a warp; take that of "
                "draws for others");
  std::vector<detail::NormalPart> parts;
  for (const auto& part : mixture.parts) {
    detail::require_unwarped("crps", part.warp);
    require(part.residual.gaussian(), "crps", "mixture", Text("Gaussian laws: take the score of draws"),
            Text("other residuals"));
    parts.push_back({1 / double(mixture.parts.size()), part.mean, part.sd});
  }
  return detail::mixture_crps(parts, u);
}

namespace detail {
template <class T, int D, class R, class W, class Of>
Field<T, D> each_mixture_marginal(const Mixture<T, D, R, W>& mixture, const Of& of) {
  Field<T, D> result(mixture.batch(), mixture.grid(), mixture.channels());
  for (Index s = 0; s < mixture.batch(); ++s)
    for (Index x = 0; x < mixture.points(); ++x)
      for (Index c = 0; c < mixture.channels(); ++c)
        result(s, x, c) =
            T(of(marginal(mixture, s, x, c), (s * mixture.points() + x) * mixture.channels() + c));
  return result;
}
}  // namespace detail

/// The p-quantile of every u(c,x).
template <class T, int D, class R, class W>
Field<T, D> quantile(const Mixture<T, D, R, W>& mixture, double p) {
  return detail::each_mixture_marginal(mixture, [&](const auto& x, Index) { return x.quantile(p); });
}
/// The central interval of every u(c,x).
template <class T, int D, class R, class W>
Interval<T, D> interval(const Mixture<T, D, R, W>& mixture, double level) {
  require(level > 0 && level < 1, "interval", "level", Text("a probability strictly between 0 and 1"),
          Text(level));
  return {quantile(mixture, (1 - level) / 2), quantile(mixture, (1 + level) / 2)};
}
/// P(u(c,x) > a)
template <class T, int D, class R, class W>
Field<T, D> exceedance(const Mixture<T, D, R, W>& mixture, double threshold) {
  return detail::each_mixture_marginal(mixture,
                                       [&](const auto& x, Index) { return x.exceedance(threshold); });
}
/// P(u(c,x) ≤ a(c,x)); the values have the mixture's batch, or one sample that serves all.
template <class T, int D, class R, class W>
Field<T, D> cdf(const Mixture<T, D, R, W>& mixture, const Field<T, D>& values) {
  detail::require_values("cdf", "values", mixture.laws().front(), values);
  return detail::each_mixture_marginal(mixture, [&](const auto& x, Index i) {
    return x.cdf(double(values.data()[std::size_t(i) % values.size()]));
  });
}
/// Of every marginal against its value; the values have the mixture's batch, or one sample that serves all.
template <class T, int D, class R, class W>
Field<T, D> crps(const Mixture<T, D, R, W>& mixture, const Field<T, D>& values) {
  detail::require_values("crps", "values", mixture.laws().front(), values);
  return detail::each_mixture_marginal(mixture, [&](const auto& x, Index i) {
    return crps(x, double(values.data()[std::size_t(i) % values.size()]));
  });
}

/// log p(u) of one flattened field under one sample's mixture, with white noise of variance ε ≥ 0 added.
template <class T, int D, class R, class W, class V>
double log_density(const Mixture<T, D, R, W>& mixture, Index sample, const Eigen::MatrixBase<V>& u,
                   double epsilon = 0) {
  std::vector<double> each;
  for (const auto& law : mixture.laws()) each.push_back(log_density(law, sample, u, epsilon));
  return detail::log_sum_exp(each) - std::log(double(mixture.count()));
}

}  // namespace mno

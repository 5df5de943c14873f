#pragma once
// The continuous ranked probability score of a law's marginals against values: how far the value was from the
// law, in units of u; smaller is better.
//
//   CRPS(F, u) = E|X − u| − ½ E|X − X'|,   X, X' ~ F independent
// scales with F, so without a warp it is the residual law's own, sd·crps((u − mean)/sd). For a warped law it
// is an integral over its quantiles Q(p), in two tails that meet at u:
//   CRPS(F, u) = 2 ∫_0^{F(u)} p (u − Q(p)) dp + 2 ∫_0^{1−F(u)} p (Q(1−p) − u) dp,
// by the rule of law/quadrature.hpp to 1e-9 of the result; it takes some hundred quantiles.
#include <cmath>
#include <limits>

#include "mno/law/quadrature.hpp"
#include "mno/law/quantile.hpp"

namespace mno {

namespace detail {

/// Does the warp grow like an exponential? Then heavy tails have no CRPS.
template <class W>
concept ExponentialWarp = requires {
  requires std::bool_constant<W::exponential()>::value;
};

/// Of w(mean + sd·ζ), sd > 0.
template <class R, class W>
double integrated_crps(double mean, double sd, const R& residual, const W& warp, Index channel, double u) {
  static_assert(
      !ExponentialWarp<W> || requires { residual.log_moment(1.0); },
      "mno: under a log or an asinh warp the CRPS needs log_moment(s) of the residual law; a Student "
      "t has none, its CRPS is infinite: score it in the law's own coordinates, unwarped(law)");
  if constexpr (
      requires { warp.exponential(); } && requires { residual.log_moment(1.0); })
    if (warp.exponential() && std::isinf(residual.log_moment(sd / 2)))  // p Q(1−p) is not integrable
      return std::numeric_limits<double>::infinity();
  const double z = (warp.inverse(u, channel) - mean) / sd;
  const double below = integrate_quantiles(
      residual, [&](double p) { return p * (u - warp.map(mean + sd * residual.quantile(p), channel)); },
      residual.cdf(z));
  const double above = integrate_quantiles(
      residual,
      [&](double p) { return p * (warp.map(mean + sd * upper_quantile(residual, p), channel) - u); },
      exceedance(residual, z));
  return 2 * (below + above);
}

template <class R, class W>
double crps(double mean, double sd, const R& residual, const W& warp, Index channel, double u) {
  if (!(sd > 0)) return std::abs(warp.map(mean, channel) - u);
  if constexpr (MaybeUnwarped<W> && requires { residual.crps(1.0); })
    if (warp.identity()) return sd * residual.crps((u - mean) / sd);
  return integrated_crps(mean, sd, residual, warp, channel, u);
}

}  // namespace detail

/// Of one marginal against one value.
template <class R, class W> double crps(const Marginal<R, W>& marginal, double u) {
  return detail::crps(marginal.mean, marginal.sd, marginal.residual, marginal.warp, marginal.channel, u);
}

/// Of every marginal against its value; the values have the law's batch, or one sample that serves all.
template <class T, int D, class R, class W>
Field<T, D> crps(const Law<T, D, R, W>& law, const Field<T, D>& values) {
  detail::require_values("crps", "values", law, values);
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] =
        T(detail::crps(double(law.mean.data()[i]), std::sqrt(detail::own_variance(law, Index(i))),
                       detail::residual_at(law, Index(i)), law.warp, Index(i) % law.channels(),
                       double(values.data()[i % values.size()])));
  return result;
}

}  // namespace mno

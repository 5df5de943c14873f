#pragma once
// The CRPS of one tail: what lies below a threshold t counts as t, so that nothing else is scored.
//
//   twCRPS(F, u) = ∫_t^∞ (F(z) − 1{u ≤ z})² dz = CRPS of max(X, t) against max(u, t)
//     = ∫_s^∞ (1 − F)² dz,   s = max(u, t),   and ∫_t^u F² dz where u > t;
//   T. Gneiting, R. Ranjan, "Comparing density forecasts using threshold- and quantile-weighted scoring
//   rules", 2011.
//
// With Φ and φ of the normal law, G(z) = z Φ² + 2Φφ − Φ(√2 z)/√π has G' = Φ² and G(−∞) = 0, so for N(m, σ²)
//   ∫_s^∞ (1 − F)² dz = σ G(−(s − m)/σ),   ∫_t^u F² dz = σ (G((u − m)/σ) − G((t − m)/σ)).
// Other laws: ∫_s^∞ (1 − F)² dz = 2 ∫_0^{1−F(s)} p (Q(1−p) − s) dp, and ∫_t^u F² dz, both
// by the rule of law/quadrature.hpp. The lower tail of F is the upper one of −X.
#include <cmath>
#include <numbers>

#include "mno/law/marginal_crps.hpp"

namespace mno {

enum class Tail { lower, upper };

namespace detail {

/// G(z). Far below, where G ≈ φ²/2|z|³, its terms cancel by a factor 2z² only.
inline double normal_square_integral(double z) {
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return z * below * below + 2 * below * density - 0.5 * std::erfc(-z) * std::numbers::inv_sqrtpi;
}

/// Of the upper tail of w(mean + sd·ζ), or with sign −1 of the upper tail of its negative; t and u have that
/// sign.
template <class R, class W> double tail_crps(const Marginal<R, W>& x, double u, double t, double sign) {
  const double start = std::max(u, t);
  if (!(x.sd > 0)) return std::abs(std::max(sign * x.warp.map(x.mean, x.channel), t) - start);
  if constexpr (std::is_same_v<R, Gaussian> && MaybeUnwarped<W>)
    if (x.warp.identity()) {
      const auto z = [&](double a) { return (a - sign * x.mean) / x.sd; };
      double sum = normal_square_integral(-z(start));
      if (u > t) sum += normal_square_integral(z(u)) - normal_square_integral(z(t));
      return x.sd * sum;
    }
  // Of sign·X: F(a), 1 − F(a), Q(1 − p)
  const auto below = [&](double a) { return sign > 0 ? x.cdf(a) : x.exceedance(-a); };
  const auto above = [&](double a) { return sign > 0 ? x.exceedance(a) : x.cdf(-a); };
  const auto from_top = [&](double p) {  // ζ is symmetric
    return sign * x.warp.map(x.mean - sign * x.sd * x.residual.quantile(p), x.channel);
  };
  double sum = 2 * integrate_quantiles(
                       x.residual, [&](double p) { return p * (from_top(p) - start); }, above(start));
  const double middle =
      std::clamp(sign * x.warp.map(x.mean, x.channel), t, start);  // F may have a corner there
  const auto square = [&](double a) { return std::pow(below(a), 2); };
  if (middle > t) sum += tanh_sinh(square, t, middle);
  if (start > middle) sum += tanh_sinh(square, middle, start);
  return sum;
}

}  // namespace detail

/// Of one marginal against one value: u above t is scored in the upper tail, u below t in the lower one.
template <class R, class W> double tail_crps(const Marginal<R, W>& marginal, double u, double t, Tail tail) {
  const double sign = tail == Tail::upper ? 1 : -1;
  return detail::tail_crps(marginal, sign * u, sign * t, sign);
}

}  // namespace mno

#pragma once
// The CRPS of one tail: values below a threshold t count as t, so that only the tail beyond t is scored.
//
//   twCRPS(F, u) = ∫_t^∞ (F(z) − 1{u ≤ z})² dz = CRPS of max(X, t) against max(u, t)
//     = ∫_s^∞ (1 − F)² dz,   s = max(u, t),   and ∫_t^u F² dz where u > t;
//   T. Gneiting, R. Ranjan, "Comparing density forecasts using threshold- and quantile-weighted scoring
//   rules", 2011.
//
// With Φ and φ of the normal law, G(z) = z Φ² + 2Φφ − Φ(√2 z)/√π has G' = Φ² and G(−∞) = 0, so for N(m, σ²)
//   ∫_s^∞ (1 − F)² dz = σ G(−(s − m)/σ).
// Other laws: ∫_s^∞ (1 − F)² dz = 2 ∫_0^{1−F(s)} p (Q(1−p) − s) dp by the rule of law/quadrature.hpp, once
// for all values: above t the score grows as the CRPS does, both by ∫ 2F − 1. The lower tail of F is the
// upper one of −X.
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

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

/// ∫_t^∞ (1 − F)² dz for F the law of sign·X: the score of all values below t. The caller has multiplied t by
/// the sign.
template <class R, class W> double tail_beyond(const Marginal<R, W>& x, double t, double sign) {
  if (!(x.sd > 0)) return std::max(sign * x.warp.map(x.mean, x.channel) - t, 0.0);
  if constexpr (std::is_same_v<R, Gaussian> && MaybeUnwarped<W>)
    if (x.warp.identity()) return x.sd * normal_square_integral((sign * x.mean - t) / x.sd);
  const auto from_top = [&](double p) {  // of sign·X: Q(1 − p)
    const double z = sign > 0 ? upper_quantile(x.residual, p) : x.residual.quantile(p);
    return sign * x.warp.map(x.mean + x.sd * z, x.channel);
  };
  return 2 * integrate_quantiles(
                 x.residual, [&](double p) { return p * (from_top(p) - t); },
                 sign > 0 ? x.exceedance(t) : x.cdf(-t));
}

}  // namespace detail

/// Of one marginal beyond one threshold, for any number of values.
template <class R = Gaussian, class W = Unwarped> class TailCrps {
 public:
  TailCrps(Marginal<R, W> marginal, double t, Tail tail)
      : marginal_(std::move(marginal)),
        t_(t),
        sign_(tail == Tail::upper ? 1 : -1),
        below_(detail::tail_beyond(marginal_, sign_ * t, sign_)) {}
  /// u above t is scored in the upper tail, u below t in the lower one.
  double operator()(double u) const {
    if (!(sign_ * u > sign_ * t_)) return below_;
    if (!(marginal_.sd > 0)) {
      const double at = sign_ * marginal_.warp.map(marginal_.mean, marginal_.channel);
      return std::abs(std::max(at, sign_ * t_) - sign_ * u);
    }
    if (!at_t_) at_t_ = crps(marginal_, t_);
    return below_ + (crps(marginal_, u) - *at_t_);
  }

 private:
  Marginal<R, W> marginal_;
  double t_, sign_, below_;
  mutable std::optional<double> at_t_{};
};

/// Of one marginal against one value.
template <class R, class W> double tail_crps(const Marginal<R, W>& marginal, double u, double t, Tail tail) {
  return TailCrps<R, W>(marginal, t, tail)(u);
}

}  // namespace mno

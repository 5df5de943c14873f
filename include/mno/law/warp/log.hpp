#pragma once
// u = e^z: values that are positive. With M(s) = E e^{sζ} and K = log M of the standardised marginal ζ,
//   E u = e^m M(σ),   Var u = (E u)² (e^{K(2σ) − 2K(σ)} − 1),
// infinite where M is.
#include <cmath>
#include <limits>

#include "mno/law/warp.hpp"

namespace mno {

namespace detail {
/// K(2σ) − 2K(σ) = log E e^{2σζ}/(E e^{σζ})² ≥ 0; +∞ where a moment is infinite.
template <class R> double log_spread(const R& residual, double sd) {
  const double second = residual.log_moment(2 * sd);
  return std::isinf(second) ? second : second - 2 * residual.log_moment(sd);
}
}  // namespace detail

struct LogWarp {
  double map(double z, Index) const { return std::exp(z); }
  double inverse(double u, Index) const {
    if (u <= 0) return -std::numeric_limits<double>::infinity();
    return std::log(u);
  }
  double slope(double z, Index) const { return std::exp(z); }
  static constexpr bool exponential() { return true; }

  template <class R> MeanAndVariance moments(double m, double sd, Index, const R& residual) const {
    static_assert(
        requires { residual.log_moment(1.0); },
        "mno: mean and variance of a log-warped law need log_moment(s) of its residual law; those of "
        "a Student t are infinite: ask for quantiles");
    const double mean = std::exp(m + residual.log_moment(sd)), spread = detail::log_spread(residual, sd);
    return {mean, std::isinf(spread) ? spread : mean * mean * std::expm1(spread)};
  }
};

}  // namespace mno

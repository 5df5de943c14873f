#pragma once
// u = s sinh(z): values of both signs that span decades, linear below the scale s and logarithmic above it.
// With M(s) = E e^{sζ} and K = log M of a standardised marginal ζ that is symmetric,
//   E u = s sinh(m) M(σ),   Var u = s² (½(M(2σ) − 1) + sinh²(m) M(σ)² (e^{K(2σ) − 2K(σ)} − 1)):
// sums of non-negative terms. Where M is infinite there is no mean (NaN), and the variance is infinite. For a
// ζ that is not symmetric both are integrals (law/quadrature.hpp).
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/law/quadrature.hpp"
#include "mno/law/warp/log.hpp"

namespace mno {

class AsinhWarp {
 public:
  /// One scale for all channels.
  explicit AsinhWarp(double scale = 1) : AsinhWarp(std::vector<double>{scale}) {}
  /// A scale per channel.
  explicit AsinhWarp(std::vector<double> scales) : scales_(std::move(scales)) {
    require(!scales_.empty(), "AsinhWarp", "scales", Text("one scale, or one per channel"), Text("none"));
    for (const double s : scales_)
      require(s > 0 && std::isfinite(s), "AsinhWarp", "scales", Text("positive finite numbers"), Text(s));
  }
  const std::vector<double>& scales() const { return scales_; }
  double scale(Index channel) const { return scales_[scales_.size() == 1 ? 0 : std::size_t(channel)]; }

  double map(double z, Index channel) const { return scale(channel) * std::sinh(z); }
  double inverse(double u, Index channel) const { return std::asinh(u / scale(channel)); }
  double slope(double z, Index channel) const { return scale(channel) * std::cosh(z); }
  static constexpr bool exponential() { return true; }

  template <class R> MeanAndVariance moments(double m, double sd, Index channel, const R& residual) const {
    static_assert(
        requires { residual.log_moment(1.0); },
        "mno: mean and variance of an asinh-warped law need log_moment(s) of its residual law; a "
        "Student t has none: ask for quantiles");
    if (!detail::symmetric(residual))
      return detail::integrated_moments([&](double z) { return map(m + sd * z, channel); }, residual);
    const double s = scale(channel), first = residual.log_moment(sd), second = residual.log_moment(2 * sd);
    const double mean =
        std::isinf(first) ? std::numeric_limits<double>::quiet_NaN() : s * std::sinh(m) * std::exp(first);
    if (std::isinf(second)) return {mean, second};
    return {mean,
            s * s * 0.5 * std::expm1(second) + mean * mean * std::expm1(detail::log_spread(residual, sd))};
  }

  void require_channels(Index channels) const {
    require(scales_.size() == 1 || Index(scales_.size()) == channels, "AsinhWarp", "scales",
            Text("one scale, or one for each of ", channels, " channel(s)"), Text(scales_.size()));
  }

 private:
  std::vector<double> scales_;
};

}  // namespace mno

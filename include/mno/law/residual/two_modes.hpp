#pragma once
// A field that goes one way or the other: ξ_1 has two modes, skewed unless they are equally likely, and all
// other coefficients are normal and independent of it,
//
//   ξ_1 = +δ √((1−p)/p) + √(1−δ²) z  with probability p,   −δ √(p/(1−p)) + √(1−δ²) z  else:
//   E ξ_1 = 0,  Var ξ_1 = 1  for every 0 < p < 1, 0 ≤ δ < 1.
//
// The law differs from direction to direction, but a factor is known only up to a rotation. So
// with_residual() turns the factor until ξ_1 is the coefficient of the field's average (law/law.hpp): then
// the law of the field is unique. At an entry with ρ = B_1/σ the standardised marginal is that of
// ρ ξ_1 + √(1−ρ²) z, `seen(ρ)`: two normal laws of means ρμ_i and variance 1 − ρ²δ².
#include <array>
#include <cmath>

#include "mno/core/error.hpp"
#include "mno/law/normal_mixture.hpp"
#include "mno/law/residual.hpp"

namespace mno {

class TwoModes {
 public:
  TwoModes(double p, double delta) : p_(p), delta_(delta) {
    require(p > 0 && p < 1, "TwoModes", "p", Text("a probability strictly between 0 and 1"), Text(p));
    require(delta >= 0 && delta < 1, "TwoModes", "delta", Text("a number from 0 to below 1"), Text(delta));
  }
  double p() const { return p_; }
  double delta() const { return delta_; }
  static constexpr bool leans() { return true; }
  /// The law whose marginal is that of an entry in which ξ_1 has the share ρ.
  TwoModes seen(double rho) const {
    TwoModes result = *this;
    result.rho_ = std::fmin(1, std::fmax(-1, rho));
    return result;
  }
  bool symmetric() const { return delta_ == 0 || rho_ == 0 || p_ == 0.5; }

  void draw(Stream& stream, std::span<double> xi) const {
    const auto [high, low] = TwoModes(p_, delta_).parts();
    const auto& part = stream.uniform() < p_ ? high : low;
    for (double& x : xi) x = stream.normal();
    if (!xi.empty()) xi[0] = part.mean + part.deviation * xi[0];
  }
  /// ξ_1 given which way it goes.
  std::array<detail::NormalPart, 2> parts() const {
    const double deviation = std::sqrt(1 - std::pow(rho_ * delta_, 2)), away = rho_ * delta_;
    return {{{p_, away * std::sqrt((1 - p_) / p_), deviation},
             {1 - p_, -away * std::sqrt(p_ / (1 - p_)), deviation}}};
  }

  double cdf(double z) const { return detail::mixture_cdf(parts(), z); }
  double exceedance(double z) const { return detail::mixture_exceedance(parts(), z); }
  double quantile(double p) const { return detail::mixture_quantile(parts(), p); }
  /// quantile(1 − p), also for p so small that 1 − p is 1
  double upper_quantile(double p) const { return -seen(-rho_).quantile(p); }
  double crps(double z) const { return detail::mixture_crps(parts(), z); }
  double marginal_log_density(double z) const {
    return detail::mixture_log_sum(parts(), [&](const detail::NormalPart& part) {
      return -0.5 * (std::pow((z - part.mean) / part.deviation, 2) +
                     std::log(2 * std::numbers::pi * part.deviation * part.deviation));
    });
  }
  double log_moment(double s) const {
    return detail::mixture_log_sum(parts(), [&](const detail::NormalPart& part) {
      return s * part.mean + 0.5 * std::pow(s * part.deviation, 2);
    });
  }

 private:
  double p_, delta_, rho_ = 1;
};

}  // namespace mno

#pragma once
// ξ is the sum of N ~ Poisson(λ) jumps, each N(0, I/λ): S = N/λ. With probability e^{−λ} nothing happens
// and u = m exactly, so there is no density; λ → ∞ is Gaussian.
//   P(a·ξ > z) = Σ_{n≥1} e^{−λ} λⁿ/n! · Φ(−z √(λ/n)),  z ≥ 0
//   E exp(sa·ξ) = exp(λ(e^{s²/2λ} − 1))
//   CRPS at z = E|√S Z − z| − ½√(2/π) E√(S + S'),  S + S' = N'/λ with N' ~ Poisson(2λ)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "mno/core/error.hpp"
#include "mno/core/root.hpp"
#include "mno/law/crps.hpp"
#include "mno/law/residual.hpp"

namespace mno {

namespace detail {

/// Poisson with mean λ: arrivals of a unit-rate process before time λ or, from λ = 10 on, transformed
/// rejection.
///   W. Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS.
inline double draw_poisson(Stream& stream, double lambda) {
  if (lambda < 10) {
    double arrivals = 0;
    for (double time = stream.exponential(); time < lambda; time += stream.exponential()) ++arrivals;
    return arrivals;
  }
  const double b = 0.931 + 2.53 * std::sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.uniform() - 0.5, v = stream.uniform(), u_s = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / u_s + b) * u + lambda + 0.43);
    if (u_s >= 0.07 && v <= v_r) return k;
    if (k < 0 || (u_s < 0.013 && v > u_s)) continue;
    if (std::log(v * inverse_alpha / (a / (u_s * u_s) + b)) <=
        k * std::log(lambda) - lambda - std::lgamma(k + 1))
      return k;
  }
}

}  // namespace detail

class CompoundPoisson {
 public:
  explicit CompoundPoisson(double rate) : rate_(rate) {
    require(rate > 0 && std::isfinite(rate), "CompoundPoisson", "rate",
            Text("a positive finite mean number of jumps"), Text(rate));
  }
  double rate() const { return rate_; }
  double atom() const { return std::exp(-rate_); }  // P(ξ = 0)

  double draw_variance(Stream& stream) const { return detail::draw_poisson(stream, rate_) / rate_; }
  void draw(Stream& stream, std::span<double> xi) const {
    detail::draw_scaled(stream, draw_variance(stream), xi);
  }

  double cdf(double z) const { return z < 0 ? upper_tail(-z) : 1 - upper_tail(z); }
  double exceedance(double z) const { return z < 0 ? 1 - upper_tail(-z) : upper_tail(z); }
  double log_moment(double s) const { return rate_ * std::expm1(0.5 * s * s / rate_); }
  double crps(double z) const {
    const double distance = poisson_average(rate_, [&](double n) {  // E|σZ − z| = CRPS + σ/√π, σ = √(n/λ)
      const double sigma = std::sqrt(n / rate_);
      return gaussian_crps(0, sigma, z).value + sigma * std::numbers::inv_sqrtpi;
    });
    const double spread = poisson_average(2 * rate_, [&](double n) { return std::sqrt(n / rate_); });
    return distance - spread * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  }
  double quantile(double p) const { return p < 0.5 ? -upper_tail_inverse(p) : upper_tail_inverse(1 - p); }

 private:
  /// E f(N), N ~ Poisson(λ), for f ≥ 0 that hardly grows. Weights run both ways from the mode by their
  /// recurrence and are divided by their sum, which needs no factorial. Below the mode 9√λ terms matter (the
  /// rest has mass < 1e-17, and a normal tail falls with n); above it terms are added until what remains is
  /// negligible beside the sum.
  template <class F> static double poisson_average(double lambda, F&& f) {
    const double mode = std::floor(lambda), first = std::max(0.0, mode - 9 * std::sqrt(lambda) - 1);
    double mass = 0, sum = 0;
    for (double n = mode, weight = 1; n >= first; weight *= n / lambda, --n) {
      mass += weight;
      sum += weight * f(n);
    }
    for (double n = mode + 1, weight = lambda / n; weight > 0; ++n, weight *= lambda / n) {
      mass += weight;
      sum += weight * f(n);
      const double remaining = weight * lambda / (n + 1 - lambda);  // geometric bound on the weights beyond n
      if (remaining < 1e-17 * sum && remaining < 1e-17 * mass) break;
    }
    return sum / mass;
  }

  /// P(a·ξ > z) for z ≥ 0.
  double upper_tail(double z) const {
    return poisson_average(
        rate_, [&](double n) { return n > 0 ? 0.5 * std::erfc(z * std::sqrt(rate_ / (2 * n))) : 0; });
  }

  /// z ≥ 0 with upper_tail(z) = q; 0 inside the atom. The root is sought in log q, so that tails keep digits.
  double upper_tail_inverse(double q) const {
    if (q <= 0) return std::numeric_limits<double>::infinity();
    const auto excess = [&](double z) {  // finite where the tail is too small for a number
      return std::log(std::max(upper_tail(z), std::numeric_limits<double>::denorm_min())) - std::log(q);
    };
    if (excess(0) <= 0) return 0;
    double upper = 1;
    while (excess(upper) > 0) upper *= 2;
    return detail::root(excess, 0, upper);
  }

  double rate_;
};

}  // namespace mno

#pragma once
// S ~ Exp(1): each a·ξ is Laplace with variance 1, density exp(−√2|z|)/√2. Tails heavier than Gaussian, all
// moments finite, E exp(sa·ξ) = 1/(1 − s²/2) for s² < 2. The CRPS is that of A. Jordan, F. Krüger, S. Lerch,
// "Evaluating probabilistic forecasts with scoringRules", 2019.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mno/law/residual.hpp"

namespace mno {

namespace detail {

/// log ∫_0^∞ s^{λ−1} exp(−s − b/s) ds = log(2 b^{λ/2} K_λ(2√b)), b > 0; for any order, where the Bessel
/// function itself would overflow. With s = e^y the integrand falls double-exponentially on both sides, so
/// the trapezoidal rule around its peak is exact to rounding.
inline double log_bessel_integral(double lambda, double b) {
  const double root = std::sqrt(lambda * lambda + 4 * b);
  const double s = lambda > 0 ? 0.5 * (lambda + root) : 2 * b / (root - lambda);  // s − λ − b/s = 0
  const double curvature = s + b / s, step = std::min(0.25, 0.5 / std::sqrt(curvature));
  const double y = std::log(s), peak = lambda * y - curvature;
  double sum = 1;
  for (const double side : {step, -step})
    for (double offset = side;; offset += side) {
      const double term =
          std::exp(lambda * (y + offset) - s * std::exp(offset) - b / s * std::exp(-offset) - peak);
      sum += term;
      if (term < 1e-18 * sum) break;
    }
  return peak + std::log(step * sum);
}

}  // namespace detail

struct Laplace {
  double draw_variance(Stream& stream) const { return stream.exponential(); }
  void draw(Stream& stream, std::span<double> xi) const {
    detail::draw_scaled(stream, draw_variance(stream), xi);
  }
  double cdf(double z) const { return z <= 0 ? 0.5 * std::exp(std::numbers::sqrt2 * z) : 1 - cdf(-z); }
  double exceedance(double z) const { return cdf(-z); }
  double quantile(double p) const {
    return p <= 0.5 ? std::log(2 * p) / std::numbers::sqrt2 : -std::log(2 * (1 - p)) / std::numbers::sqrt2;
  }
  /// ∫ e^{−s} (2πs)^{−n/2} e^{−q/(2s)} ds; from two dimensions on it is infinite at 0
  double log_density(double q, double n) const {
    if (q > 0)
      return detail::log_bessel_integral(1 - n / 2, q / 2) - 0.5 * n * std::log(2 * std::numbers::pi);
    return n < 2 ? -0.5 * std::numbers::ln2 : std::numeric_limits<double>::infinity();
  }
  double log_moment(double s) const {
    return s * s < 2 ? -std::log1p(-0.5 * s * s) : std::numeric_limits<double>::infinity();
  }
  double crps(double z) const {
    const double x = std::abs(z);
    return x + (std::exp(-std::numbers::sqrt2 * x) - 0.75) / std::numbers::sqrt2;
  }
};

}  // namespace mno

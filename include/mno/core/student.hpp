#pragma once
// Student's t with ν > 0 degrees of freedom, in double: density, distribution, quantile. With a = ν/2 and
// x = ν/(ν + t²),
//
//   f(t) = Γ(a + ½)/Γ(a) (νπ)^{−½} x^{a+½}          P(T < −|t|) = ½ I_x(a, ½)
//
// where I is the regularised incomplete beta function. A library's special functions would be as good, but
// take a second to compile in every program that includes them (docs/decisions/compile-time.md).
#include <cmath>
#include <limits>
#include <numbers>

#include "mno/core/root.hpp"

namespace mno::detail {

/// Γ(a + ½)/Γ(a) for a > 0, by its expansion in 1/(a − ¼)², which has no odd powers; small a are raised
/// first.
///   F. G. Tricomi, A. Erdélyi, "The asymptotic expansion of a ratio of gamma functions", 1951.
inline double gamma_ratio(double a) {
  double factor = 1;
  for (; a < 20; ++a) factor *= a / (a + 0.5);
  const double w = a - 0.25, z = 1 / (w * w);
  const double series =
      1 + z * (1.0 / 64 + z * (-19.0 / 8192 + z * (631.0 / 524288 + z * (-174317.0 / 134217728))));
  return factor * std::sqrt(w) * series;
}

/// I_x(a, b) B(a, b)/(x^a y^b) with y = 1 − x, as 1/(b_0 + a_1/(b_1 + a_2/(b_2 + …))), which converges
/// quickly for x < (a + 1)/(a + b + 2). It is written in x and y, so that nothing cancels where a is large
/// and y is small.
///   A. R. DiDonato, A. H. Morris, "Significant digit computation of the incomplete beta function ratios",
///   1992.
inline double beta_fraction(double a, double b, double x, double y) {
  const double tiny = 1e-300, distance = a * y - b * x + 1;
  double value = a * distance / (a + 1), c = value, d = 0;  // b_0; then by Lentz's method
  if (value == 0) value = c = tiny;
  for (double n = 1; n < 1e6; ++n) {
    const double q = a + 2 * n - 1, term = n * (b - n) * x / q;
    const double above = (a + n - 1) * (a + b + n - 1) * x / q * term;
    const double below = n + term + (a + n) * (distance + n * (1 + y)) / (q + 2);
    d = 1 / (below + above * d);
    c = below + above / c;
    value *= c * d;
    if (std::abs(c * d - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return 1 / value;
}

/// log x of t: log ν/(ν + t²)
inline double student_log_x(double t, double nu) {
  const double s = std::abs(t) / std::sqrt(nu);
  return s < 1e8 ? -std::log1p(s * s) : -2 * std::log(s);
}

inline double student_density(double t, double nu) {
  return gamma_ratio(nu / 2) / std::sqrt(nu * std::numbers::pi) *
         std::exp((nu + 1) / 2 * student_log_x(t, nu));
}

/// P(T < t). To the left of 0 small values keep their digits.
inline double student_cdf(double t, double nu) {
  if (t > 0) return 1 - student_cdf(-t, nu);
  const double a = nu / 2, s = -t / std::sqrt(nu), root_y = s / std::hypot(1, s);
  const double x = 1 / (1 + s * s), y = root_y * root_y;
  const double front =
      gamma_ratio(a) / std::sqrt(std::numbers::pi) * root_y * std::exp(a * student_log_x(t, nu));
  if (x < (a + 1) / (a + 2.5)) return 0.5 * front * beta_fraction(a, 0.5, x, y);
  return 0.5 - 0.5 * front * beta_fraction(0.5, a, y, x);  // I_x(a, ½) = 1 − I_y(½, a)
}

/// t with P(T < t) = p, 0 < p < 1. The root is sought in log p, so that tails keep digits.
inline double student_quantile(double p, double nu) {
  if (p == 0.5) return 0;
  if (p > 0.5) return -student_quantile(1 - p, nu);
  const auto excess = [&](double s) { return std::log(student_cdf(-s, nu) / p); };
  double upper = 1;
  while (excess(upper) > 0) upper *= 2;
  return -root(excess, upper > 1 ? upper / 2 : 0, upper);
}

}  // namespace mno::detail

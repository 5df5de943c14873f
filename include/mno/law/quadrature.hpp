#pragma once
// Integrals over the quantiles of a residual law, for what has no closed form.
//
// The tanh–sinh rule in the tail probability p: nodes lie as close to p = 0 as floating-point numbers do, so
// a quantile that is infinite there costs no digits.
//   H. Takahasi, M. Mori, "Double exponential formulas for numerical integration", 1974.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mno/law/residual.hpp"
#include "mno/law/warp.hpp"

namespace mno::detail {

/// ∫_a^b f(p) dp, a < b, with p = a + (b−a)/(1 + exp(−π sinh t)): f may be infinite at a. Steps of 1/16 in t
/// leave a relative error below 1e-12 for an f that is analytic inside and integrable at the ends. Within
/// 1e-160 of a and within rounding of b, values of f that overflow are left out: an integrable f has no
/// weight there.
template <class F> double tanh_sinh(F&& f, double a, double b) {
  constexpr double step = 1.0 / 16;
  double sum = 0;
  for (int i = -97; i <= 52; ++i) {  // e^{−π sinh(97/16)} = 1e-293, e^{−π sinh(52/16)} = 3e-18
    const double t = step * i, e = std::exp(-std::numbers::pi * std::sinh(t));
    const double share = 1 / (1 + e), weight = std::numbers::pi * std::cosh(t) * share * (e / (1 + e));
    const double p = a + (b - a) * share;
    if (!(p > a && p < b && weight > 0)) continue;
    const double value = f(p);
    if (std::isfinite(value) || (p - a > 1e-160 && b - p > 1e-14 * b)) sum += weight * value;
  }
  return (b - a) * step * sum;
}

/// ∫_0^b f(p) dp for an f that depends on the quantile of p: in pieces that end where a quantile is not
/// analytic, at ½ (Laplace) and at both ends of an atom.
template <EllipticalLaw R, class F> double integrate_quantiles(const R& residual, F&& f, double b) {
  double atom = 0;
  if constexpr (requires { residual.atom(); }) atom = residual.atom();
  std::array<double, 4> ends{0.5 * (1 - atom), 0.5, 0.5 * (1 + atom), b};
  double sum = 0, a = 0;
  for (double& end : ends) {
    end = std::min(end, b);
    if (end > a) sum += tanh_sinh(f, a, end);
    a = std::max(a, end);
  }
  return sum;
}

/// Mean and variance of g(ζ), which must exist, to 1e-10 of E|g| and of the variance:
/// E g(ζ) = ∫_0^½ g(q(p)) + g(q(1−p)) dp. The variance is an integral about the mean, where nothing cancels.
template <EllipticalLaw R, class G> MeanAndVariance integrated_moments(G&& g, const R& residual) {
  const auto expectation = [&](const auto& of) {
    return integrate_quantiles(
        residual, [&](double p) { return of(g(residual.quantile(p))) + of(g(upper_quantile(residual, p))); },
        0.5);
  };
  const double mean = expectation([](double u) { return u; });
  return {mean, expectation([&](double u) { return (u - mean) * (u - mean); })};
}

}  // namespace mno::detail

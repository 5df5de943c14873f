#pragma once
// Residual laws: the distribution of ξ in u = m + Bᵀξ, with E ξ = 0 and Cov ξ = I_r.
//
// Mean and covariance of u do not depend on it; samples, quantiles and risks do. A law of your own is a type
// with
//   void draw(Stream&, std::span<double> xi) const     // fills all r coefficients: enough to sample
// and, if every unit combination a·ξ, ‖a‖ = 1, has one and the same distribution (ξ is elliptical),
//   double cdf(double z) const                         // P(a·ξ ≤ z)
//   double quantile(double p) const                    // inf{z : cdf(z) ≥ p}
//   double exceedance(double z) const                  // P(a·ξ > z), optional: keeps digits in the tail
// The laws in residual/ are Gaussian scale mixtures ξ = √S z with z ~ N(0, I_r), one S per draw, E S = 1.
#include <cmath>
#include <concepts>
#include <span>

#include "mno/core/random.hpp"

namespace mno {

template <class R>
concept ResidualLaw = requires(const R& residual, Stream& stream, std::span<double> xi) {
  residual.draw(stream, xi);
};

template <class R>
concept EllipticalLaw = ResidualLaw<R> && requires(const R& residual, double x) {
  { residual.cdf(x) } -> std::convertible_to<double>;
  { residual.quantile(x) } -> std::convertible_to<double>;
};

namespace detail {

/// ξ = √S z
inline void draw_scaled(Stream& stream, double s, std::span<double> xi) {
  const double scale = std::sqrt(s);
  for (double& x : xi) x = scale * stream.normal();
}

template <EllipticalLaw R> double exceedance(const R& residual, double z) {
  if constexpr (requires { residual.exceedance(z); })
    return residual.exceedance(z);
  else
    return 1 - residual.cdf(z);
}

}  // namespace detail
}  // namespace mno

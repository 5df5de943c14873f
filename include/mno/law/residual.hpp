#pragma once
// Residual laws: the distribution of ξ in u = m + Bᵀξ + η∘ζ, with E ξ = 0 and Cov ξ = I; ζ is part of ξ here.
//
// Mean and covariance of u do not depend on it; samples, quantiles and risks do. A law of your own is a type
// with
//   void draw(Stream&, std::span<double> xi) const     // fills all coefficients: enough to sample
// and, if every unit combination a·ξ, ‖a‖ = 1, has one and the same distribution (ξ is elliptical),
//   double cdf(double z) const                         // P(a·ξ ≤ z)
//   double quantile(double p) const                    // inf{z : cdf(z) ≥ p}
// and, where it has them,
//   double exceedance(double z) const                  // P(a·ξ > z), which keeps digits in the tail
//   double log_density(double q, double n) const       // of ξ ∈ R^n at ‖ξ‖² = q: the law has a density
//   double log_moment(double s) const                  // log E exp(s a·ξ): moments of warped laws
//   double crps(double z) const                        // of a·ξ against z; otherwise an integral
//   double atom() const                                // P(ξ = 0)
// The laws in residual/ are Gaussian scale mixtures ξ = √S z with z ~ N(0, I_r), one S per draw, E S = 1:
//   double draw_variance(Stream&) const                // S
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

/// May the law be the Gaussian? Known at compile time, or for AnyResidual when it runs.
template <class R>
concept MaybeGaussian = requires(const R& residual) {
  residual.gaussian();
};

template <EllipticalLaw R> double exceedance(const R& residual, double z) {
  if constexpr (requires { residual.exceedance(z); })
    return residual.exceedance(z);
  else
    return 1 - residual.cdf(z);
}

}  // namespace detail
}  // namespace mno

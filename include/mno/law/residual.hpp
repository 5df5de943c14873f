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
// Most laws in residual/ are Gaussian scale mixtures ξ = √S z with z ~ N(0, I_r), one S per draw, E S = 1:
//   double draw_variance(Stream&) const                // S
//
// A law may single out ξ_1, which with_residual() makes the coefficient of the field's average; the others
// are normal. Its marginals differ from entry to entry, by the share ρ = B_1/σ of ξ_1 in the entry:
//   bool leans() const                                 // whether it does
//   R seen(double rho) const                           // whose cdf, quantile, … hold where the share is ρ
//   bool symmetric() const                             // whether that entry's marginal is symmetric
//   double upper_quantile(double p) const              // quantile(1 − p)
//   double marginal_log_density(double z) const
//   parts() const                                      // the normal parts of ξ_1, for the density of fields
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

/// Does the law single out ξ_1?
template <class R> bool leans(const R& residual) {
  if constexpr (requires { residual.leans(); })
    return residual.leans();
  else
    return false;
}
/// The law of an entry of deviation σ in which ξ_1 has the coefficient b.
template <class R> R seen(const R& residual, double b, double sigma) {
  if constexpr (requires { residual.seen(0.5); })
    if (residual.leans() && sigma > 0) return residual.seen(b / sigma);
  return residual;
}
template <class R> bool symmetric(const R& residual) {
  if constexpr (requires { residual.symmetric(); })
    return residual.symmetric();
  else
    return true;
}
/// quantile(1 − p), also for p so small that 1 − p is 1
template <EllipticalLaw R> double upper_quantile(const R& residual, double p) {
  if constexpr (requires { residual.upper_quantile(p); })
    return residual.upper_quantile(p);
  else
    return -residual.quantile(p);
}
/// log density of the standardised marginal
template <class R> double marginal_log_density(const R& residual, double z) {
  if constexpr (requires { residual.marginal_log_density(z); })
    return residual.marginal_log_density(z);
  else
    return residual.log_density(z * z, 1);
}

template <EllipticalLaw R> double exceedance(const R& residual, double z) {
  if constexpr (requires { residual.exceedance(z); })
    return residual.exceedance(z);
  else
    return 1 - residual.cdf(z);
}

}  // namespace detail
}  // namespace mno

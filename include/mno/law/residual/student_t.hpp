#pragma once
// S = (ν−2)/χ²_ν: ξ is multivariate Student t with ν > 2 degrees of freedom, scaled to Cov ξ = I.
// Tails fall like |z|^{−ν}, so E exp(sa·ξ) is infinite; ν → ∞ is Gaussian. The CRPS is that of A. Jordan,
// F. Krüger, S. Lerch, "Evaluating probabilistic forecasts with scoringRules", 2019.
#include <cmath>
#include <limits>
#include <numbers>

#include "mno/core/error.hpp"
#include "mno/core/student.hpp"
#include "mno/law/residual.hpp"

namespace mno {

namespace detail {

/// Gamma with the given shape ≥ 1 and scale 1, by squeezed rejection from a cubed normal.
///   G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000.
inline double draw_gamma(Stream& stream, double shape) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(stream.uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

}  // namespace detail

class StudentT {
 public:
  explicit StudentT(double nu) : nu_(nu) {
    require(nu > 2 && std::isfinite(nu), "StudentT", "nu",
            Text("finite degrees of freedom above 2, where the variance is finite"), Text(nu));
  }
  double nu() const { return nu_; }

  double draw_variance(Stream& stream) const { return (nu_ - 2) / (2 * detail::draw_gamma(stream, nu_ / 2)); }
  void draw(Stream& stream, std::span<double> xi) const {
    detail::draw_scaled(stream, draw_variance(stream), xi);
  }
  double cdf(double z) const {
    if (std::isinf(z)) return z > 0 ? 1 : 0;
    return detail::student_cdf(z / scale(), nu_);
  }
  double exceedance(double z) const { return cdf(-z); }
  double quantile(double p) const {
    if (p <= 0) return -std::numeric_limits<double>::infinity();
    if (p >= 1) return std::numeric_limits<double>::infinity();
    return scale() * detail::student_quantile(p, nu_);
  }
  /// Γ((ν+n)/2)/Γ(ν/2) ((ν−2)π)^{−n/2} (1 + q/(ν−2))^{−(ν+n)/2}
  double log_density(double q, double n) const {
    return std::lgamma(0.5 * (nu_ + n)) - std::lgamma(0.5 * nu_) -
           0.5 * n * std::log((nu_ - 2) * std::numbers::pi) - 0.5 * (nu_ + n) * std::log1p(q / (nu_ - 2));
  }
  /// Of t_ν: t(2F(t) − 1) + 2f(t)(ν + t²)/(ν−1) − 2√ν B(½, ν−½)/((ν−1) B(½, ν/2)²),
  /// where B(½, a) = √π Γ(a)/Γ(a + ½)
  double crps(double z) const {
    const double t = z / scale(), half = detail::gamma_ratio(nu_ / 2);
    const double density = detail::student_density(t, nu_);
    const double spread = std::sqrt(nu_ / std::numbers::pi) * half * half / detail::gamma_ratio(nu_ - 0.5);
    return scale() * (t * (2 * cdf(z) - 1) + 2 / (nu_ - 1) * (density * (nu_ + t * t) - spread));
  }

 private:
  double scale() const {
    return std::sqrt((nu_ - 2) / nu_);
  }  // of the unscaled t_ν, whose variance is ν/(ν−2)

  double nu_;
};

}  // namespace mno

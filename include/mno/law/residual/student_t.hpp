#pragma once
// S = (ν−2)/χ²_ν: ξ is multivariate Student t with ν > 2 degrees of freedom, scaled to Cov ξ = I_r.
// Tails fall like |z|^{−ν}; ν → ∞ is Gaussian.
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "mno/core/boost_math.hpp"
#include "mno/core/error.hpp"
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

  void draw(Stream& stream, std::span<double> xi) const {
    const double chi_square = 2 * detail::draw_gamma(stream, nu_ / 2);
    detail::draw_scaled(stream, (nu_ - 2) / chi_square, xi);
  }
  template <class = void> double cdf(double z) const {
    if (std::isinf(z)) return z > 0 ? 1 : 0;
    return boost::math::cdf(Unscaled(nu_), z / scale());
  }
  template <class = void> double exceedance(double z) const { return cdf(-z); }
  template <class = void> double quantile(double p) const {
    if (p <= 0) return -std::numeric_limits<double>::infinity();
    if (p >= 1) return std::numeric_limits<double>::infinity();
    return scale() * boost::math::quantile(Unscaled(nu_), p);
  }

 private:
  using Unscaled = boost::math::students_t_distribution<double, detail::InDouble>;
  double scale() const {
    return std::sqrt((nu_ - 2) / nu_);
  }  // of the unscaled t_ν, whose variance is ν/(ν−2)

  double nu_;
};

}  // namespace mno

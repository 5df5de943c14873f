#pragma once
// S ~ Exp(1): each a·ξ is Laplace with variance 1, density exp(−√2|z|)/√2. Tails heavier than Gaussian, all
// moments finite.
#include <cmath>
#include <numbers>

#include "mno/law/residual.hpp"

namespace mno {

struct Laplace {
  void draw(Stream& stream, std::span<double> xi) const {
    detail::draw_scaled(stream, stream.exponential(), xi);
  }
  double cdf(double z) const { return z <= 0 ? 0.5 * std::exp(std::numbers::sqrt2 * z) : 1 - cdf(-z); }
  double exceedance(double z) const { return cdf(-z); }
  double quantile(double p) const {
    return p <= 0.5 ? std::log(2 * p) / std::numbers::sqrt2 : -std::log(2 * (1 - p)) / std::numbers::sqrt2;
  }
};

}  // namespace mno

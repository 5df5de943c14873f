#pragma once
// The continuous ranked probability score of a Gaussian marginal against one value, in closed form:
//
//   CRPS(N(m, σ²), u) = σ(ω(2Φ(ω) − 1) + 2φ(ω) − 1/√π),   ω = (u − m)/σ,      |u − m| for a point mass
//   m̄ = 1 − 2Φ(ω),   σ̄ = 2φ(ω) − 1/√π
//   T. Gneiting, A. E. Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007.
#include <cmath>
#include <numbers>

#include "mno/core/host_device.hpp"

namespace mno {

struct CrpsValue {
  double value, mean_bar, deviation_bar;
};
MNO_HOST_DEVICE inline CrpsValue gaussian_crps(double mean, double deviation, double u) {
  constexpr double sqrt2 = std::numbers::sqrt2, inv_sqrtpi = std::numbers::inv_sqrtpi;
  if (!(deviation > 0)) return {std::abs(u - mean), double(mean > u) - double(mean < u), -inv_sqrtpi};
  const double omega = (u - mean) / deviation;
  const double centred = std::erf(omega / sqrt2);                                          // 2Φ(ω) − 1
  const double deviation_bar = inv_sqrtpi * (sqrt2 * std::exp(-0.5 * omega * omega) - 1);  // 2φ − 1/√π
  return {deviation * (omega * centred + deviation_bar), -centred, deviation_bar};
}

}  // namespace mno

#pragma once
// A finite mixture of normal laws on the line, Σ_i w_i N(μ_i, σ_i²) with Σ w_i = 1: everything here has a
// closed form except the quantile, which is a root. A part with σ_i = 0 is a point mass.
//
//   CRPS at u = Σ_i w_i E|X_i − u| − ½ Σ_ij w_i w_j E|X_i − X_j|,
//   E|N(μ, σ²)| = μ(2Φ(μ/σ) − 1) + 2σφ(μ/σ)
//   E. P. Grimit et al., "The continuous ranked probability score for circular variables and its application
//   to mesoscale forecast ensemble verification", 2006.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "mno/core/root.hpp"
#include "mno/law/crps.hpp"
#include "mno/law/residual/gaussian.hpp"

namespace mno::detail {

struct NormalPart {
  double weight, mean, deviation;
};
using NormalParts = std::span<const NormalPart>;

/// E|N(μ, σ²)|
inline double mean_distance(double mean, double deviation) {
  return gaussian_crps(0, deviation, mean).value + deviation * std::numbers::inv_sqrtpi;
}

inline double mixture_cdf(NormalParts parts, double z) {
  double sum = 0;
  for (const NormalPart& p : parts)
    sum += p.weight * (p.deviation > 0 ? Gaussian{}.cdf((z - p.mean) / p.deviation) : double(p.mean <= z));
  return sum;
}
inline double mixture_exceedance(NormalParts parts, double z) {
  double sum = 0;
  for (const NormalPart& p : parts)
    sum += p.weight * (p.deviation > 0 ? Gaussian{}.cdf((p.mean - z) / p.deviation) : double(p.mean > z));
  return sum;
}

/// inf{z : F(z) ≥ p} of any mixture, between the least and the largest quantile of its parts. The root is
/// sought in the logarithm of the nearer tail, which keeps its digits.
template <class Cdf, class Exceedance>
double quantile_between(double low, double high, double p, Cdf&& cdf, Exceedance&& exceedance) {
  if (!(low < high) || (p < 0.5 ? cdf(low) >= p : exceedance(low) <= 1 - p)) return low;
  const auto logarithm = [](double x) { return std::log(std::max(x, 1e-320)); };
  if (p < 0.5) return root([&](double z) { return logarithm(cdf(z)) - logarithm(p); }, low, high);
  return root([&](double z) { return logarithm(1 - p) - logarithm(exceedance(z)); }, low, high);
}
inline double mixture_quantile(NormalParts parts, double p) {
  if (p <= 0 || p >= 1) return (p <= 0 ? -1 : 1) * std::numeric_limits<double>::infinity();
  const double z = normal_quantile(p);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const NormalPart& part : parts) {
    low = std::min(low, part.mean + part.deviation * z);
    high = std::max(high, part.mean + part.deviation * z);
  }
  return quantile_between(
      low, high, p, [&](double x) { return mixture_cdf(parts, x); },
      [&](double x) { return mixture_exceedance(parts, x); });
}

inline double mixture_crps(NormalParts parts, double u) {
  double distance = 0, spread = 0;
  for (const NormalPart& p : parts) {
    distance += p.weight * mean_distance(p.mean - u, p.deviation);
    for (const NormalPart& q : parts)
      spread += p.weight * q.weight * mean_distance(p.mean - q.mean, std::hypot(p.deviation, q.deviation));
  }
  return distance - 0.5 * spread;
}

/// log Σ_i exp(a_i), which does not overflow
template <class Values> double log_sum_exp(const Values& values) {
  const double largest = *std::max_element(std::begin(values), std::end(values));
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const double a : values) sum += std::exp(a - largest);
  return largest + std::log(sum);
}
/// log Σ_i w_i e^{of(i)}
template <class Of> double mixture_log_sum(NormalParts parts, Of&& of) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const NormalPart& p : parts) largest = std::max(largest, double(of(p)));
  for (const NormalPart& p : parts) sum += p.weight * std::exp(of(p) - largest);
  return largest + std::log(sum);
}

}  // namespace mno::detail

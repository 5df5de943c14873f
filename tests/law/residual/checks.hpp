#pragma once
// What every residual law must satisfy, as one body. Seeds are fixed, so a test gives the same verdict each
// time; the false-alarm rates say how unlucky a fresh seed would have to be.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "../support.hpp"
#include "mno/law/residual.hpp"

namespace mno::testing {

inline constexpr double false_alarm = 1e-6;

/// (draw, k)
template <ResidualLaw R>
Eigen::MatrixXd draws(const R& residual, Index count, Index rank, std::uint64_t seed) {
  Eigen::MatrixXd xi(count, rank);
  std::vector<double> one(static_cast<std::size_t>(rank));
  for (Index j = 0; j < count; ++j) {
    Stream stream(seed, std::uint64_t(j));
    residual.draw(stream, one);
    for (Index k = 0; k < rank; ++k) xi(j, k) = one[std::size_t(k)];
  }
  return xi;
}

/// Largest |z| over the entries of the mean and of E ξξᵀ − I. For a scale mixture with E S² = s2,
/// Var ξ_k² = 3 s2 − 1 and Var ξ_k ξ_l = s2; the z are normal by the central limit theorem.
template <ResidualLaw R> double worst_moment_z(const R& residual, double s2, Index rank, std::uint64_t seed) {
  const Index count = 100000;
  const Eigen::MatrixXd xi = draws(residual, count, rank, seed);
  const double root = std::sqrt(double(count));
  double worst = 0;
  for (Index k = 0; k < rank; ++k) {
    worst = std::max(worst, std::abs(root * xi.col(k).mean()));
    for (Index l = 0; l <= k; ++l) {
      const double moment = xi.col(k).dot(xi.col(l)) / double(count);
      const double z = k == l ? (moment - 1) / std::sqrt(3 * s2 - 1) : moment / std::sqrt(s2);
      worst = std::max(worst, std::abs(root * z));
    }
  }
  return worst;
}
inline double critical_moment_z(Index rank) { return critical_z(false_alarm, rank + rank * (rank + 1) / 2); }

template <ResidualLaw R> void check_moments(const R& residual, double s2) {
  CHECK(worst_moment_z(residual, s2, 4, 1) < critical_moment_z(4));
}

/// Draws of a·ξ, ‖a‖ = 1, without those that are exactly 0.
template <ResidualLaw R> std::vector<double> projections(const R& residual, std::uint64_t seed) {
  const Eigen::VectorXd a = Eigen::VectorXd(Eigen::Vector4d(1, -2, 0.5, 3)).normalized();
  const Eigen::VectorXd values = draws(residual, 40000, 4, seed) * a;
  std::vector<double> result;
  for (double z : values)
    if (z != 0) result.push_back(z);
  return result;
}

/// Kolmogorov–Smirnov: one coefficient and an oblique combination both follow the cdf.
template <EllipticalLaw R> void check_marginal(const R& residual) {
  const auto cdf = [&](double z) { return residual.cdf(z); };
  const Eigen::MatrixXd one = draws(residual, 40000, 1, 7);
  CHECK(ks_statistic({one.data(), one.data() + one.size()}, cdf) < critical_ks(false_alarm));
  CHECK(ks_statistic(projections(residual, 8), cdf) < critical_ks(false_alarm));
}

/// cdf and quantile undo each other, away from atoms; tails keep relative digits.
template <EllipticalLaw R> void check_round_trip(const R& residual) {
  for (const double p : {1e-12, 1e-6, 0.001, 0.02, 0.1, 0.9, 0.975, 0.999}) {
    CAPTURE(p);
    const double z = residual.quantile(p);
    CHECK(std::abs(residual.cdf(z) / p - 1) < 1e-11);
    CHECK(std::abs(residual.exceedance(-z) / p - 1) < 1e-11);
    CHECK(residual.cdf(z) + residual.exceedance(z) == doctest::Approx(1).epsilon(1e-13));
  }
  CHECK(std::isinf(residual.quantile(0)));
  CHECK(residual.quantile(0) < 0);
  CHECK(std::isinf(residual.quantile(1)));
  CHECK(residual.quantile(1) > 0);
  CHECK(std::abs(residual.quantile(0.5)) < 1e-12);
}

/// The cdf's own variance is 1: ∫ 2z P(|ζ| > z) dz = 4 ∫₀^∞ z exceedance(z) dz by the midpoint rule in
/// z = e^y, up to `reach`.
template <EllipticalLaw R> double variance_of_cdf(const R& residual, double reach) {
  double sum = 0;
  const double step = 0.002;
  for (double y = -15; y < std::log(reach); y += step) {
    const double z = std::exp(y + step / 2);
    sum += 4 * z * residual.exceedance(z) * z * step;
  }
  return sum;
}

/// In one dimension the density is the derivative of the cdf; in three, its mass in shells adds up to 1.
template <EllipticalLaw R> void check_density(const R& residual, double reach) {
  const double h = 1e-5;
  for (const double z : {-4.0, -1.0, 0.3, 2.5})
    CHECK(std::exp(residual.log_density(z * z, 1)) ==
          doctest::Approx((residual.cdf(z + h) - residual.cdf(z - h)) / (2 * h)).epsilon(1e-8));
  double mass = 0, square = 0;
  const double step = 0.002;
  for (double y = -15; y < std::log(reach); y += step) {
    const double r = std::exp(y + step / 2);
    const double shell = 4 * std::numbers::pi * r * r * std::exp(residual.log_density(r * r, 3)) * r * step;
    mass += shell;
    square += shell * r * r;
  }
  CHECK(mass == doctest::Approx(1).epsilon(1e-6));
  CHECK(square == doctest::Approx(3).epsilon(1e-4));  // E‖ξ‖² = 3
}

/// The CRPS against ∫ (F(x) − 1{x ≥ z})² dx by the midpoint rule.
template <EllipticalLaw R> void check_crps(const R& residual, double reach, double tolerance) {
  for (const double z : {-2.0, 0.0, 0.7}) {
    double sum = 0;
    const double step = 1e-3;
    for (double x = 0; x < reach; x += step) {
      const double above = z + x + step / 2, below = z - x - step / 2;
      sum += step * (std::pow(residual.exceedance(above), 2) + std::pow(residual.cdf(below), 2));
    }
    CHECK(residual.crps(z) == doctest::Approx(sum).epsilon(tolerance));
  }
}

/// E exp(sζ) against ∫ s e^{sz} P(ζ > z) dz + 1 on both sides, by the midpoint rule.
template <EllipticalLaw R> void check_log_moment(const R& residual, double reach) {
  for (const double s : {0.1, 0.8}) {
    double sum = 1;
    const double step = 1e-3;
    for (double z = step / 2; z < reach; z += step)
      sum += step * s * (std::exp(s * z) - std::exp(-s * z)) * residual.exceedance(z);
    CHECK(std::exp(residual.log_moment(s)) == doctest::Approx(sum).epsilon(1e-6));
    CHECK(residual.log_moment(-s) == residual.log_moment(s));
  }
}

}  // namespace mno::testing

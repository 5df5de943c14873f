#pragma once
// The Gaussian law of a field given noisy values at some points: again a law of the same rank.
//
// Entry e is observed as y = m_e + b_e·ξ + η_eζ_e + noise of variance t, where b_e is its column of B. For ξ
// this is a reading of b_e·ξ with noise η_e² + t. Given ξ, it is news of ζ_e alone:
//   z_e | ξ, y:   mean κ(m_e + b_e·ξ) + (1 − κ)y,  variance κη_e²,   κ = t/(η_e² + t),
// so the entry keeps κ times its factor and √κ times its nugget; with t = 0 it is y, exactly.
//
// For ξ, let A (r × p) hold the b_e of the readings and d their values, both divided by the readings'
// deviations. With A = U diag(σ) Vᵀ,
//   ξ | d ~ N(μ, Σ),  μ = U diag(σ/(1+σ²)) Vᵀd,  Σ = U diag(1/(1+σ²)) Uᵀ,   m' = m + Bᵀμ,  B' = Σ^{1/2}B.
// Readings without noise go first: 1 + σ² becomes σ², and directions with σ > 0 are known. A direction with
// σ = 0 keeps its prior. The singular values come from A itself, not from AAᵀ, which would square its
// condition number.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "mno/core/in_double.hpp"
#include "mno/law/law.hpp"
#include "mno/law/orthogonalise.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// A measured value of u(channel, point), the point counted row-major over the grid.
struct Observation {
  Index point = 0;
  Index channel = 0;
  double value = 0;
};

namespace detail {

/// ξ = shift + root ξ', ξ' ~ N(0, I)
template <class T> struct Coefficients {
  VectorIn<T> shift;  // r
  MatrixIn<T> root;   // r × r, symmetric
};

/// ξ ~ N(0, I) given readings a_i·ξ = d_i with noise of the given deviation; rows are [a_i d_i]. Singular
/// values up to `negligible` are rounding.
template <class T>
Coefficients<T> posterior_of(const MatrixIn<T>& readings, double deviation, double negligible) {
  using Matrix = MatrixIn<T>;
  using Vector = VectorIn<T>;
  const Index r = readings.cols() - 1;
  Matrix a = Matrix::Zero(std::max(readings.rows(), r), r + 1);  // zero rows make it tall
  a.topRows(readings.rows()) = readings;
  triangularise(a, r);  // Aᵀ = QR, and R = V diag(σ) Uᵀ is r × r
  Matrix sides = a.topLeftCorner(r, r);
  const Matrix u = orthogonalise(sides);  // and sides = V diag(σ)
  Vector mu(r), shrink(r);
  for (Index k = 0; k < r; ++k) {
    const double sigma = sides.col(k).norm();
    const bool informative = sigma > negligible;
    const double total = deviation * deviation + sigma * sigma;
    mu[k] = informative ? sides.col(k).dot(a.col(r).head(r)) / total : 0;  // σ Vᵀd / (σ² + deviation²)
    shrink[k] = informative ? deviation / std::sqrt(total) : 1;
  }
  const Matrix scaled = u * shrink.asDiagonal(), u_transposed = u.transpose();
  return {u * mu, scaled * u_transposed};
}

/// What was seen of one entry: the average of its observations.
struct Seen {
  double sum = 0, count = 0;
  double value() const { return sum / count; }
};

}  // namespace detail

/// One sample's law given observations with noise variance τ² ≥ 0; a law with batch 1. With τ = 0, values
/// that the law cannot attain together are met in the sense of least squares.
template <class T, int D, class R, class W>
Law<T, D, R, W> condition(const Law<T, D, R, W>& law, Index sample, std::span<const Observation> observations,
                          double noise_variance) {
  static_assert(detail::MaybeGaussian<R>,
                "mno: conditioning is exact for Gaussian residuals only: with_residual(law, Gaussian{}) has "
                "the same mean and covariance");
  static_assert(detail::MaybeUnwarped<W>,
                "mno: condition in the law's own coordinates, condition(unwarped(law), …) on values that "
                "law.warp.inverse gives, and put the warp back with with_warp");
  if constexpr (detail::MaybeUnwarped<W>) detail::require_unwarped("condition", law.warp);
  if constexpr (detail::MaybeGaussian<R>)
    require(law.residual.gaussian(), "condition", "law",
            Text("Gaussian residuals: with_residual(law, Gaussian{}) has the same mean and covariance"),
            Text("others"));
  detail::require_sample("condition", law, sample);
  require(noise_variance >= 0 && std::isfinite(noise_variance), "condition", "noise_variance",
          Text("a finite variance, zero or more"), Text(noise_variance));
  const Index r = law.rank(), channels = law.channels();
  std::map<Index, detail::Seen> seen;  // by entry
  for (const Observation& one : observations) {
    require(one.point >= 0 && one.point < law.points(), "condition", "observations",
            Text("a point below ", law.points()), Text(one.point));
    require(one.channel >= 0 && one.channel < channels, "condition", "observations",
            Text("a channel below ", channels), Text(one.channel));
    require(std::isfinite(one.value), "condition", "observations", Text("finite values"), Text(one.value));
    detail::Seen& entry = seen[one.point * channels + one.channel];
    entry.sum += one.value;
    entry.count += 1;
  }

  using Matrix = detail::MatrixIn<T>;
  using Vector = detail::VectorIn<T>;
  const Matrix b = factor_matrix(law, sample).template cast<double>();
  const Vector m = flat(law.mean, sample).template cast<double>();
  Vector eta = Vector::Zero(law.size());
  if (law.has_nugget()) eta = flat(law.nugget, sample).template cast<double>();

  // Spread of this size is rounding beside the field's largest spread: an entry that was observed exactly
  // before is left with such a rest. Noise of this size counts as none.
  const double negligible = 8 * std::sqrt(double(std::max(Index(seen.size()), r))) *
                            double(std::numeric_limits<T>::epsilon()) *
                            std::sqrt(b.colwise().squaredNorm().maxCoeff());
  Matrix exact(Index(seen.size()), r + 1), noisy(Index(seen.size()), r + 1);
  Index exacts = 0, noisies = 0;
  for (const auto& [e, one] : seen) {
    const double deviation = std::sqrt(eta[e] * eta[e] + noise_variance / one.count);
    detail::RowVectorIn<T> reading(r + 1);
    reading << b.col(e).transpose(), one.value() - m[e];
    if (deviation <= negligible)
      exact.row(exacts++) = std::sqrt(one.count) * reading;  // least squares count every observation
    else if (b.col(e).norm() > negligible)
      noisy.row(noisies++) = reading / deviation;
  }
  detail::Coefficients<T> xi{Vector::Zero(r), Matrix::Identity(r, r)};
  if (exacts > 0) xi = detail::posterior_of<T>(exact.topRows(exacts), 0, negligible);
  if (noisies > 0) {
    Matrix rest = noisy.topRows(noisies);  // in terms of what can still vary
    rest.col(r) -= rest.leftCols(r) * xi.shift;
    rest.leftCols(r) = (rest.leftCols(r) * xi.root).eval();
    const detail::Coefficients<T> next = detail::posterior_of<T>(rest, 1, 0);
    xi.shift += xi.root * next.shift;
    xi.root = (next.root * xi.root).eval();  // applied to B from the left: the first one first
  }

  Vector mean = m + b.transpose() * xi.shift;
  Matrix shrunk = xi.root * b;
  for (const auto& [e, one] : seen) {
    const double t = noise_variance / one.count, d = eta[e] * eta[e];
    if (d == 0) continue;
    const double kappa = t / (d + t);
    mean[e] = kappa * mean[e] + (1 - kappa) * one.value();
    shrunk.col(e) *= kappa;
    eta[e] *= std::sqrt(kappa);
  }

  Law<T, D, R, W> posterior(
      Field<T, D>(1, law.grid(), channels), Field<T, D>(1, law.grid(), law.factor.channels()),
      law.has_nugget() ? Field<T, D>(1, law.grid(), channels) : Field<T, D>(), law.residual, law.warp);
  flat(posterior.mean, 0) = mean.template cast<T>();
  if (law.has_nugget()) flat(posterior.nugget, 0) = eta.template cast<T>();
  for (Index x = 0; x < law.points(); ++x)
    detail::factor_at(posterior, 0, x) = shrunk.middleCols(x * channels, channels).template cast<T>();
  return posterior;
}

}  // namespace mno

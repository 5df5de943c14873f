#pragma once
// The Gaussian law of a field given noisy values at some points: again a law of the same rank.
//
// With A = B at the observed entries (r × p), d = observed − m there, and A = U diag(σ) Vᵀ,
//   ξ | d ~ N(μ, Σ),  μ = U diag(σ/(τ²+σ²)) Vᵀd,  Σ = U diag(τ²/(τ²+σ²)) Uᵀ,
//   m' = m + Bᵀμ,  B' = Σ^{1/2}B.
// A direction with σ = 0 is not observed and keeps its prior. The singular values come from A itself, not
// from AAᵀ, which would square its condition number.
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "mno/law/law.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// A measured value of u(channel, point), the point counted row-major over the grid.
struct Observation {
  Index point = 0;
  Index channel = 0;
  double value = 0;
};

/// One sample's law given observations with noise variance τ² ≥ 0; a law with batch 1. With τ = 0, values
/// that the law cannot attain together are met in the sense of least squares.
template <class T, int D>
Law<T, D> condition(const Law<T, D>& law, Index sample, std::span<const Observation> observations,
                    double noise_variance) {
  detail::require_sample("condition", law, sample);
  require(noise_variance >= 0 && std::isfinite(noise_variance), "condition", "noise_variance",
          Text("a finite variance, zero or more"), Text(noise_variance));
  const Index p = Index(observations.size()), r = law.rank(), rows = std::max(p, r);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows, r + 1);  // [Aᵀ d], with zero rows that make it tall
  for (Index i = 0; i < p; ++i) {
    const Observation& seen = observations[std::size_t(i)];
    require(seen.point >= 0 && seen.point < law.points(), "condition", "observations",
            Text("a point below ", law.points()), Text(seen.point));
    require(seen.channel >= 0 && seen.channel < law.channels(), "condition", "observations",
            Text("a channel below ", law.channels()), Text(seen.channel));
    require(std::isfinite(seen.value), "condition", "observations", Text("finite values"), Text(seen.value));
    for (Index k = 0; k < r; ++k)
      a(i, k) = double(detail::factor_at(law, sample, seen.point)(k, seen.channel));
    a(i, r) = seen.value - double(law.mean(sample, seen.point, seen.channel));
  }

  detail::triangularise(a, r);  // Aᵀ = QR, and R = V diag(σ) Uᵀ is r × r
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(
      a.topLeftCorner(r, r), Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd& u = svd.matrixV();
  const Eigen::VectorXd projected = svd.matrixU().transpose() * a.col(r).head(r);  // Vᵀd

  const double tau = std::sqrt(noise_variance);
  // Spread at an observed entry that is rounding beside the field's largest is not information: an entry that
  // was observed exactly before has such a rest.
  double largest = 0;
  for (Index x = 0; x < law.points(); ++x)
    largest = std::max(largest, double(detail::factor_at(law, sample, x).colwise().norm().maxCoeff()));
  const double negligible = 8 * std::sqrt(double(rows)) * double(std::numeric_limits<T>::epsilon()) * largest;
  Eigen::VectorXd mu(r), shrink(r);
  for (Index k = 0; k < r; ++k) {
    const double sigma = svd.singularValues()[k];
    const bool informative = sigma > negligible;
    const double total = noise_variance + sigma * sigma;
    mu[k] = informative ? sigma / total * projected[k] : 0;
    shrink[k] = informative ? tau / std::sqrt(total) : 1;
  }
  const Eigen::VectorXd shift = u * mu;
  const Eigen::MatrixXd scaled = u * shrink.asDiagonal(), u_transposed = u.transpose();
  const Eigen::MatrixXd root = scaled * u_transposed;  // Σ^{1/2}

  Law<T, D> posterior(Field<T, D>(1, law.grid(), law.channels()),
                      Field<T, D>(1, law.grid(), law.factor.channels()));
  const Eigen::MatrixXd b = factor_matrix(law, sample).template cast<double>(), shrunk = root * b;
  const Eigen::VectorXd mean = flat(law.mean, sample).template cast<double>() + b.transpose() * shift;
  flat(posterior.mean, 0) = mean.template cast<T>();
  for (Index x = 0; x < law.points(); ++x)
    detail::factor_at(posterior, 0, x) =
        shrunk.middleCols(x * law.channels(), law.channels()).template cast<T>();
  return posterior;
}

}  // namespace mno

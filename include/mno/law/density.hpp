#pragma once
// The log density of a field under N(m, Γ + εI): Γ = BᵀB is singular, so a little white noise ε > 0 is
// needed.
//
// All algebra is r × r. With d = u − m and W = [Bᵀ; √ε I_r], (n+r) × r,
//   dᵀ(Γ + εI)⁻¹d = min_μ (‖d − Bᵀμ‖² + ε‖μ‖²)/ε = min_μ ‖[d; 0] − Wμ‖²/ε          (Woodbury)
//   log det(Γ + εI) = (n − r) log ε + log det(BBᵀ + εI) = (n − r) log ε + 2 Σ log|R_kk|,  W = QR.
// The quadratic form comes out as a squared residual, so nothing cancels however small ε is; the textbook
// dᵀd/ε − dᵀBᵀ(…)⁻¹Bd/ε would.
#include <Eigen/Core>
#include <cmath>
#include <numbers>

#include "mno/law/law.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// log N(u; m, Γ + εI) of one flattened field under one sample's law.
template <class T, int D, class V>
double log_density(const Law<T, D>& law, Index sample, const Eigen::MatrixBase<V>& u, double epsilon) {
  detail::require_sample("log_density", law, sample);
  require(epsilon > 0 && std::isfinite(epsilon), "log_density", "epsilon",
          Text("a positive finite noise variance, without which the low-rank covariance is singular"),
          Text(epsilon));
  const Index n = law.size(), r = law.rank();
  require(u.size() == n, "log_density", "u", Text("points x channels = ", n, " entries"), Text(u.size()));

  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n + r, r + 1);  // [W d]
  w.topLeftCorner(n, r) = factor_matrix(law, sample).transpose().template cast<double>();
  w.bottomLeftCorner(r, r).diagonal().setConstant(std::sqrt(epsilon));
  w.col(r).head(n) = u.template cast<double>() - flat(law.mean, sample).template cast<double>();

  detail::triangularise(w, r);
  const double quadratic = w.col(r).tail(n).squaredNorm() / epsilon;
  const double log_det =
      double(n - r) * std::log(epsilon) + 2 * w.diagonal().head(r).array().abs().log().sum();
  return -0.5 * (quadratic + log_det + double(n) * std::log(2 * std::numbers::pi));
}

/// log N(u; m, Γ + εI) per sample.
template <class T, int D>
Eigen::VectorXd log_density(const Law<T, D>& law, const Field<T, D>& u, double epsilon) {
  require(u.batch() == law.batch() && u.grid() == law.grid() && u.channels() == law.channels(), "log_density",
          "u",
          Text("batch ", law.batch(), ", grid ", law.grid().str(), " and its domain, ", law.channels(),
               " channels"),
          Text("batch ", u.batch(), ", grid ", u.grid().str(), ", ", u.channels(), " channels"));
  Eigen::VectorXd result(law.batch());
  for (Index s = 0; s < law.batch(); ++s) result[s] = log_density(law, s, flat(u, s), epsilon);
  return result;
}

}  // namespace mno

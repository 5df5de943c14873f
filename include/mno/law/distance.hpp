#pragma once
// The Frobenius distance of two low-rank covariances, without an n × n matrix and without cancellation.
//
// ‖BᵀB − YᵀY‖² = ‖BBᵀ‖² − 2‖BYᵀ‖² + ‖YYᵀ‖² loses half the digits when the two are close. Instead, with
// P = B + Y and M = B − Y (the shorter of the two padded by zero rows),
//   BᵀB − YᵀY = ½ (PᵀM + MᵀP),
// which is small because M is. A QR factorisation [Pᵀ Mᵀ] = Q [R_P R_M] then leaves a 2r × 2r matrix:
//   ‖BᵀB − YᵀY‖_F = ½ ‖R_P R_Mᵀ + R_M R_Pᵀ‖_F.
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "mno/law/covariance.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// ‖Γ₁ − Γ₂‖_F in O(n r²), for any two ranks.
template <class T, class U> double distance(const Covariance<T>& first, const Covariance<U>& second) {
  const Index n = first.size();
  require(second.size() == n, "distance", "second", Text("a covariance of the first's size, ", n),
          Text(second.size()));
  const Index b = first.factor().rows(), y = second.factor().rows(), r = std::max(b, y);
  Eigen::MatrixXd stacked = Eigen::MatrixXd::Zero(n, 2 * r);  // [Pᵀ Mᵀ]
  stacked.leftCols(b) = first.factor().transpose().template cast<double>();
  stacked.middleCols(r, b) = stacked.leftCols(b);
  stacked.leftCols(y) += second.factor().transpose().template cast<double>();
  stacked.middleCols(r, y) -= second.factor().transpose().template cast<double>();

  detail::triangularise(stacked, 2 * r);
  const Index rows = std::min(n, 2 * r);
  const Eigen::MatrixXd r_p = stacked.topLeftCorner(rows, r);
  const Eigen::MatrixXd r_m_transposed = stacked.topRightCorner(rows, r).transpose();
  const Eigen::MatrixXd product = r_p * r_m_transposed;
  return 0.5 * (product + product.transpose()).norm();
}

/// ‖Γ₁ − Γ₂‖_F / ‖Γ₂‖_F: the second covariance is the reference. Two zero covariances are at distance 0.
template <class T, class U>
double relative_distance(const Covariance<T>& first, const Covariance<U>& second) {
  const double d = distance(first, second), reference = second.frobenius_norm();
  if (reference > 0) return d / reference;
  return d > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace mno

#pragma once
// The Frobenius distance of two covariances of low rank and nugget, without an n × n matrix and without
// cancellation.
//
// ‖BᵀB − YᵀY‖² = ‖BBᵀ‖² − 2‖BYᵀ‖² + ‖YYᵀ‖² loses half the digits when the two are close. Instead, with
// P = B + Y and M = B − Y (the shorter of the two padded by zero rows) and δ = (η_B − η_Y)(η_B + η_Y),
//   Δ = Γ_B − Γ_Y = ½ (PᵀM + MᵀP) + diag δ,
// which is small because M and δ are. Entries are taken in blocks of 2r. The diagonal blocks of Δ are formed
// as they are, because a nugget may cancel a factor there. Beside a block stands the product of its rows of
// [Pᵀ Mᵀ] with all rows before, which are replaced by their QR factor [R_P R_M]:
//   ‖Δ‖_F² = Σ_blocks ‖½ (P_bᵀM_b + M_bᵀP_b) + diag δ_b‖² + 2 ‖½ (R_P M_b + R_M P_b)‖².
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mno/core/in_double.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/triangularise.hpp"

namespace mno {

/// ‖Γ₁ − Γ₂‖_F in O(n r²), for any two ranks.
template <class T, class U> double distance(const Covariance<T>& first, const Covariance<U>& second) {
  using Matrix = detail::MatrixIn<T>;
  using Values = detail::ArrayIn<T>;
  const Index n = first.size();
  require(second.size() == n, "distance", "second", Text("a covariance of the first's size, ", n),
          Text(second.size()));
  const Index b = first.factor().rows(), y = second.factor().rows(), r = std::max(b, y);
  Matrix stacked = Matrix::Zero(n, 2 * r);  // [Pᵀ Mᵀ]
  stacked.leftCols(b) = first.factor().transpose().template cast<double>();
  stacked.middleCols(r, b) = stacked.leftCols(b);
  stacked.leftCols(y) += second.factor().transpose().template cast<double>();
  stacked.middleCols(r, y) -= second.factor().transpose().template cast<double>();

  Values sum = Values::Zero(n), difference = sum;  // η₁ + η₂ and η₁ − η₂, up to signs
  if (first.has_nugget()) sum = difference = first.nugget().template cast<double>().cwiseAbs();
  if (second.has_nugget()) {
    const Values eta = second.nugget().template cast<double>().cwiseAbs();
    sum += eta;
    difference -= eta;
  }

  const Index block = std::min(n, 2 * r);
  Matrix before(0, 2 * r);  // the triangle of all rows before the block
  double square = 0;
  for (Index i = 0; i < n; i += block) {
    const Matrix rows = stacked.middleRows(i, std::min(block, n - i));
    const Matrix p = rows.leftCols(r), m_transposed = rows.rightCols(r).transpose();
    const Matrix product = p * m_transposed;
    Matrix within = 0.5 * (product + product.transpose());
    within.diagonal().array() += (sum * difference).segment(i, rows.rows());
    square += within.squaredNorm();
    if (before.rows() > 0) {
      const Matrix r_p = before.leftCols(r), r_m = before.rightCols(r), p_transposed = p.transpose();
      Matrix beside = r_p * m_transposed;
      beside += r_m * p_transposed;
      square += 0.5 * beside.squaredNorm();  // 2 ‖½ ·‖²
    }
    if (i + block < n) {
      Matrix all(before.rows() + rows.rows(), 2 * r);
      all << before, rows;
      detail::triangularise(all, 2 * r);
      before = all.topRows(std::min(all.rows(), 2 * r));
    }
  }
  return std::sqrt(square);
}

/// ‖Γ₁ − Γ₂‖_F / ‖Γ₂‖_F: the second covariance is the reference. Two zero covariances are at distance 0.
template <class T, class U>
double relative_distance(const Covariance<T>& first, const Covariance<U>& second) {
  const double d = distance(first, second), reference = second.frobenius_norm();
  if (reference > 0) return d / reference;
  return d > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace mno

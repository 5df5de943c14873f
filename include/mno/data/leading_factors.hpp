#pragma once
// The leading factors of an ensemble's covariance: Y (s × n) with YᵀY the best rank-s approximation of it.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "mno/core/field.hpp"

namespace mno {

/// Of a covariance itself, n × n: the rows √λ_j q_jᵀ of its s largest eigenvalues. Rows beyond n are zero.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> factors_of_covariance(
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& covariance, Index rank) {
  using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const Index entries = covariance.rows();
  Dense factors = Dense::Zero(rank, entries);
  const Eigen::SelfAdjointEigenSolver<Dense> solver(covariance);
  for (Index j = 0; j < std::min(rank, entries); ++j) {
    const Index i = entries - 1 - j;
    factors.row(j) =
        std::sqrt(std::max(T(0), solver.eigenvalues()[i])) * solver.eigenvectors().col(i).transpose();
  }
  return factors;
}

/// Of RᵀR, with rows R (row, entry): with R = P Σ Qᵀ, the rows σ_j q_jᵀ for the s largest σ_j. The small one
/// of the two Gram matrices is diagonalised. Rows beyond the rank of R are zero.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> factors_of_rows(
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& rows, Index rank) {
  using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const Index count = rows.rows(), entries = rows.cols();
  if (entries <= count) return factors_of_covariance<T>(rows.transpose() * rows, rank);
  Dense factors = Dense::Zero(rank, entries);
  const Eigen::SelfAdjointEigenSolver<Dense> solver(rows * rows.transpose());
  for (Index j = 0; j < std::min(rank, count); ++j)  // σ_j q_j = Rᵀ p_j
    factors.row(j) = solver.eigenvectors().col(count - 1 - j).transpose() * rows;
  return factors;
}

/// From members (member, entry): of the centred members over √(M−1).
/// A template so that programs that never ask for factors do not compile an eigenvalue solver.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> leading_factors(
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> members, Index rank) {
  const Index count = members.rows();
  require(count >= 2, "leading_factors", "members", Text("at least two members"), Text(count));
  require(rank >= 1, "leading_factors", "rank", Text("at least one factor"), Text(rank));
  members.rowwise() -= members.colwise().mean().eval();
  members /= std::sqrt(T(count - 1));
  return factors_of_rows<T>(members, rank);
}

}  // namespace mno

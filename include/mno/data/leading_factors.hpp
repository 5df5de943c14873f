#pragma once
// The leading factors of an ensemble's covariance: Y (s × n) with YᵀY the best rank-s approximation of it.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "mno/core/field.hpp"

namespace mno {

/// From members (member, entry): with centred members U/√(M−1) = P Σ Qᵀ, the rows σ_j q_jᵀ for the s largest
/// σ_j. The small one of the two Gram matrices is diagonalised. Rows beyond the ensemble's rank are zero.
/// A template so that programs that never ask for factors do not compile an eigenvalue solver.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> leading_factors(
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> members, Index rank) {
  using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const Index count = members.rows(), entries = members.cols();
  require(count >= 2, "leading_factors", "members", Text("at least two members"), Text(count));
  require(rank >= 1, "leading_factors", "rank", Text("at least one factor"), Text(rank));
  members.rowwise() -= members.colwise().mean().eval();
  members /= std::sqrt(T(count - 1));
  Dense factors = Dense::Zero(rank, entries);
  const Index kept = std::min({rank, count, entries});
  if (entries <= count) {
    const Eigen::SelfAdjointEigenSolver<Dense> solver(members.transpose() * members);
    for (Index j = 0; j < kept; ++j) {
      const Index i = entries - 1 - j;
      factors.row(j) =
          std::sqrt(std::max(T(0), solver.eigenvalues()[i])) * solver.eigenvectors().col(i).transpose();
    }
  } else {  // σ_j q_j = Uᵀ p_j
    const Eigen::SelfAdjointEigenSolver<Dense> solver(members * members.transpose());
    for (Index j = 0; j < kept; ++j)
      factors.row(j) = solver.eigenvectors().col(count - 1 - j).transpose() * members;
  }
  return factors;
}

}  // namespace mno

#pragma once
// The leading factors of an ensemble's covariance: Y (s × n) with YᵀY the best rank-s approximation of it.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mno/core/field.hpp"
#include "mno/core/symmetric_eigen.hpp"

namespace mno {

namespace detail {

/// The eigenvalues of Σ_k x_k x_kᵀ, of `count` vectors x_k of the same length, one behind the other.
template <class T> SymmetricEigen eigen_of_vectors(const T* vectors, Index length, Index count) {
  std::vector<double> sum(std::size_t(length * length), 0.0);
  for (Index k = 0; k < count; ++k) {
    const T* x = vectors + k * length;
    for (Index i = 0; i < length; ++i) {
      double* row = sum.data() + i * length;
      const double factor = double(x[i]);
      for (Index j = i; j < length; ++j) row[j] += factor * double(x[j]);
    }
  }
  for (Index i = 0; i < length; ++i)
    for (Index j = 0; j < i; ++j) sum[std::size_t(i * length + j)] = sum[std::size_t(j * length + i)];
  return symmetric_eigen<T>(std::move(sum), length);
}

/// The rows √λ_j q_jᵀ of the s largest eigenvalues.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> leading_rows(const SymmetricEigen& eigen, Index rank) {
  const Index entries = Index(eigen.values.size());
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> rows(rank, entries);
  std::fill_n(rows.data(), rows.size(), T(0));
  for (Index j = 0; j < std::min(rank, entries); ++j) {
    const Index i = entries - 1 - j;
    const double scale = std::sqrt(std::max(0.0, eigen.values[std::size_t(i)]));
    for (Index k = 0; k < entries; ++k) rows(j, k) = T(scale * eigen.vector(i)[std::size_t(k)]);
  }
  return rows;
}

}  // namespace detail

/// Of a covariance itself, n × n: the rows √λ_j q_jᵀ of its s largest eigenvalues. Rows beyond n are zero.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> factors_of_covariance(
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& covariance, Index rank) {
  const T* entries = covariance.data();
  return detail::leading_rows<T>(
      detail::symmetric_eigen<T>(std::vector<double>(entries, entries + covariance.size()),
                                 covariance.rows()),
      rank);
}

/// Of RᵀR, with rows R (row, entry): with R = P Σ Qᵀ, the rows σ_j q_jᵀ for the s largest σ_j. The smaller of
/// the two Gram matrices is diagonalised. Rows beyond the rank of R are zero.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> factors_of_rows(
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& rows, Index rank) {
  const Index count = rows.rows(), entries = rows.cols();
  if (entries <= count) {
    std::vector<T> by_row(std::size_t(count * entries));
    for (Index r = 0; r < count; ++r)
      for (Index k = 0; k < entries; ++k) by_row[std::size_t(r * entries + k)] = rows(r, k);
    return detail::leading_rows<T>(detail::eigen_of_vectors(by_row.data(), entries, count), rank);
  }
  const detail::SymmetricEigen eigen = detail::eigen_of_vectors(rows.data(), count, entries);
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> factors(rank, entries);
  for (Index k = 0; k < entries; ++k)
    for (Index j = 0; j < rank; ++j) {  // σ_j q_j = Rᵀ p_j
      double sum = 0;
      if (j < count)
        for (Index r = 0; r < count; ++r)
          sum += eigen.vector(count - 1 - j)[std::size_t(r)] * double(rows(r, k));
      factors(j, k) = T(sum);
    }
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
  for (Index k = 0; k < members.cols(); ++k) {
    double mean = 0;
    for (Index m = 0; m < count; ++m) mean += double(members(m, k)) / double(count);
    for (Index m = 0; m < count; ++m)
      members(m, k) = T((double(members(m, k)) - mean) / std::sqrt(double(count - 1)));
  }
  return factors_of_rows<T>(members, rank);
}

}  // namespace mno

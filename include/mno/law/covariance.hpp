#pragma once
// The covariance Γ = BᵀB of one sample as an operator: an r × n factor, never an n × n matrix unless asked.
//
// Γ is symmetric positive semidefinite with rank ≤ r whatever B holds, and B is determined by Γ only up to an
// orthogonal rotation of its rows.
#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "mno/law/law.hpp"

namespace mno {

template <class T> class Covariance {
 public:
  using Scalar = T;

  explicit Covariance(Eigen::MatrixX<T> factor) : factor_(std::move(factor)) {
    require(factor_.size() > 0, "Covariance", "factor", Text("at least one row and one column"),
            Text(factor_.rows(), "x", factor_.cols()));
  }

  Index size() const { return factor_.cols(); }
  Index rank_bound() const { return std::min(factor_.rows(), factor_.cols()); }
  const Eigen::MatrixX<T>& factor() const { return factor_; }  // B, r × n

  /// Γv = Bᵀ(Bv) in O(rn); v is a vector or a matrix of columns.
  template <class V>
  Eigen::Matrix<T, Eigen::Dynamic, V::ColsAtCompileTime> operator*(const Eigen::MatrixBase<V>& v) const {
    require(v.rows() == size(), "Covariance", "v", Text(size(), " rows"), Text(v.rows()));
    const Eigen::Matrix<T, Eigen::Dynamic, V::ColsAtCompileTime> projected = factor_ * v;
    return factor_.transpose() * projected;
  }

  /// Γ(i,j) = Σ_k B_k(i) B_k(j)
  T operator()(Index i, Index j) const {
    require(i >= 0 && i < size() && j >= 0 && j < size(), "Covariance", "i, j",
            Text("indices below ", size()), Text(i, ", ", j));
    return factor_.col(i).dot(factor_.col(j));
  }

  Eigen::VectorX<T> diagonal() const { return factor_.colwise().squaredNorm().transpose(); }

  /// tr Γ = ‖B‖_F²
  double trace() const { return factor_.template cast<double>().squaredNorm(); }

  /// ‖BᵀB‖_F = ‖BBᵀ‖_F, a sum of squares of an r × r matrix.
  double frobenius_norm() const {
    const Eigen::MatrixXd b = factor_.template cast<double>();
    return rows_are_fewer() ? (b * b.transpose()).norm() : (b.transpose() * b).norm();
  }

  /// The n × n matrix itself: for small grids. Symmetric to the last bit, which a matrix product alone is
  /// not.
  Eigen::MatrixX<T> dense() const {
    Eigen::MatrixX<T> gamma = factor_.transpose() * factor_;
    for (Index i = 1; i < size(); ++i) gamma.col(i).head(i) = gamma.row(i).head(i).transpose();
    return gamma;
  }

 private:
  bool rows_are_fewer() const { return factor_.rows() <= factor_.cols(); }

  Eigen::MatrixX<T> factor_;
};

/// Γ of one sample of a law.
template <class T, int D> Covariance<T> covariance(const Law<T, D>& law, Index sample) {
  return Covariance<T>(factor_matrix(law, sample));
}

/// Γ = BᵀB of any r × n matrix; for an ensemble, B holds (u^(j) − ū)/√(J−1) in its rows.
template <class M> Covariance<typename M::Scalar> covariance(const Eigen::MatrixBase<M>& factor) {
  return Covariance<typename M::Scalar>(factor);
}

}  // namespace mno

#pragma once
// The covariance Γ = BᵀB + diag(η²) of one sample as an operator: an r × n factor and n deviations, never an
// n × n matrix unless asked.
//
// Γ is symmetric positive semidefinite whatever B and η hold, BᵀB has rank ≤ r, and B is determined by BᵀB
// only up to an orthogonal rotation of its rows.
#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "mno/core/in_double.hpp"
#include "mno/law/moments.hpp"

namespace mno {

template <class T> class Covariance {
 public:
  using Scalar = T;

  explicit Covariance(Eigen::MatrixX<T> factor, Eigen::VectorX<T> nugget = {})
      : factor_(std::move(factor)), nugget_(std::move(nugget)) {
    require(factor_.size() > 0, "Covariance", "factor", Text("at least one row and one column"),
            Text(factor_.rows(), "x", factor_.cols()));
    require(nugget_.size() == 0 || nugget_.size() == size(), "Covariance", "nugget",
            Text("none, or the factor's ", size(), " entries"), Text(nugget_.size()));
  }

  Index size() const { return factor_.cols(); }
  Index rank_bound() const { return std::min(factor_.rows(), factor_.cols()); }  // of BᵀB
  const Eigen::MatrixX<T>& factor() const { return factor_; }                    // B, r × n
  const Eigen::VectorX<T>& nugget() const { return nugget_; }                    // η, or empty
  bool has_nugget() const { return nugget_.size() > 0; }

  /// Γv = Bᵀ(Bv) + η²∘v in O(rn); v is a vector or a matrix of columns.
  template <class V>
  Eigen::Matrix<T, Eigen::Dynamic, V::ColsAtCompileTime> operator*(const Eigen::MatrixBase<V>& v) const {
    require(v.rows() == size(), "Covariance", "v", Text(size(), " rows"), Text(v.rows()));
    using Result = Eigen::Matrix<T, Eigen::Dynamic, V::ColsAtCompileTime>;
    const Result projected = factor_ * v;
    Result product = factor_.transpose() * projected;
    if (has_nugget()) product += nugget_.cwiseAbs2().asDiagonal() * v;
    return product;
  }

  /// Γ(i,j) = Σ_k B_k(i) B_k(j) + δ_ij η(i)²
  T operator()(Index i, Index j) const {
    require(i >= 0 && i < size() && j >= 0 && j < size(), "Covariance", "i, j",
            Text("indices below ", size()), Text(i, ", ", j));
    const T low_rank = factor_.col(i).dot(factor_.col(j));
    return i == j && has_nugget() ? low_rank + nugget_[i] * nugget_[i] : low_rank;
  }

  Eigen::VectorX<T> diagonal() const {
    Eigen::VectorX<T> result = factor_.colwise().squaredNorm().transpose();
    if (has_nugget()) result += nugget_.cwiseAbs2();
    return result;
  }

  /// tr Γ = ‖B‖_F² + ‖η‖²
  double trace() const {
    return factor_.template cast<double>().squaredNorm() + nugget_.template cast<double>().squaredNorm();
  }

  /// ‖Γ‖_F² = ‖BBᵀ‖_F² + Σ_i η_i² (2 (BᵀB)_ii + η_i²): sums of squares, with an r × r matrix.
  double frobenius_norm() const {
    const detail::MatrixIn<T> b = factor_.template cast<double>();
    const double low_rank = rows_are_fewer() ? (b * b.transpose()).norm() : (b.transpose() * b).norm();
    if (!has_nugget()) return low_rank;
    const detail::ArrayIn<T> d = nugget_.template cast<double>().cwiseAbs2();
    const detail::ArrayIn<T> twice = 2 * b.colwise().squaredNorm().transpose();
    return std::sqrt(low_rank * low_rank + (d * (twice + d)).sum());
  }

  /// The n × n matrix itself: for small grids. Symmetric to the last bit, which a matrix product alone is
  /// not.
  Eigen::MatrixX<T> dense() const {
    Eigen::MatrixX<T> gamma = factor_.transpose() * factor_;
    for (Index i = 1; i < size(); ++i) gamma.col(i).head(i) = gamma.row(i).head(i).transpose();
    if (has_nugget()) gamma.diagonal() += nugget_.cwiseAbs2();
    return gamma;
  }

 private:
  bool rows_are_fewer() const { return factor_.rows() <= factor_.cols(); }

  Eigen::MatrixX<T> factor_;
  Eigen::VectorX<T> nugget_;
};

/// Γ of one sample of a law.
template <class T, int D, class R, class W>
Covariance<T> covariance(const Law<T, D, R, W>& law, Index sample) {
  static_assert(detail::MaybeUnwarped<W>,
                "mno: a covariance as an operator belongs to the law's own coordinates: take that of "
                "unwarped(law), or the one of samples");
  if constexpr (detail::MaybeUnwarped<W>) detail::require_unwarped("covariance", law.warp);
  Eigen::MatrixX<T> factor = factor_matrix(law, sample);
  if (!law.has_nugget()) return Covariance<T>(std::move(factor));
  return Covariance<T>(std::move(factor), flat(law.nugget, sample));
}

/// Γ = BᵀB of any r × n matrix; for an ensemble, B holds (u^(j) − ū)/√(J−1) in its rows.
template <class M> Covariance<typename M::Scalar> covariance(const Eigen::MatrixBase<M>& factor) {
  return Covariance<typename M::Scalar>(factor);
}

}  // namespace mno

#pragma once
// The law of u_t given u_0, as a model returns it: mean m and factor B, one pair per sample.
//
//   E[u] = m,   Cov[u] = Γ = BᵀB,   Var[u(c,x)] = Σ_k B_k(c,x)²,   u = m + Bᵀξ with E ξ = 0, Cov ξ = I_r.
//
// A sample's fields are flattened as they lie in memory, entry x·C + c of n = points·C, so B is r × n. The
// factor field holds B_k(c,x) in channel k·C + c (law/factor.hpp).
#include <Eigen/Core>
#include <utility>

#include "mno/core/error.hpp"
#include "mno/core/field.hpp"
#include "mno/law/factor.hpp"

namespace mno {

template <class T, int D> struct Law {
  using Scalar = T;
  static constexpr int dimension = D;

  Field<T, D> mean;    // (batch, grid…, C)
  Field<T, D> factor;  // (batch, grid…, r·C)
  Field<T, D> nugget{};

  Law() = default;
  Law(Field<T, D> m, Field<T, D> b, Field<T, D> eta) : Law(std::move(m), std::move(b)) {
    nugget = std::move(eta);
  }
  Law(Field<T, D> m, Field<T, D> b) : mean(std::move(m)), factor(std::move(b)) {
    require(mean.batch() >= 1, "Law", "mean", Text("at least one sample"), Text("an empty field"));
    require(factor.batch() == mean.batch(), "Law", "factor", Text("the mean's batch, ", mean.batch()),
            Text(factor.batch()));
    require(
        factor.grid() == mean.grid(), "Law", "factor",
        Text("the mean's grid, ", mean.grid().str(), ", and its domain"),
        Text(factor.grid().str(), factor.grid().points == mean.grid().points ? " on another domain" : ""));
    require(factor.channels() % mean.channels() == 0, "Law", "factor",
            Text("a multiple of the mean's ", mean.channels(), " channels"),
            Text(factor.channels(), " channels"));
  }

  Index batch() const { return mean.batch(); }
  Index points() const { return mean.points(); }
  Index channels() const { return mean.channels(); }
  Index size() const { return points() * channels(); }  // n, the length of one flattened sample
  Index rank() const { return channels() ? factor.channels() / channels() : 0; }
  const Grid<D>& grid() const { return mean.grid(); }
};

/// One sample of a field as a vector: entry x·C + c. No copy.
template <class T, int D> Eigen::Map<const Eigen::VectorX<T>> flat(const Field<T, D>& field, Index sample) {
  const Index n = field.points() * field.channels();
  return {field.data() + sample * n, n};
}
template <class T, int D> Eigen::Map<Eigen::VectorX<T>> flat(Field<T, D>& field, Index sample) {
  const Index n = field.points() * field.channels();
  return {field.data() + sample * n, n};
}

namespace detail {

template <class T> using RowMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// B(·, x·C … x·C + C): the r × C block of the factor that belongs to one point. No copy.
template <class T, int D>
Eigen::Map<const RowMatrix<T>> factor_at(const Law<T, D>& law, Index sample, Index point) {
  return {&law.factor(sample, point, 0), law.rank(), law.channels()};
}
template <class T, int D> Eigen::Map<RowMatrix<T>> factor_at(Law<T, D>& law, Index sample, Index point) {
  return {&law.factor(sample, point, 0), law.rank(), law.channels()};
}

template <class T, int D> void require_sample(const char* function, const Law<T, D>& law, Index sample) {
  require(sample >= 0 && sample < law.batch(), function, "sample",
          Text("an index below the law's batch, ", law.batch()), Text(sample));
}

}  // namespace detail

/// The factor B of one sample as a plain matrix, r × n.
template <class T, int D> Eigen::MatrixX<T> factor_matrix(const Law<T, D>& law, Index sample) {
  detail::require_sample("factor_matrix", law, sample);
  Eigen::MatrixX<T> b(law.rank(), law.size());
  for (Index x = 0; x < law.points(); ++x)
    b.middleCols(x * law.channels(), law.channels()) = detail::factor_at(law, sample, x);
  return b;
}

/// B v: a flattened field seen by the r factors. Sums run in double for every scalar.
template <class T, int D, class V>
Eigen::VectorXd factor_times(const Law<T, D>& law, Index sample, const Eigen::MatrixBase<V>& v) {
  detail::require_sample("factor_times", law, sample);
  require(v.size() == law.size(), "factor_times", "v", Text("points x channels = ", law.size(), " entries"),
          Text(v.size()));
  Eigen::VectorXd product = Eigen::VectorXd::Zero(law.rank());
  for (Index x = 0; x < law.points(); ++x)
    product += detail::factor_at(law, sample, x)
                   .template cast<double>()
                   .lazyProduct(v.segment(x * law.channels(), law.channels()).template cast<double>());
  return product;
}

/// Bᵀξ: the flattened field that coefficients ξ make of the factors.
template <class T, int D, class V>
Eigen::VectorX<T> factor_transpose_times(const Law<T, D>& law, Index sample, const Eigen::MatrixBase<V>& xi) {
  detail::require_sample("factor_transpose_times", law, sample);
  require(xi.size() == law.rank(), "factor_transpose_times", "xi", Text("rank = ", law.rank(), " entries"),
          Text(xi.size()));
  const Eigen::VectorX<T> coefficients = xi.template cast<T>();
  Eigen::VectorX<T> field(law.size());
  for (Index x = 0; x < law.points(); ++x)
    field.segment(x * law.channels(), law.channels()) =
        detail::factor_at(law, sample, x).transpose().lazyProduct(coefficients);
  return field;
}

/// Var[u(c,x)] = Σ_k B_k(c,x)², the diagonal of Γ.
template <class T, int D> Field<T, D> variance(const Law<T, D>& law) {
  Field<T, D> result(law.batch(), law.grid(), law.channels());
  for (Index s = 0; s < law.batch(); ++s)
    for (Index x = 0; x < law.points(); ++x)
      flat(result, s).segment(x * law.channels(), law.channels()) =
          detail::factor_at(law, s, x).colwise().squaredNorm();
  return result;
}

}  // namespace mno

#pragma once
// A control: a law around any mean whose covariance is that of the mean's residuals, the same for every
// condition.
//
//   e = u − m(u_0),   Γ = E e eᵀ over conditions and members,   BᵀB + diag(η²) in its place,
//
// B the r leading factors of Γ, and η² what they leave of its diagonal, which is never negative. Any operator
// that gives a mean has such a law (with one variance per channel: References::constant_variance). Its
// covariance does not depend on u_0 and t: a law that is not better has not learned where and when the spread
// is large.
//
//   metric::Residuals<float, 1> residuals(grid, channels);
//   residuals.add(prediction, sample, members);           // of every condition, in the law's coordinates
//   const auto known = residuals.covariance(16);
//   scorecard(known.around(means), test);
//
// A mean that was trained on few draws is nearer to these than to new ones. Then residual variances on other
// data, one per channel, set the size of Γ, and the training data sets its form.
#include <cmath>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/law.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

/// One covariance for all conditions.
template <class T, int D> struct FixedCovariance {
  Field<T, D> factor, nugget;  // (1, grid…, r·C), (1, grid…, C)

  /// Around these means: (batch, grid…, C).
  Law<T, D> around(const Field<T, D>& means) const {
    const auto repeated = [&](const Field<T, D>& one) {
      Field<T, D> all(means.batch(), one.grid(), one.channels());
      for (Index b = 0; b < means.batch(); ++b)
        std::copy_n(one.data(), one.size(), all.data() + b * Index(one.size()));
      return all;
    };
    return {means, repeated(factor), repeated(nugget)};
  }
};

template <class T, int D> class Residuals {
 public:
  Residuals(const Grid<D>& grid, Index channels) : grid_(grid), channels_(channels) {}

  /// One condition: a sample of predictions, and its members, (entry, member).
  void add(const Field<T, D>& means, Index sample, const Members& members) {
    const Index n = grid_.size() * channels_;
    require(
        means.grid() == grid_ && means.channels() == channels_ && members.rows() == n && members.cols() >= 1,
        "metric::Residuals", "members", Text("predictions and members of ", n, " entries"),
        Text(means.grid().size() * means.channels(), " and ", members.rows()));
    Matrix e = (members.colwise() - flat(means, sample).template cast<double>()).transpose() /
               std::sqrt(double(members.cols()));
    detail::require_finite("metric::Residuals", "members", e);
    ++conditions_;
    rows_ += e.rows();
    few_.push_back(std::move(e));
    if (rows_ <= n) return;  // as long as they take less room than Γ
    if (sum_.size() == 0) sum_ = Matrix::Zero(n, n);
    for (const Matrix& one : few_) sum_ += one.transpose() * one;
    few_.clear();
  }
  /// All conditions of data that keeps its members.
  void add(const Field<T, D>& means, const Ensemble<T, D>& data) {
    require(data.members.size() > 0, "metric::Residuals", "data",
            Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
            Text("statistics"));
    for (Index s = 0; s < data.size(); ++s) add(means, s, members(data.members_of(s)));
  }

  /// The leading factors and what they leave on the diagonal. `variance`, one per channel, sets the average
  /// of Γ's diagonal over points; none: as it is.
  FixedCovariance<T, D> covariance(Index rank, const std::vector<double>& variance = {}) const {
    require(conditions_ >= 1, "metric::Residuals", "covariance", Text("at least one condition before"),
            Text("none"));
    require(rank >= 1, "metric::Residuals", "rank", Text("at least one factor"), Text(rank));
    require(variance.empty() || Index(variance.size()) == channels_, "metric::Residuals", "variance",
            Text("none, or one per channel, ", channels_), Text(variance.size()));
    const Index n = grid_.size() * channels_;
    Matrix factors, all;
    if (sum_.size() > 0) {
      factors = factors_of_covariance<double>(sum_ / double(conditions_), rank);
    } else {
      all = Matrix(rows_, n);
      Index at = 0;
      for (const Matrix& one : few_) {
        all.middleRows(at, one.rows()) = one / std::sqrt(double(conditions_));
        at += one.rows();
      }
      factors = factors_of_rows<double>(all, rank);
    }
    std::vector<double> diagonal(std::size_t(n), 0.0), scale(std::size_t(channels_), 1.0);
    for (Index i = 0; i < n; ++i)
      diagonal[std::size_t(i)] =
          sum_.size() > 0 ? sum_(i, i) / double(conditions_) : all.col(i).squaredNorm();
    for (Index c = 0; c < Index(variance.size()); ++c) {
      double own = 0;
      for (Index i = c; i < n; i += channels_) own += diagonal[std::size_t(i)] / double(grid_.size());
      if (own > 0) scale[std::size_t(c)] = std::sqrt(variance[std::size_t(c)] / own);
    }
    FixedCovariance<T, D> result{Field<T, D>(1, grid_, rank * channels_), Field<T, D>(1, grid_, channels_)};
    for (Index p = 0; p < grid_.size(); ++p)
      for (Index c = 0; c < channels_; ++c) {
        const Index i = p * channels_ + c;
        const double size = scale[std::size_t(c)];
        double rest = diagonal[std::size_t(i)];
        for (Index k = 0; k < rank; ++k) {
          result.factor(0, p, mno::detail::factor_channel(k, c, channels_)) = T(size * factors(k, i));
          rest -= factors(k, i) * factors(k, i);
        }
        result.nugget(0, p, c) = T(size * std::sqrt(std::max(0.0, rest)));  // below 0 by rounding alone
      }
    return result;
  }

 private:
  using Matrix = mno::detail::MatrixIn<T>;
  Grid<D> grid_;
  Index channels_, conditions_ = 0, rows_ = 0;
  std::vector<Matrix> few_{};  // (member, entry), each row over √M; until there are more rows than entries
  Matrix sum_{};               // then Σ_conditions mean_members e eᵀ
};

}  // namespace mno::metric

#pragma once
// The law that a deterministic operator gets for nothing: its field is the mean, and what it left unexplained
// on data is the covariance, the same for every u_0.
//
//   S = E e eᵀ,  e = u − m(u_0, t),    S ≈ BᵀB + diag(η²)
//
// B has the r leading eigenvectors of S, and η² what they leave of its diagonal, so every point keeps its
// variance, E e². A law that knows nothing of where and for which u_0 the spread is large, but all of what
// can be known without: a model of the spread has to be better than this.
//
//   baseline::Residuals<float, 1> residuals(grid, channels);
//   residuals.add(field, sample, members);                      // for every condition
//   const auto spread = residuals.covariance(16);
//   const Law<float, 1> law = spread.around(fields);
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mno/core/in_double.hpp"
#include "mno/law/law.hpp"
#include "mno/metric/moments.hpp"

namespace mno::baseline {

template <class T, int D> struct ResidualCovariance {
  Field<T, D> factor, nugget;  // (1, grid…, r·C), (1, grid…, C)

  /// The law around these fields, on the grid of the residuals: (batch, grid…, C).
  Law<T, D> around(Field<T, D> means) const {
    require(means.grid() == nugget.grid() && means.channels() == nugget.channels(),
            "baseline::ResidualCovariance", "means",
            Text(nugget.channels(), " channel(s) on ", nugget.grid().str()),
            Text(means.channels(), " on ", means.grid().str()));
    const Index batch = means.batch();
    return {std::move(means), for_all(factor, batch), for_all(nugget, batch)};
  }
  /// Every variance of channel c times scale[c]: where residuals were those of data that had been trained on.
  void widen(std::span<const double> scale) {
    const Index channels = nugget.channels();
    require(Index(scale.size()) == channels, "baseline::ResidualCovariance", "scale",
            Text("one for each of ", channels, " channel(s)"), Text(scale.size()));
    for (Field<T, D>* field : {&factor, &nugget})
      for (std::size_t i = 0; i < field->size(); ++i)
        field->data()[i] *= T(std::sqrt(scale[i % std::size_t(channels)]));
  }

 private:
  static Field<T, D> for_all(const Field<T, D>& one, Index batch) {
    Field<T, D> all(batch, one.grid(), one.channels());
    for (Index b = 0; b < batch; ++b) std::copy_n(one.data(), one.size(), all.data() + b * Index(one.size()));
    return all;
  }
};

/// Residuals as they come: their second moments, n × n for n = points·C entries.
template <class T, int D> class Residuals {
 public:
  Residuals(const Grid<D>& grid, Index channels)
      : grid_(grid), channels_(channels), sum_(Matrix::Zero(entries(), entries())) {}

  /// One condition: a sample of a prediction, and the members (entry, member) that were measured.
  void add(const Field<T, D>& prediction, Index sample, const metric::Members& members) {
    require(prediction.grid() == grid_ && prediction.channels() == channels_, "baseline::Residuals",
            "prediction", Text(channels_, " channel(s) on ", grid_.str()),
            Text(prediction.channels(), " on ", prediction.grid().str()));
    metric::detail::require_entries("baseline::Residuals", "members", entries(), members.rows());
    Matrix residuals = members;
    residuals.colwise() -= flat(prediction, sample).template cast<double>().eval();
    sum_.noalias() += residuals * residuals.transpose();
    count_ += members.cols();
  }

  /// E e² of every channel, over points.
  std::vector<double> variance() const {
    require_some();
    std::vector<double> result(std::size_t(channels_), 0.0);
    for (Index i = 0; i < entries(); ++i)
      result[std::size_t(i % channels_)] += sum_(i, i) / double(count_ * grid_.size());
    return result;
  }
  ResidualCovariance<T, D> covariance(Index rank) const {
    require_some();
    require(rank >= 1, "baseline::Residuals", "rank", Text("at least one factor"), Text(rank));
    const Matrix moments = sum_ / double(count_);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(moments);
    ResidualCovariance<T, D> result{Field<T, D>(1, grid_, rank * channels_),
                                    Field<T, D>(1, grid_, channels_)};
    for (Index i = 0; i < entries(); ++i) {
      const Index point = i / channels_, c = i % channels_;
      double rest = moments(i, i);
      for (Index k = 0; k < std::min(rank, entries()); ++k) {
        const Index at = entries() - 1 - k;  // the largest is the last
        const double b = std::sqrt(std::max(0.0, solver.eigenvalues()[at])) * solver.eigenvectors()(i, at);
        result.factor(0, point, mno::detail::factor_channel(k, c, channels_)) = T(b);
        rest -= b * b;
      }
      // Where the factors explain all, rounding is left, and a law without a nugget would have no density.
      result.nugget(0, point, c) = T(std::sqrt(std::max(rest, 1e-6 * moments(i, i))));
    }
    return result;
  }

 private:
  using Matrix = mno::detail::MatrixIn<T>;

  Index entries() const { return grid_.size() * channels_; }
  void require_some() const {
    require(count_ >= 1, "baseline::Residuals", "add", Text("at least one condition"), Text("none"));
  }

  Grid<D> grid_;
  Index channels_, count_ = 0;
  Matrix sum_;
};

}  // namespace mno::baseline

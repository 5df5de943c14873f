#pragma once
// Root mean squared errors of the first two moments, over conditions and entries:
//
//   mean RMSE = √ avg (m − ū)²,   variance RMSE = √ avg (v − s²)²
//
// Both need ensembles: one draw has no s², and its noise would be counted as an error of the mean.
#include <cmath>

#include "mno/metric/moments.hpp"

namespace mno::metric {

namespace detail {
inline double squared_distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}
}  // namespace detail

class MeanRmse {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::MeanRmse", "truth", model.size(), truth.size());
    squares_.add(detail::squared_distance(model.mean, truth.mean), model.size());
  }
  double value() const { return std::sqrt(squares_.value("metric::MeanRmse")); }
  const detail::Average& average() const { return squares_; }

 private:
  detail::Average squares_;
};

class VarianceRmse {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::VarianceRmse", "truth", model.size(), truth.size());
    squares_.add(detail::squared_distance(model.variance, truth.variance), model.size());
  }
  double value() const { return std::sqrt(squares_.value("metric::VarianceRmse")); }
  const detail::Average& average() const { return squares_; }

 private:
  detail::Average squares_;
};

}  // namespace mno::metric

#pragma once
// Root mean squared errors of the first two moments, over conditions and entries:
//
//   mean RMSE = √ avg (m − ū)²,   variance RMSE = √ avg (v − s²)²
//
// Both need ensembles: one draw has no s², and its noise would be counted as an error of the mean.
#include <cmath>

#include "mno/metric/moments.hpp"

namespace mno::metric {

class MeanRmse {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::MeanRmse", "truth", model.size(), truth.size());
    squares_.add((model.mean - truth.mean).squaredNorm(), model.size());
  }
  double value() const { return std::sqrt(squares_.value("metric::MeanRmse")); }

 private:
  detail::Average squares_;
};

class VarianceRmse {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::VarianceRmse", "truth", model.size(), truth.size());
    squares_.add((model.variance - truth.variance).squaredNorm(), model.size());
  }
  double value() const { return std::sqrt(squares_.value("metric::VarianceRmse")); }

 private:
  detail::Average squares_;
};

}  // namespace mno::metric

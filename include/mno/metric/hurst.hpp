#pragma once
// The Hurst exponent of paths by their structure function,
//
//   S_q(h) = avg_t |X(t+h) − X(t)|^q ∝ h^{qH},
//
// as the least-squares slope of log S_q over log h, divided by q. Averages run over all paths before the
// logarithm is taken, which keeps its bias small. Fractional Brownian motion has the law exactly at every
// lag.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "mno/metric/moments.hpp"

namespace mno::metric {

class Hurst {
 public:
  explicit Hurst(std::vector<Index> lags = {1, 2, 4, 8}, double order = 2)
      : lags_(std::move(lags)), order_(order), structure_(lags_.size()) {
    require(order > 0 && std::isfinite(order), "metric::Hurst", "order", Text("a positive number"),
            Text(order));
    require(lags_.size() >= 2, "metric::Hurst", "lags", Text("at least two, for a slope"),
            Text(lags_.size()));
    for (std::size_t l = 0; l < lags_.size(); ++l)
      require(lags_[l] > (l ? lags_[l - 1] : 0), "metric::Hurst", "lags",
              Text("positive steps that increase"), Text(lags_[l]));
  }

  /// One path at equal steps of time.
  template <class T> void add(std::span<const T> path) {
    const Index n = Index(path.size());
    require(n > lags_.back(), "metric::Hurst", "path",
            Text("more points than the largest lag, ", lags_.back()), Text(n));
    for (std::size_t l = 0; l < lags_.size(); ++l)
      for (Index t = 0; t + lags_[l] < n; ++t) {
        const double step = double(path[std::size_t(t + lags_[l])]) - double(path[std::size_t(t)]);
        structure_[l].add(std::pow(std::abs(step), order_));
      }
  }

  double value() const {
    const double count = double(lags_.size());
    double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
    std::vector<double> x, y;
    for (std::size_t l = 0; l < lags_.size(); ++l) {
      const double s = structure_[l].value("metric::Hurst");
      require(s > 0 && std::isfinite(s), "metric::Hurst", "path", Text("paths that move, by finite steps"),
              Text("a structure function of ", s));
      x.push_back(std::log(double(lags_[l])));
      y.push_back(std::log(s));
      x_mean += x.back() / count;
      y_mean += y.back() / count;
    }
    for (std::size_t l = 0; l < lags_.size(); ++l) {
      xx += (x[l] - x_mean) * (x[l] - x_mean);
      xy += (x[l] - x_mean) * (y[l] - y_mean);
    }
    return xy / xx / order_;
  }

 private:
  std::vector<Index> lags_;
  double order_;
  std::vector<detail::Average> structure_;
};

}  // namespace mno::metric

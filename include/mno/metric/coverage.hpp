#pragma once
// Which part of the members lies inside the law's central intervals:
//
//   m + σ q((1−p)/2) ≤ u ≤ m + σ q((1+p)/2),   q the quantile of the residual law's standardised marginal
//
// A calibrated law covers the fraction p of them at every level p.
#include <cmath>
#include <utility>
#include <vector>

#include "mno/law/marginal.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

template <class R = Gaussian> class Coverage {
 public:
  explicit Coverage(std::vector<double> levels = {0.5, 0.8, 0.9, 0.95}, const R& residual = {})
      : levels_(std::move(levels)) {
    require(!levels_.empty(), "metric::Coverage", "levels", Text("at least one level"), Text("none"));
    const Marginal<R> standard{0, 1, residual};
    for (const double p : levels_) {
      require(p > 0 && p < 1, "metric::Coverage", "levels", Text("probabilities strictly between 0 and 1"),
              Text(p));
      lower_.push_back(standard.quantile((1 - p) / 2));
      upper_.push_back(standard.quantile((1 + p) / 2));
    }
  }

  void add(const Moments& model, const Members& members) {
    detail::require_entries("metric::Coverage", "members", model.size(), members.rows());
    std::vector<double> inside(levels_.size(), 0.0);
    for (Index i = 0; i < model.size(); ++i) {
      const double mean = model.mean[i], sd = std::sqrt(model.variance[i]);
      for (std::size_t l = 0; l < levels_.size(); ++l) {
        const double from = mean + sd * lower_[l], to = mean + sd * upper_[l];
        for (Index j = 0; j < members.cols(); ++j)
          inside[l] += members(i, j) >= from && members(i, j) <= to ? 1 : 0;
      }
    }
    for (double& count : inside) count /= double(members.size());
    conditions_.push_back(std::move(inside));
  }

  const std::vector<double>& levels() const { return levels_; }
  /// One fraction per level, for every condition that was added.
  const std::vector<std::vector<double>>& per_condition() const { return conditions_; }
  /// One fraction per level, every condition with the same weight.
  std::vector<double> value() const {
    std::vector<double> result;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      detail::Average fraction;
      for (const auto& condition : conditions_) fraction.add(condition[l]);
      result.push_back(fraction.value("metric::Coverage"));
    }
    return result;
  }

 private:
  std::vector<double> levels_, lower_, upper_;
  std::vector<std::vector<double>> conditions_;
};

}  // namespace mno::metric

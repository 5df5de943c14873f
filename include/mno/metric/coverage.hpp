#pragma once
// Which part of the members lies inside the law's central intervals:
//
//   w(m + σ q((1−p)/2)) ≤ u ≤ w(m + σ q((1+p)/2)),   q the quantile of the residual law's standardised
//   marginal, w the warp
//
// A calibrated law covers the fraction p of them at every level p.
#include <cmath>
#include <utility>
#include <vector>

#include "mno/law/marginal.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

class Coverage {
 public:
  explicit Coverage(std::vector<double> levels = {0.5, 0.8, 0.9, 0.95}) : levels_(std::move(levels)) {
    require(!levels_.empty(), "metric::Coverage", "levels", Text("at least one level"), Text("none"));
    for (const double p : levels_)
      require(p > 0 && p < 1, "metric::Coverage", "levels", Text("probabilities strictly between 0 and 1"),
              Text(p));
  }

  /// The marginals of one sample of a law.
  template <class T, int D, class R, class W>
  void add(const Law<T, D, R, W>& law, Index sample, const Members& members) {
    add(
        law.size(), [&](Index i) { return marginal(law, sample, i / law.channels(), i % law.channels()); },
        law.residual, members);
  }
  /// Gaussian marginals with these moments.
  void add(const Moments& model, const Members& members) {
    add(
        model.size(),
        [&](Index i) {
          return Marginal<>{model.mean[i], std::sqrt(model.variance[i])};
        },
        Gaussian{}, members);
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
  template <class MarginalOf, class R>
  void add(Index entries, const MarginalOf& marginal_of, const R& residual, const Members& members) {
    detail::require_entries("metric::Coverage", "members", entries, members.rows());
    std::vector<double> inside(levels_.size(), 0.0), lower, upper;
    for (const double p : levels_) {
      const Marginal<R> standard{0, 1, residual};
      lower.push_back(standard.quantile((1 - p) / 2));
      upper.push_back(standard.quantile((1 + p) / 2));
    }
    for (Index i = 0; i < entries; ++i) {
      const auto u = marginal_of(i);
      for (std::size_t l = 0; l < levels_.size(); ++l) {
        const double from = u.warp.map(u.mean + u.sd * lower[l], u.channel),
                     to = u.warp.map(u.mean + u.sd * upper[l], u.channel);
        for (Index j = 0; j < members.cols(); ++j)
          inside[l] += members(i, j) >= from && members(i, j) <= to ? 1 : 0;
      }
    }
    for (double& count : inside) count /= double(members.size());
    conditions_.push_back(std::move(inside));
  }

  std::vector<double> levels_;
  std::vector<std::vector<double>> conditions_;
};

}  // namespace mno::metric

#pragma once
// Which part of the members lies inside the law's central intervals:
//
//   w(m + σ q((1−p)/2)) ≤ u ≤ w(m + σ q((1+p)/2)),
//
// with q the quantile of the residual law's standardised marginal, and w the warp. A calibrated law covers
// the fraction p of the members at every level p.
//
// For S draws the interval lies between their order statistics x_(a) and x_(S+1−a), a = (S + 1)(1 − p)/2.
// Among S + 1 fields of one law all ranks are equally likely, so a share p of the members lies there, exactly
// if a is an integer; otherwise order statistics are interpolated. A level needs a ≥ 1, which is
// S ≥ 2/(1 − p) − 1 draws.
#include <algorithm>
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
      if (mno::detail::leans(residual))  // other quantiles at every entry
        for (std::size_t l = 0; l < levels_.size(); ++l) {
          lower[l] = u.residual.quantile((1 - levels_[l]) / 2);
          upper[l] = u.residual.quantile((1 + levels_[l]) / 2);
        }
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

/// By draws; levels that they are too few for are left out.
class SampleCoverage {
 public:
  explicit SampleCoverage(std::vector<double> levels = {0.5, 0.8, 0.9, 0.95}) {
    for (const double p : levels) {
      require(p > 0 && p < 1, "metric::SampleCoverage", "levels",
              Text("probabilities strictly between 0 and 1"), Text(p));
      all_.push_back({p, {}, true});
    }
  }

  void add(const Members& draws, const Members& members) {
    detail::require_entries("metric::SampleCoverage", "members", draws.rows(), members.rows());
    detail::require_finite("metric::SampleCoverage", "draws", draws);
    const double s = double(draws.cols());
    std::vector<double> sorted(std::size_t(draws.cols()));
    const auto at = [&](double rank) {  // from 1 to S
      const double below = std::floor(rank);
      const auto i = std::size_t(below) - 1;
      return rank == below ? sorted[i] : sorted[i] + (rank - below) * (sorted[i + 1] - sorted[i]);
    };
    std::vector<double> inside(all_.size(), 0.0);
    for (Index entry = 0; entry < draws.rows(); ++entry) {
      for (Index j = 0; j < draws.cols(); ++j) sorted[std::size_t(j)] = draws(entry, j);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t l = 0; l < all_.size(); ++l) {
        const double a = std::nearbyint(1e9 * (s + 1) * (1 - all_[l].level) / 2) / 1e9;
        all_[l].enough = all_[l].enough && a >= 1;
        if (!all_[l].enough) continue;
        const double from = at(a), to = at(s + 1 - a);
        for (Index j = 0; j < members.cols(); ++j)
          inside[l] += members(entry, j) >= from && members(entry, j) <= to ? 1 : 0;
      }
    }
    for (std::size_t l = 0; l < all_.size(); ++l) all_[l].fraction.add(inside[l] / double(members.size()));
  }

  struct Level {
    double level;
    detail::Average fraction;
    bool enough;  // draws
  };
  /// Levels with their fractions, every condition with the same weight.
  std::vector<std::pair<double, double>> value() const {
    std::vector<std::pair<double, double>> result;
    for (const Level& l : all_)
      if (l.enough) result.emplace_back(l.level, l.fraction.value("metric::SampleCoverage"));
    return result;
  }

 private:
  std::vector<Level> all_;
};

}  // namespace mno::metric

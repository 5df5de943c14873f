#pragma once
// Bands with guaranteed coverage, from calibration conditions that the model was not trained on.
//
// Split conformal, with an initial condition as the unit that is exchangeable (its members and points are not
// independent): the score of a condition is the smallest multiplier λ whose band m ± λσ covers the wanted
// fraction of its members and points,
//   s_i = the ⌈level·N⌉-th smallest of |u − m|/σ over the N members and entries of condition i,
// and the factor is the ⌈(n+1)(1−α)⌉-th smallest of n scores. Then, whatever the model and the data,
//   P(the band of a new condition, λ = factor, covers at least `level` of it) ≥ 1 − α,
// and the probability is below 1 − α + 1/(n+1) where scores are continuous. With n < (1−α)/α no finite factor
// can guarantee that, and it is infinite.
//   V. Vovk, A. Gammerman, G. Shafer, "Algorithmic learning in a random world", 2005.
//
// Inflation instead adds the error of the mean to v, v + avg (m − E u)²: the law is then wide enough for its
// own error, without a guarantee. The ensemble's mean has an error too, so s²/M is subtracted from each
// square.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "mno/metric/moments.hpp"

namespace mno::metric {

namespace detail {
/// ⌈p·n⌉, at least 1. Rounding may put 0.9·20 just above 18, which must not give 19.
inline Index rank_of(double p, Index n) {
  return std::max(Index(1), Index(std::ceil(p * double(n) * (1 - 1e-14))));
}
}  // namespace detail

/// The smallest λ with which m ± λσ covers `level` of the members and entries of one condition.
template <class = void> double band_score(const Moments& model, const Members& members, double level) {
  detail::require_entries("metric::band_score", "members", model.size(), members.rows());
  detail::require_finite("metric::band_score", "members", members);
  require(level > 0 && level <= 1, "metric::band_score", "level", Text("a fraction above 0, at most 1"),
          Text(level));
  std::vector<double> ratios;
  ratios.reserve(std::size_t(members.size()));
  for (Index j = 0; j < members.cols(); ++j)
    for (Index i = 0; i < members.rows(); ++i) {
      const double error = std::abs(members(i, j) - model.mean[i]);
      ratios.push_back(error > 0 ? error / std::sqrt(model.variance[i]) : 0);
    }
  const auto wanted = ratios.begin() + detail::rank_of(level, members.size()) - 1;
  std::nth_element(ratios.begin(), wanted, ratios.end());
  return *wanted;
}

/// The ⌈(n+1)·confidence⌉-th smallest score; confidence is 1 − α.
inline double conformal_factor(std::span<const double> scores, double confidence) {
  require(!scores.empty(), "metric::conformal_factor", "scores", Text("at least one condition"),
          Text("none"));
  require(confidence > 0 && confidence < 1, "metric::conformal_factor", "confidence",
          Text("a probability strictly between 0 and 1"), Text(confidence));
  for (const double s : scores)
    require(s >= 0, "metric::conformal_factor", "scores", Text("numbers that are not negative"), Text(s));
  const Index n = Index(scores.size()), rank = detail::rank_of(confidence, n + 1);
  if (rank > n) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[std::size_t(rank - 1)];
}

/// σ → λσ of every entry and sample: the law whose intervals are λ times as wide, below its warp.
template <class T, int D, class R, class W> Law<T, D, R, W> widened(Law<T, D, R, W> law, double lambda) {
  require(lambda >= 0 && std::isfinite(lambda), "metric::widened", "lambda",
          Text("a finite factor that is not negative"), Text(lambda));
  for (T& b : law.factor.span()) b = T(double(b) * lambda);
  for (T& eta : law.nugget.span()) eta = T(double(eta) * lambda);
  return law;
}
inline Moments widened(Moments model, double lambda) {
  require(lambda >= 0 && std::isfinite(lambda), "metric::widened", "lambda",
          Text("a finite factor that is not negative"), Text(lambda));
  model.variance *= lambda * lambda;
  return model;
}

/// avg (m − E u)² over calibration conditions, per entry or per channel.
class MeanErrorInflation {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::MeanErrorInflation", "truth", model.size(), truth.size());
    if (count_ == 0) squares_ = Eigen::VectorXd::Zero(model.size());
    detail::require_entries("metric::MeanErrorInflation", "model", squares_.size(), model.size());
    for (Index i = 0; i < model.size(); ++i) {
      const double error = model.mean[i] - truth.mean[i];
      squares_[i] += error * error - (truth.count > 0 ? truth.variance[i] / double(truth.count) : 0);
    }
    ++count_;
  }
  Eigen::VectorXd per_entry() const { return per_channel(squares_.size()); }
  /// Averaged over points too: less noise, and good for any grid.
  Eigen::VectorXd per_channel(Index channels) const {
    require(count_ >= 1, "metric::MeanErrorInflation", "add", Text("at least one condition"), Text("none"));
    const Index entries = squares_.size();
    require(channels >= 1 && entries % channels == 0, "metric::MeanErrorInflation", "channels",
            Text("a divisor of ", entries, " entries"), Text(channels));
    Eigen::VectorXd result(channels);
    for (Index c = 0; c < channels; ++c) {
      double sum = 0;
      for (Index i = c; i < entries; i += channels) sum += squares_[i];
      result[c] = std::max(0.0, sum * double(channels) / (double(entries) * double(count_)));
    }
    return result;
  }

 private:
  Eigen::VectorXd squares_;
  Index count_ = 0;
};

/// v + extra, with extra per entry or per channel.
inline Moments inflated(Moments model, const Eigen::VectorXd& extra) {
  require(extra.size() >= 1 && model.size() % extra.size() == 0, "metric::inflated", "extra",
          Text("one value per entry (", model.size(), ") or per channel"), Text(extra.size()));
  for (Index i = 0; i < model.size(); ++i) model.variance[i] += extra[i % extra.size()];
  return model;
}

}  // namespace mno::metric

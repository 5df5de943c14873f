#pragma once
// The continuous ranked probability score of the marginals against each member, averaged over entries and
// members, then over conditions. In units of u; smaller is better; the truth itself has the smallest
// expectation, for any number of members from one up.
//
//   CRPS(F, u) = E|X − u| − ½ E|X − X'|,   X, X' ~ F independent
//     Gaussian, point mass: closed form, law/crps.hpp; other laws: law/marginal_crps.hpp
//     K draws:    (1/K) Σ_i |x_i − u| − 1/(K(K−1)) Σ_{i<j} |x_i − x_j|, without bias in K
//   T. Gneiting, A. E. Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/law/crps.hpp"
#include "mno/law/marginal_crps.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

/// The marginals of a law; or Gaussian ones with these moments, in closed form.
class Crps {
 public:
  template <class T, int D, class R, class W>
  void add(const Law<T, D, R, W>& law, Index sample, const Members& members) {
    if constexpr (std::is_same_v<R, Gaussian> && std::is_same_v<W, Unwarped>) {
      add(moments(law, sample), members);
    } else {
      detail::require_entries("metric::Crps", "members", law.size(), members.rows());
      double sum = 0;
      for (Index i = 0; i < law.size(); ++i) {
        const auto of_entry = marginal(law, sample, i / law.channels(), i % law.channels());
        for (Index j = 0; j < members.cols(); ++j) sum += crps(of_entry, members(i, j));
      }
      add_condition(sum / double(members.size()));
    }
  }
  void add(const Moments& model, const Members& members) {
    detail::require_entries("metric::Crps", "members", model.size(), members.rows());
    double sum = 0;
    for (Index i = 0; i < model.size(); ++i) {
      const double sd = std::sqrt(model.variance[i]);
      for (Index j = 0; j < members.cols(); ++j) sum += gaussian_crps(model.mean[i], sd, members(i, j)).value;
    }
    add_condition(sum / double(members.size()));
  }
  double value() const { return scores_.value("metric::Crps"); }
  /// One score for every condition that was added.
  const std::vector<double>& per_condition() const { return conditions_; }

 private:
  void add_condition(double score) {
    scores_.add(score);
    conditions_.push_back(score);
  }
  detail::Average scores_;
  std::vector<double> conditions_;
};

/// Any law that can be sampled, by draws from it.
class SampleCrps {
 public:
  void add(const Members& draws, const Members& members) {
    detail::require_entries("metric::SampleCrps", "members", draws.rows(), members.rows());
    require(draws.cols() >= 2, "metric::SampleCrps", "draws", Text("at least two, for their own spread"),
            Text(draws.cols()));
    detail::require_finite("metric::SampleCrps", "draws", draws);
    detail::require_finite("metric::SampleCrps", "members", members);
    double sum = 0;
    for (Index i = 0; i < draws.rows(); ++i) sum += of_entry(draws, members, i);
    conditions_.push_back(sum / double(members.size()));
    scores_.add(conditions_.back());
  }
  double value() const { return scores_.value("metric::SampleCrps"); }
  /// One score for every condition that was added.
  const std::vector<double>& per_condition() const { return conditions_; }

 private:
  /// With the draws sorted, Σ_{i<j} |x_i − x_j| = Σ_i (2i − K + 1) x_i (i from 0), and Σ_i |x_i − u| needs
  /// only how many draws are below u and their sum. Draws are taken relative to the smallest, so that an
  /// offset costs no digits.
  double of_entry(const Members& draws, const Members& members, Index entry) {
    const Index k = draws.cols();
    sorted_.resize(std::size_t(k));
    below_.resize(std::size_t(k) + 1);
    for (Index j = 0; j < k; ++j) sorted_[std::size_t(j)] = draws(entry, j);
    std::sort(sorted_.begin(), sorted_.end());
    const double origin = sorted_[0];
    double pairs = 0;
    below_[0] = 0;
    for (Index j = 0; j < k; ++j) {
      const double x = sorted_[std::size_t(j)] -= origin;
      pairs += double(2 * j - k + 1) * x;
      below_[std::size_t(j) + 1] = below_[std::size_t(j)] + x;
    }
    const double count = double(k), spread = pairs / (count * (count - 1)), total = below_[std::size_t(k)];
    double sum = 0;
    for (Index j = 0; j < members.cols(); ++j) {
      const double u = members(entry, j) - origin;
      const auto lower = std::size_t(std::lower_bound(sorted_.begin(), sorted_.end(), u) - sorted_.begin());
      const double distance = u * (2 * double(lower) - count) + total - 2 * below_[lower];
      sum += distance / count - spread;
    }
    return sum;
  }
  std::vector<double> sorted_, below_, conditions_;
  detail::Average scores_;
};

}  // namespace mno::metric

#pragma once
// The 2-Wasserstein distance of the marginals, averaged over conditions and entries.
//
//   W2s: of samples, √∫₀¹ (F⁻¹(p) − G⁻¹(p))² dp with the empirical quantile functions: for equal counts the
//        root mean square of sorted draws minus sorted members
//   W2g: of the Gaussians with the same moments, √((m − ū)² + (√v − s)²); a point mass has v = 0
//
// Both need ensembles, as they compare distributions: single draws are scored by CRPS, energy score and log
// score. W2s between two ensembles of the same law is not zero (see floor.hpp), W2g nearly is. A single draw
// is a point mass for W2s: √((m − ū)² + s²(M−1)/M).
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mno/metric/moments.hpp"

namespace mno::metric {

/// Of two sorted samples of any sizes. Both quantile functions are steps, at multiples of 1/K and of 1/M, so
/// the integral is a sum over the steps of both, counted in units of 1/(KM).
inline double wasserstein_sorted(std::span<const double> draws, std::span<const double> members) {
  const std::size_t k = draws.size(), m = members.size();
  require(k >= 1 && m >= 1, "metric::wasserstein_sorted", "draws, members", Text("at least one of each"),
          Text(k, " and ", m));
  double sum = 0;
  for (std::size_t i = 0, j = 0, at = 0; i < k && j < m;) {
    const std::size_t next_i = (i + 1) * m, next_j = (j + 1) * k, next = std::min(next_i, next_j);
    const double gap = draws[i] - members[j];
    sum += double(next - at) * gap * gap;
    i += next == next_i;
    j += next == next_j;
    at = next;
  }
  return std::sqrt(sum / (double(k) * double(m)));
}

class W2s {
 public:
  template <class = void> void add(const Members& draws, const Members& members) {
    detail::require_entries("metric::W2s", "members", draws.rows(), members.rows());
    detail::require_finite("metric::W2s", "draws", draws);
    detail::require_finite("metric::W2s", "members", members);
    first_.resize(std::size_t(draws.cols()));
    second_.resize(std::size_t(members.cols()));
    for (Index i = 0; i < draws.rows(); ++i) {
      sorted(draws, i, first_);
      sorted(members, i, second_);
      distances_.add(wasserstein_sorted(first_, second_));
    }
  }
  double value() const { return distances_.value("metric::W2s"); }

 private:
  template <class = void> static void sorted(const Members& all, Index entry, std::vector<double>& result) {
    for (Index j = 0; j < all.cols(); ++j) result[std::size_t(j)] = all(entry, j);
    std::sort(result.begin(), result.end());
  }
  std::vector<double> first_, second_;
  detail::Average distances_;
};

class W2g {
 public:
  void add(const Moments& model, const Moments& truth) {
    detail::require_entries("metric::W2g", "truth", model.size(), truth.size());
    for (Index i = 0; i < model.size(); ++i)
      distances_.add(std::hypot(model.mean[i] - truth.mean[i],
                                std::sqrt(model.variance[i]) - std::sqrt(truth.variance[i])));
  }
  double value() const { return distances_.value("metric::W2g"); }
  const detail::Average& average() const { return distances_; }

 private:
  detail::Average distances_;
};

}  // namespace mno::metric

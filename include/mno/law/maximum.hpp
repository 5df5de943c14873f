#pragma once
// The law of M = max over a region of |u|, or of u: what the risk of an event is asked about.
//
//   const Maximum largest = maximum(law, sample);          // draws of M, sorted
//   const Estimate risk = largest.exceedance(10);          // P(M ≥ 10) and its Monte Carlo error
//   const Estimate fast = risk_anywhere(law, sample, 10);  // the same; without draws where bounds are enough
//
// A draw needs r random numbers, with a nugget r + n. They are the same for every sample, threshold and
// region, so that risks can be compared. Without draws, for p_i = P(|u_i| ≥ c) of the marginals,
//
//     max_i p_i ≤ P(M ≥ c) ≤ min(1, Σ_i p_i).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "mno/law/marginal.hpp"
#include "mno/law/sample.hpp"

namespace mno {

/// A probability that was estimated, and the standard deviation of the estimate.
struct Estimate {
  double value = 0;
  double error = 0;
};

struct MaximumOptions {
  Index draws = 4096;
  std::uint64_t seed = 0;
  bool magnitude = true;        // of |u|; false: of u
  std::vector<Index> region{};  // entries x·C + c of a sample; none: all
  double enough = 1e-3;         // risk_anywhere() draws only if its bounds are further apart
};

/// Draws of M in increasing order.
class Maximum {
 public:
  explicit Maximum(std::vector<double> draws) : sorted_(std::move(draws)) {
    require(!sorted_.empty(), "Maximum", "draws", Text("at least one"), Text("none"));
    std::sort(sorted_.begin(), sorted_.end());
  }
  Index draws() const { return Index(sorted_.size()); }
  std::span<const double> sorted() const { return sorted_; }

  /// P(M ≥ c). The error is that of Jeffreys' posterior, Beta(k + ½, n − k + ½): not 0 for 0 of n.
  Estimate exceedance(double c) const {
    const double n = double(sorted_.size());
    const double k = double(sorted_.end() - std::lower_bound(sorted_.begin(), sorted_.end(), c));
    return {k / n, std::sqrt((k + 0.5) * (n - k + 0.5) / (n + 2)) / (n + 1)};
  }
  /// The draw that has a share p of all draws below it.
  double quantile(double p) const {
    require(p > 0 && p < 1, "Maximum::quantile", "p", Text("a probability strictly between 0 and 1"),
            Text(p));
    return sorted_[std::min(sorted_.size() - 1, std::size_t(p * double(sorted_.size())))];
  }

 private:
  std::vector<double> sorted_;
};

namespace detail {
/// The entries of a region, all of n if it has none.
inline std::vector<Index> entries_of(const std::vector<Index>& region, Index n) {
  for (const Index i : region)
    require(i >= 0 && i < n, "maximum", "region", Text("entries below ", n), Text(i));
  if (!region.empty()) return region;
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index(0));
  return all;
}
}  // namespace detail

/// The law of M for one sample.
template <class T, int D, class R, class W>
Maximum maximum(const Law<T, D, R, W>& law, Index sample, const MaximumOptions& options = {}) {
  detail::require_sample("maximum", law, sample);
  const Index n = law.size();
  const auto draws = mno::sample(detail::law_of_sample(law, sample), options.draws, options.seed);
  const std::vector<Index> region = detail::entries_of(options.region, n);
  std::vector<double> largest;
  for (Index j = 0; j < options.draws; ++j) {
    double m = -INFINITY;
    for (const Index i : region) {
      const double u = double(draws.data()[j * n + i]);
      m = std::max(m, options.magnitude ? std::abs(u) : u);
    }
    largest.push_back(m);
  }
  return Maximum(std::move(largest));
}

/// lower ≤ P(M ≥ c) ≤ upper from the marginals alone.
struct RiskBounds {
  double lower = 0, upper = 0;
};
template <class T, int D, class R, class W>
RiskBounds risk_bounds(const Law<T, D, R, W>& law, Index sample, double c,
                       const MaximumOptions& options = {}) {
  detail::require_sample("risk_bounds", law, sample);
  RiskBounds bounds;
  if (options.magnitude && c <= 0) return {1, 1};
  for (const Index i : detail::entries_of(options.region, law.size())) {
    const auto u = marginal(law, sample, i / law.channels(), i % law.channels());
    const double p = std::min(1.0, u.exceedance(c) + (options.magnitude ? u.cdf(-c) : 0));
    bounds.lower = std::max(bounds.lower, p);
    bounds.upper += p;
  }
  bounds.upper = std::min(1.0, bounds.upper);
  return bounds;
}

/// P(M ≥ c): the middle of its bounds where they are close, else from draws, kept between them.
template <class T, int D, class R, class W>
Estimate risk_anywhere(const Law<T, D, R, W>& law, Index sample, double c,
                       const MaximumOptions& options = {}) {
  const RiskBounds bounds = risk_bounds(law, sample, c, options);
  const double apart = bounds.upper - bounds.lower;
  if (apart <= options.enough) return {(bounds.lower + bounds.upper) / 2, apart / 2};
  const Estimate drawn = maximum(law, sample, options).exceedance(c);
  return {std::clamp(drawn.value, bounds.lower, bounds.upper), std::min(drawn.error, apart)};
}

}  // namespace mno

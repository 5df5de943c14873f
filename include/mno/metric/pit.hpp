#pragma once
// The probability integral transform of every entry, F(u) with F the distribution function of its marginal:
// uniform on (0, 1) where the marginals are those of the data, for any number of members from one up.
//
// The histogram tells what is wrong. High at both ends: the law is too narrow; high in the middle: too wide;
// sloped: its mean is off to one side. How far it is from uniform in one number is the Kolmogorov distance,
//   max_k |F̂(k/K) − k/K|   over the edges of K bins,
// that is, by how much the share of the data below a quantile of the law differs from its level. Entries of a
// field are not independent, so it is a distance and not a test.
//   A. P. Dawid, "Statistical theory: the prequential approach", 1984.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mno/law/marginal.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

class Pit {
 public:
  explicit Pit(Index bins = 20) {
    require(bins >= 2, "metric::Pit", "bins", Text("at least two"), Text(bins));
    sums_.assign(std::size_t(bins), 0.0);
  }

  /// The marginals of one sample of a law. Every condition counts alike.
  template <class T, int D, class R, class W>
  void add(const Law<T, D, R, W>& law, Index sample, const Members& members) {
    add(
        law.size(), [&](Index i) { return marginal(law, sample, i / law.channels(), i % law.channels()); },
        members);
  }
  /// Normal marginals with these moments.
  void add(const Moments& model, const Members& members) {
    add(
        model.size(),
        [&](Index i) {
          return Marginal<>{model.mean[i], std::sqrt(model.variance[i])};
        },
        members);
  }

  /// The share of the data in each of the bins [k/K, (k+1)/K].
  std::vector<double> histogram() const {
    std::vector<double> result;
    for (const double sum : sums_) result.push_back(detail::Average{sum, conditions_}.value("metric::Pit"));
    return result;
  }
  /// The Kolmogorov distance from uniform: 0 if calibrated, below 1 always.
  double value() const {
    double below = 0, largest = 0;
    const auto shares = histogram();
    for (std::size_t k = 0; k < shares.size(); ++k) {
      below += shares[k];
      largest = std::max(largest, std::abs(below - double(k + 1) / double(shares.size())));
    }
    return largest;
  }

 private:
  template <class MarginalOf> void add(Index entries, const MarginalOf& marginal_of, const Members& members) {
    detail::require_entries("metric::Pit", "members", entries, members.rows());
    detail::require_finite("metric::Pit", "members", members);
    const double share = 1 / double(members.size());
    for (Index i = 0; i < entries; ++i) {
      const auto of_entry = marginal_of(i);
      for (Index j = 0; j < members.cols(); ++j) put(of_entry, members(i, j), share);
    }
    ++conditions_;
  }
  /// Where a point mass is hit, F jumps from 0 to 1, and the transform is spread over the whole interval.
  template <class Marginal> void put(const Marginal& of_entry, double u, double share) {
    const double bins = double(sums_.size());
    if (!(of_entry.sd > 0) && of_entry.quantile(0.5) == u) {
      for (double& sum : sums_) sum += share / bins;
      return;
    }
    const double p = of_entry.cdf(u);
    sums_[std::min(sums_.size() - 1, std::size_t(p * bins))] += share;
  }

  std::vector<double> sums_;
  Index conditions_ = 0;
};

}  // namespace mno::metric

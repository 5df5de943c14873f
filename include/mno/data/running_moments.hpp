#pragma once
// Mean and variance of fields that pass by one at a time.
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno {

/// Welford's recursion, entry by entry and in double: members need not stay in memory.
///   δ = u − ū,   ū ← ū + δ/M,   S ← S + δ (u − ū),   s² = S/(M − 1)
class RunningMoments {
 public:
  explicit RunningMoments(std::size_t entries) : mean_(entries), sum_(entries) {}

  template <class T> void add(std::span<const T> member) {
    require(member.size() == mean_.size(), "RunningMoments::add", "member", Text(mean_.size(), " entries"),
            Text(member.size()));
    ++count_;
    for (std::size_t i = 0; i < member.size(); ++i) {
      const double difference = double(member[i]) - mean_[i];
      mean_[i] += difference / double(count_);
      sum_[i] += difference * (double(member[i]) - mean_[i]);
    }
  }

  Index count() const { return count_; }
  double mean(std::size_t i) const { return mean_[i]; }
  /// With M − 1 in the denominator; 0 for a single member.
  double variance(std::size_t i) const { return count_ > 1 ? sum_[i] / double(count_ - 1) : 0.0; }

 private:
  Index count_ = 0;
  std::vector<double> mean_, sum_;
};

}  // namespace mno

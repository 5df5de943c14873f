#pragma once
// An exponential moving average of the weights: the weights to evaluate may be smoother than those in
// training.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "mno/core/buffer.hpp"
#include "mno/core/error.hpp"

namespace mno {

/// After n updates the average is Σ_i d^{n−i} w_i / Σ_i d^{n−i}: weighted by age from the first update on,
/// with no trace of where it began. In one step, w̄ ← w̄ + (1−d)/(1−dⁿ) (w − w̄).
template <class T> class WeightAverage {
 public:
  WeightAverage(std::size_t parameters, double decay) : decay_(decay), values_(parameters) {
    require(decay >= 0 && decay < 1, "WeightAverage", "decay", Text("a number in [0, 1)"), Text(decay));
  }
  /// Goes on where another run stopped.
  WeightAverage(Buffer<T> values, std::int64_t updates, double decay) : WeightAverage(std::size_t(0), decay) {
    require(updates >= 0, "WeightAverage", "updates", Text("a number that is not negative"), Text(updates));
    values_ = std::move(values);
    updates_ = updates;
  }

  void update(std::span<const T> weights) {
    require(weights.size() == values_.size(), "WeightAverage::update", "weights",
            Text(values_.size(), " parameters"), Text(weights.size()));
    ++updates_;
    const T rate = T(share(decay_, updates_));
    T* const values = values_.data();
    if (updates_ == 1 || decay_ == 0)
      std::copy_n(weights.data(), values_.size(), values);
    else
      for (std::size_t i = 0; i < values_.size(); ++i) values[i] += rate * (weights[i] - values[i]);
  }

  /// The share of the n-th weights. 1 − dⁿ is computed without cancellation for d near 1; d = 0 keeps only
  /// the last weights.
  static double share(double decay, std::int64_t n) {
    return decay == 0 ? 1 : (1 - decay) / -std::expm1(double(n) * std::log(decay));
  }

  std::span<const T> values() const { return values_.span(); }
  std::int64_t updates() const { return updates_; }
  double decay() const { return decay_; }

 private:
  double decay_;
  Buffer<T> values_;
  std::int64_t updates_ = 0;
};

}  // namespace mno

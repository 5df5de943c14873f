#pragma once
// The difference of predicted and empirical mean of one sample, which terms of the mean have in common.
#include "mno/loss/target.hpp"

namespace mno::detail {

/// average over entries of (m − ū)²
template <class T, int D>
double mean_square_difference(const LawBlock<T, D>& law, const Target<T, D>& target, Index b) {
  const Index points = law.mean.points(), channels = law.mean.channels;
  double sum = 0;
  for (Index x = 0; x < points; ++x)
    for (Index c = 0; c < channels; ++c) {
      const double error = double(law.mean(b, x, c)) - double(target.mean(law.first + b, x, c));
      sum += error * error;
    }
  return sum / double(points * channels);
}

/// m̄ += factor · (m − ū)/n
template <class T, int D>
void add_mean_difference(const LawBlock<T, D>& law, const Target<T, D>& target, Index b, double factor) {
  const Index points = law.mean.points(), channels = law.mean.channels;
  const double share = factor / double(points * channels);
  for (Index x = 0; x < points; ++x)
    for (Index c = 0; c < channels; ++c)
      law.mean_bar(b, x, c) +=
          T(share * (double(law.mean(b, x, c)) - double(target.mean(law.first + b, x, c))));
}

}  // namespace mno::detail

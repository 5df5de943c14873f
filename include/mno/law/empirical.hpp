#pragma once
// S draws x_1 … x_S of every sample as a law:
//
//   m = x̄,   B_k = (x_k − x̄)/√(S − 1),   so that BᵀB is their sample covariance, of rank at most S − 1
//
// Mean and covariance estimate those of the law that was drawn from without bias. Distances to them are
// biased: S draws add κ₂/S to a squared error of the mean. So this law is for plots and moments; scores take
// the draws themselves (metric/scorecard.hpp).
#include <cmath>

#include "mno/law/law.hpp"

namespace mno {

/// Draws in the order (sample, draw), `count` of every sample.
template <class T, int D> Law<T, D> empirical_law(const Field<T, D>& draws, Index count) {
  require(count >= 2 && draws.batch() >= count && draws.batch() % count == 0, "empirical_law", "count",
          Text("at least two, and a divisor of the ", draws.batch(), " draws"), Text(count));
  const Index samples = draws.batch() / count, channels = draws.channels();
  Law<T, D> law(Field<T, D>(samples, draws.grid(), channels),
                Field<T, D>(samples, draws.grid(), count * channels));
  const double scale = 1 / std::sqrt(double(count - 1));
  for (Index s = 0; s < samples; ++s)
    for (Index p = 0; p < draws.points(); ++p)
      for (Index c = 0; c < channels; ++c) {
        const double first = double(draws(s * count, p, c));  // an offset costs no digits
        double sum = 0;
        for (Index k = 1; k < count; ++k) sum += double(draws(s * count + k, p, c)) - first;
        const double mean = first + sum / double(count);
        law.mean(s, p, c) = T(mean);
        for (Index k = 0; k < count; ++k)
          law.factor(s, p, detail::factor_channel(k, c, channels)) =
              T(scale * (double(draws(s * count + k, p, c)) - mean));
      }
  return law;
}

}  // namespace mno

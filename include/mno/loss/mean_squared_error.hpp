#pragma once
// The squared error of the mean against every member: what regression on the members minimises. Its gradient
// is that of Centring; its value also counts the ensemble's spread, which no mean can remove.
#include "mno/loss/mean_difference.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// average over members and entries of (u − m)² = average over entries of (ū − m)² + (1−1/M) s²
struct MeanSquaredError {
  static constexpr const char* name = "mean_squared_error";
  double weight = 1;

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_variance(name, law, target, 1);
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    const Index points = law.mean.points(), channels = law.mean.channels;
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      double spread = 0;
      for (Index x = 0; x < points; ++x)
        for (Index c = 0; c < channels; ++c) spread += target.biased_variance(law.first + b, x, c);
      total += weight * scale *
               (detail::mean_square_difference(law, target, b) + spread / double(points * channels));
      detail::add_mean_difference(law, target, b, 2 * weight * scale);
    }
    return total;
  }
};

}  // namespace mno

#pragma once
// The continuous ranked probability score of draws, entry by entry, whatever their law is.
#include "mno/loss/draw_pairs.hpp"

namespace mno {

/// Average over entries of (1/SM) Σ |x_i − y_j| − 1/(2S(S−1)) Σ_{i≠j} |x_i − x_j|, |d| = √(d² + ε²):
///   x̄_i = (1/n) [ (1/SM) Σ_j (x_i − y_j)/|x_i − y_j| − 1/(S(S−1)) Σ_{j≠i} (x_i − x_j)/|x_i − x_j| ]
struct FairCrps {
  static constexpr const char* name = "fair_crps";
  double weight = 1;
  double epsilon = 1e-6;  // in units of u: the distance is smooth at 0

  template <class T, int D> void need(const DrawBlock<T, D>& block, const Target<T, D>& target) const {
    detail::require_draws(name, block, target);
    require(epsilon > 0, name, "epsilon", Text("a positive number"), Text(epsilon));
  }

  struct Share {
    double value = 0, bar = 0;
  };
  /// What one entry of x_i contributes, and its cotangent.
  template <class T, int D>
  MNO_HOST_DEVICE Share entry(const detail::DrawPairs<T, D>& pairs, Index b, Index i, Index point,
                              Index channel) const {
    const double x = pairs.draw(b, i)(point, channel);
    Share sum;
    for (Index j = 0; j < pairs.partners(b); ++j) {
      const double difference = x - pairs.partner(b, j)(point, channel);
      const double d = detail::smooth_root(difference * difference, epsilon);
      sum.value += pairs.weight(b, i, j) * d;
      sum.bar += pairs.slope(b, i, j) * difference / d;
    }
    return sum;
  }

  template <class T, int D>
  double operator()(const DrawBlock<T, D>& block, const Target<T, D>& target, double scale) const {
    need(block, target);
    const detail::DrawPairs<T, D> pairs{block, target};
    const double share = weight * scale / pairs.entries();
    double total = 0;
    for (Index b = 0; b < block.conditions(); ++b)
      for (Index i = 0; i < block.draws; ++i)
        for (Index p = 0; p < block.value.points(); ++p)
          for (Index c = 0; c < block.value.channels; ++c) {
            const Share at = entry(pairs, b, i, p, c);
            total += at.value;
            block.value_bar(b * block.draws + i, p, c) += T(share * at.bar);
          }
    return share * total;
  }
};

}  // namespace mno

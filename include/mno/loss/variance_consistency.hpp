#pragma once
// The relative distance between predicted and empirical variance.
#include "mno/loss/entry.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// L_consistency = ‖v − s²‖ / (‖s²‖ + tiny) per sample, v = Σ_k B_k² unclamped and ‖·‖ the root mean square
/// over entries, so that it means the same on every grid.
///   v̄ = (v − s²) / (n ‖v − s²‖ (‖s²‖ + tiny)), and 0 where v = s² everywhere
struct VarianceConsistency {
  static constexpr const char* name = "variance_consistency";
  double weight = 0.1;
  double tiny = 1e-12;  // in units of the variance

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, 2);
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    const Index points = law.mean.points(), channels = law.mean.channels;
    const double n = double(points * channels);
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      const auto difference = [&](Index x, Index c) {
        return detail::variance_at(law, b * points + x, c) - double(target.variance(law.first + b, x, c));
      };
      double distance = 0, size = 0;  // squares, summed over entries
      for (Index x = 0; x < points; ++x)
        for (Index c = 0; c < channels; ++c) {
          const double d = difference(x, c), s2 = double(target.variance(law.first + b, x, c));
          distance += d * d;
          size += s2 * s2;
        }
      distance = std::sqrt(distance / n);
      size = std::sqrt(size / n) + tiny;
      total += weight * scale * distance / size;
      if (distance == 0) continue;
      const double share = weight * scale / (n * distance * size);
      for (Index x = 0; x < points; ++x)
        for (Index c = 0; c < channels; ++c)
          detail::add_variance_bar(law, b * points + x, c, share * difference(x, c));
    }
    return total;
  }
};

}  // namespace mno

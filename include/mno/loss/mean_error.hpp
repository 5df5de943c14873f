#pragma once
// The relative distance between predicted and empirical mean.
#include "mno/loss/mean_difference.hpp"
#include "mno/loss/target.hpp"

namespace mno {

/// ‖m − ū‖ / (‖ū‖ + tiny) per sample, ‖·‖ the root mean square over entries
///   m̄ = (m − ū) / (n ‖m − ū‖ (‖ū‖ + tiny)), and 0 where m = ū everywhere
struct MeanError {
  static constexpr const char* name = "mean_error";
  double weight = 1;
  double tiny = 1e-8;  // in units of the mean

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_mean(name, law, target);
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    const Index points = law.mean.points(), channels = law.mean.channels;
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      double square = 0;
      for (Index x = 0; x < points; ++x)
        for (Index c = 0; c < channels; ++c) {
          const double u = double(target.mean(law.first + b, x, c));
          square += u * u;
        }
      const double size = std::sqrt(square / double(points * channels)) + tiny;
      const double distance = std::sqrt(detail::mean_square_difference(law, target, b));
      total += weight * scale * distance / size;
      if (distance > 0) detail::add_mean_difference(law, target, b, weight * scale / (distance * size));
    }
    return total;
  }
};

}  // namespace mno

#pragma once
// The energy score of draws: the CRPS of whole fields. It sees how points vary together, and one member per
// condition is enough.
#include "mno/loss/draw_pairs.hpp"
#include "mno/loss/factor_columns.hpp"

namespace mno {

/// (1/SM) Σ ‖x_i − y_j‖ − 1/(2S(S−1)) Σ_{i≠j} ‖x_i − x_j‖ per condition,
/// ‖d‖ = √(mean over entries of d² + ε²): a root mean square, the same on every grid. With n entries
///   x̄_i = (1/n) [ (1/SM) Σ_j (x_i − y_j)/‖x_i − y_j‖ − 1/(S(S−1)) Σ_{j≠i} (x_i − x_j)/‖x_i − x_j‖ ]
struct FairEnergyScore {
  static constexpr const char* name = "fair_energy_score";
  double weight = 1;
  double epsilon = 1e-6;  // in units of u: the distance is smooth at 0

  template <class T, int D> void need(const DrawBlock<T, D>& block, const Target<T, D>& target) const {
    detail::require_draws(name, block, target);
    require(epsilon > 0, name, "epsilon", Text("a positive number"), Text(epsilon));
  }

  /// ‖x_i − p_j‖, and what x_i − p_j is multiplied by in x̄_i.
  template <class T, int D>
  MNO_HOST_DEVICE double distance(const detail::DrawPairs<T, D>& pairs, Index b, Index i, Index j) const {
    const auto x = pairs.draw(b, i), y = pairs.partner(b, j);
    const auto& like = pairs.block.value;
    double squares = 0;
    for (Index p = 0; p < like.points(); ++p)
      for (Index c = 0; c < like.channels; ++c) squares += (x(p, c) - y(p, c)) * (x(p, c) - y(p, c));
    return detail::smooth_root(squares / pairs.entries(), epsilon);
  }
  template <class T, int D>
  MNO_HOST_DEVICE static double factor(const detail::DrawPairs<T, D>& pairs, Index b, Index i, Index j,
                                       double distance) {
    return pairs.slope(b, i, j) / (pairs.entries() * distance);
  }

  template <class T, int D>
  double operator()(const DrawBlock<T, D>& block, const Target<T, D>& target, double scale) const {
    need(block, target);
    const detail::DrawPairs<T, D> pairs{block, target};
    const Index points = block.value.points(), channels = block.value.channels;
    Arena& arena = detail::loss_scratch();
    const ArenaScope scope(arena);
    const auto bar = detail::zeros(arena, points, channels);
    double total = 0;
    for (Index b = 0; b < block.conditions(); ++b)
      for (Index i = 0; i < block.draws; ++i) {
        const auto x = pairs.draw(b, i);
        std::fill_n(bar.data, points * channels, 0.0);
        for (Index j = 0; j < pairs.partners(b); ++j) {
          const double counts = pairs.weight(b, i, j);
          if (counts == 0) continue;
          const double d = distance(pairs, b, i, j), f = factor(pairs, b, i, j, d);
          total += counts * d;
          const auto y = pairs.partner(b, j);
          for (Index p = 0; p < points; ++p)
            for (Index c = 0; c < channels; ++c) bar.data[p * channels + c] += f * (x(p, c) - y(p, c));
        }
        for (Index p = 0; p < points; ++p)
          for (Index c = 0; c < channels; ++c)
            block.value_bar(b * block.draws + i, p, c) += T(weight * scale * bar.data[p * channels + c]);
      }
    return weight * scale * total;
  }
};

}  // namespace mno

#pragma once
// The relative Hilbert–Schmidt distance of predicted and empirical covariance, from Gram matrices of the size
// of the ranks.
#include "mno/loss/factor_columns.hpp"
#include "mno/loss/relative_distance.hpp"

namespace mno {

/// With Γ = BᵀB and Γ̂ = YᵀY, ‖Γ − Γ̂‖² = ‖BBᵀ‖² − 2‖BYᵀ‖² + ‖YYᵀ‖² =: q. Per sample
///   √(q/‖YYᵀ‖² + δ²) − δ,   smooth at Γ = Γ̂, where it is 0;
///   ∂q/∂B = 4 (BBᵀ) B − 4 (BYᵀ) Y
/// A nugget, Γ = BᵀB + diag(d) with d = η², adds Σ_i d_i² + 2 d_i (‖b_i‖² − ‖y_i‖²) to q, b_i and y_i being
/// the columns of B and Y:   ∂q/∂b_i += 4 d_i b_i,   ∂q/∂d_i = 2 (d_i + ‖b_i‖² − ‖y_i‖²)
struct HilbertSchmidt {
  static constexpr const char* name = "hilbert_schmidt";
  double weight = 1;
  double smoothing = 1e-3;  // δ
  double tiny = 1e-30;      // beside ‖YYᵀ‖², where an ensemble has no spread

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_covariance_factor(name, law, target);
  }

  /// From ‖BBᵀ‖², ‖YBᵀ‖², ‖YYᵀ‖² and what a nugget adds; the factor is that of ¼ ∂q/∂B.
  MNO_HOST_DEVICE detail::SampleTerm of_sample(double bb, double yb, double yy, double nugget,
                                               double scale) const {
    const double size = yy + tiny, q = std::max(0.0, bb - 2 * yb + yy + nugget);
    const double root = std::sqrt(q / size + smoothing * smoothing);
    return {weight * scale * (root - smoothing), weight * scale * 2 / (size * root)};
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    const Index channels = law.mean.channels;
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      Arena& arena = detail::loss_scratch();
      const ArenaScope scope(arena);
      const auto bt = detail::factor_columns<T, D>(arena, law.factor, b, channels);  // Bᵀ (n, r)
      const auto yt =
          detail::factor_columns<T, D>(arena, target.covariance_factor, law.first + b, channels);  // (n, s)
      const Index n = bt.rows, r = bt.columns, s = yt.columns;
      const auto bb = detail::zeros(arena, r, r);  // BBᵀ
      const auto yb = detail::zeros(arena, s, r);  // YBᵀ
      const auto yy = detail::zeros(arena, s, s);  // YYᵀ
      multiply_add_transposed_left<double>(bb, bt, bt);
      multiply_add_transposed_left<double>(yb, yt, bt);
      multiply_add_transposed_left<double>(yy, yt, yt);

      const auto excess = detail::zeros(arena, n, 1);  // d_i + ‖b_i‖² − ‖y_i‖²
      double nugget = 0;
      if (law.nugget)
        for (Index i = 0; i < n; ++i) {
          const double d = detail::nugget_variance(law, b, i);
          const double difference =
              detail::sum_of_squares(detail::row(bt, i)) - detail::sum_of_squares(detail::row(yt, i));
          nugget += d * (d + 2 * difference);
          excess.data[i] = d + difference;
        }
      const detail::SampleTerm sample = of_sample(detail::sum_of_squares(bb), detail::sum_of_squares(yb),
                                                  detail::sum_of_squares(yy), nugget, scale);
      total += sample.value;

      const auto bar = detail::zeros(arena, n, r);  // ¼ ∂q/∂Bᵀ = Bᵀ(BBᵀ) − Yᵀ(YBᵀ) + diag(d) Bᵀ
      multiply_add<double>(bar, bt, bb);
      multiply_add<double>(bar, yt, yb, -1.0);
      if (law.nugget)
        for (Index i = 0; i < n; ++i) {
          const double d = detail::nugget_variance(law, b, i);
          for (Index k = 0; k < r; ++k) bar.data[i * r + k] += d * bt.data[i * r + k];
          detail::add_nugget_variance_bar(law, b, i, 0.5 * sample.factor * excess.data[i]);
        }
      detail::add_factor_columns<T, D>(law.factor_bar, b, channels, bar, sample.factor);
    }
    return total;
  }
};

}  // namespace mno

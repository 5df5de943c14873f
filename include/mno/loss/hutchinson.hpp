#pragma once
// Covariances compared through random probes v: vᵀΓv = ‖Bv‖² against vᵀΓ̂v = ‖Yv‖².
#include <cstdint>

#include "mno/core/random.hpp"
#include "mno/loss/factor_columns.hpp"
#include "mno/loss/relative_distance.hpp"

namespace mno {

/// Per sample Σ_p (‖Bv_p‖² − ‖Yv_p‖²)² / (Σ_p ‖Yv_p‖⁴ + tiny), and with d_p = ‖Bv_p‖² − ‖Yv_p‖²
///   ∂/∂B Σ_p d_p² = 4 Σ_p d_p (Bv_p) v_pᵀ
/// A nugget η adds Σ_i η_i² v_i² to ‖Bv‖²:   ∂/∂η_i² Σ_p d_p² = 2 Σ_p d_p v_pi²
///
/// Probes are a function of (seed, the target's step, sample) alone. Their entries are independent with the
/// moments 0, 1, 0, 3 of a normal, so that E (vᵀAv)² = 2‖A‖² + (tr A)² as for Gaussian probes: with signs ±1
/// only the trace of an error on the diagonal would be visible. Three bits make one entry.
struct Hutchinson {
  static constexpr const char* name = "hutchinson";
  double weight = 1;
  Index probes = 32;
  std::uint64_t seed = 0;
  double tiny = 1e-30;  // beside Σ‖Yv‖⁴, where an ensemble has no spread

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_covariance_factor(name, law, target);
    require(probes >= 1, name, "probes", Text("at least one"), Text(probes));
  }

  /// From Σ_p d_p² and Σ_p ‖Yv_p‖⁴; the factor is that of Σ_p d_p (Bv_p) v_pᵀ.
  MNO_HOST_DEVICE detail::SampleTerm of_sample(const detail::SquareSums& sums, double scale) const {
    const double size = sums.reference + tiny;
    return {weight * scale * sums.difference / size, weight * scale * 4 / size};
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
      const auto v = detail::zeros(arena, probes, n);
      const auto bv = detail::zeros(arena, probes, r);
      const auto yv = detail::zeros(arena, probes, s);
      draw(v, target.step, law.first + b);
      multiply_add<double>(bv, v, bt);
      multiply_add<double>(yv, v, yt);

      const auto differences = detail::zeros(arena, probes, 1);  // d_p
      detail::SquareSums sums;
      for (Index p = 0; p < probes; ++p) {
        double predicted = detail::sum_of_squares(detail::row(bv, p));
        if (law.nugget)
          for (Index i = 0; i < n; ++i)
            predicted += detail::nugget_variance(law, b, i) * square(v.data[p * n + i]);
        const double empirical = detail::sum_of_squares(detail::row(yv, p));
        const double d = predicted - empirical;
        sums += {d * d, empirical * empirical};
        for (Index k = 0; k < r; ++k) bv.data[p * r + k] *= d;
        differences.data[p] = d;
      }
      const detail::SampleTerm sample = of_sample(sums, scale);
      total += sample.value;
      const auto bar = detail::zeros(arena, n, r);  // Σ_p v_p (d_p Bv_p)ᵀ
      multiply_add_transposed_left<double>(bar, v, bv);
      detail::add_factor_columns<T, D>(law.factor_bar, b, channels, bar, sample.factor);
      if (law.nugget)
        for (Index i = 0; i < n; ++i) {
          double sum = 0;
          for (Index p = 0; p < probes; ++p) sum += differences.data[p] * square(v.data[p * n + i]);
          detail::add_nugget_variance_bar(law, b, i, 0.5 * sample.factor * sum);
        }
    }
    return total;
  }

  static double square(double x) { return x * x; }

  /// ±a with probability 3/4 and ±b with 1/4, where a², b² solve 3a² + b² = 4 and 3a⁴ + b⁴ = 12:
  /// a = √(1 − √(2/3)), b = √(1 + 3√(2/3)).
  MNO_HOST_DEVICE static double value(std::uint32_t bits) {
    constexpr double a = 0.4283729905961322, b = 1.8572802003960462;
    const double size = (bits & 3) == 3 ? b : a;
    return bits & 4 ? -size : size;
  }
  /// The bits of one sample's probes: a word for every eight entries of a probe.
  MNO_HOST_DEVICE Stream bits(std::uint64_t step, Index sample) const {
    constexpr std::uint32_t purpose = 0x70726f62;  // "prob": apart from other uses of the same seed
    return Stream(seed, step << 32 | std::uint64_t(sample), purpose);
  }
  /// One of n entries of one probe.
  MNO_HOST_DEVICE double entry(std::uint64_t step, Index sample, Index probe, Index i, Index n) const {
    const Index word = probe * ((n + 7) / 8) + i / 8;
    Stream random = bits(step, sample).from_block(std::uint32_t(word / 4));
    for (Index k = 0; k < word % 4; ++k) random.bits();
    return value(random.bits() >> (4 * (i % 8)) & 7);
  }

  /// Fills v (probe, entry) with the probes of one sample.
  void draw(MatrixView<double> v, std::uint64_t step, Index sample) const {
    Stream random = bits(step, sample);
    for (Index p = 0; p < v.rows; ++p)
      for (Index i = 0; i < v.columns; i += 8) {
        std::uint32_t word = random.bits();
        for (Index j = i; j < std::min(i + 8, v.columns); ++j, word >>= 4)
          v.data[p * v.pitch + j] = value(word & 7);
      }
  }
};

}  // namespace mno

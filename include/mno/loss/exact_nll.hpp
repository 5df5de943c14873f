#pragma once
// The negative log-likelihood of whole fields under N(m, Γ), Γ = BᵀB + diag(D). It counts how points vary
// together, and learns this even from one realisation per condition.
//
// A covariance of low rank alone has no density, so D has to be positive: the law's nugget plus a floor,
// D = η² + floor.
#include "mno/loss/need.hpp"
#include "mno/loss/whitened_factor.hpp"

namespace mno {

/// (1/n) ½ [log|Γ| + tr Γ⁻¹S + (ū − m)ᵀΓ⁻¹(ū − m)] per sample, n entries, without ½ log 2π. S is the
/// covariance of the ensemble, divided by M: of the members themselves, or of YᵀY and, on the diagonal, the
/// rest of the variance. With α = Γ⁻¹(u − m):
///   m̄ = −α,   Γ̄ = ½(Γ⁻¹ − ααᵀ),   B̄ = 2BΓ̄,   D̄ = diag Γ̄
struct ExactNll {
  static constexpr const char* name = "exact_nll";
  double weight = 1;
  double floor = 1e-8;     // of D, in units of the variance
  bool decoupled = false;  // the mean's error does not enter, and S is divided by M − 1

  template <class T, int D> void need(const LawBlock<T, D>& law, const Target<T, D>& target) const {
    detail::require_factor(name, law);
    detail::require_variance(name, law, target, decoupled ? 2 : 1);
    require(floor > 0 && std::isfinite(floor), name, "floor", Text("a positive variance"), Text(floor));
    for (Index b = 0; b < law.mean.batch; ++b)
      require(target.count(law.first + b) == 1 || target.covariance_factor || target.members, name, "target",
              Text("leading factors of the covariance, or the members, as there are several"),
              Text("neither"));
  }

  template <class T, int D>
  double operator()(const LawBlock<T, D>& law, const Target<T, D>& target, double scale) const {
    need(law, target);
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) total += of_sample(law, target, b, weight * scale);
    return total;
  }

  // The formulas of one sample and one entry i = x·C + c, for every device.

  /// D_i
  template <class T, int D> MNO_HOST_DEVICE double noise(const LawBlock<T, D>& law, Index b, Index i) const {
    return detail::nugget_variance(law, b, i) + floor;
  }
  /// How many rows e make S and the mean's error, Σ e eᵀ: the mean's error first, if it counts, and then
  /// leading factors or members. In samples with one member all other rows are zero.
  template <class T, int D> Index rows(const Target<T, D>& target) const {
    Index spread = 0;
    if (target.covariance_factor)
      spread = target.covariance_factor.channels / target.mean.channels;
    else if (target.members)
      for (const Index count : target.counts) spread = std::max(spread, count == 1 ? 0 : count);
    return (decoupled ? 0 : 1) + spread;
  }
  template <class T, int D>
  MNO_HOST_DEVICE double row_entry(const LawBlock<T, D>& law, const Target<T, D>& target, Index b, Index row,
                                   Index i) const {
    const Index sample = law.first + b, channels = law.mean.channels, x = i / channels, c = i % channels;
    const Index count = target.count(sample);
    const double mean = double(target.mean(sample, x, c));
    if (!decoupled) {
      if (row == 0) return mean - double(law.mean(b, x, c));
      --row;
    }
    if (count == 1) return 0;
    const double share = std::sqrt(share_of(count));
    if (target.covariance_factor)
      return share * double(target.covariance_factor(sample, x, detail::factor_channel(row, c, channels)));
    if (row >= count) return 0;
    const double e = double(target.members(target.first_member(sample) + row, x, c)) - mean;
    return share * e / std::sqrt(double(count - 1));
  }
  /// δ_i: the part of the variance that leading factors leave; 0 where it is only rounding.
  template <class T, int D>
  MNO_HOST_DEVICE double rest(const Target<T, D>& target, Index sample, Index i) const {
    const Index count = target.count(sample), channels = target.mean.channels, x = i / channels,
                c = i % channels;
    if (count == 1 || !target.covariance_factor) return 0;
    double squares = 0;
    for (Index j = 0; j < target.covariance_factor.channels / channels; ++j) {
      const double y = double(target.covariance_factor(sample, x, detail::factor_channel(j, c, channels)));
      squares += y * y;
    }
    const double left = double(target.variance(sample, x, c)) - squares;
    return left > 1e-6 * squares ? share_of(count) * left : 0;
  }

 private:
  /// Covariances of M members are divided by M − 1; a likelihood that averages over members divides by M.
  MNO_HOST_DEVICE double share_of(Index count) const {
    return decoupled ? 1 : double(count - 1) / double(count);
  }

  template <class T, int D>
  double of_sample(const LawBlock<T, D>& law, const Target<T, D>& target, Index b, double weighted) const {
    Arena& arena = detail::loss_scratch();
    const ArenaScope scope(arena);
    const Index channels = law.mean.channels;
    const auto w = detail::factor_columns<T, D>(arena, law.factor, b, channels);  // Bᵀ, then W: (n, r)
    const Index n = w.rows, r = w.columns;
    const auto root = detail::zeros(arena, 1, n), g = detail::zeros(arena, 1, n);  // 1/√D_i and δ_i/D_i
    double log_d = 0, all_rest = 0;
    for (Index i = 0; i < n; ++i) {
      const double d = noise(law, b, i);
      log_d += std::log(d);
      root.data[i] = 1 / std::sqrt(d);
      g.data[i] = rest(target, law.first + b, i) / d;
      all_rest += g.data[i];
      for (Index k = 0; k < r; ++k) w.data[i * r + k] *= root.data[i];
    }
    const detail::WhitenedFactor gamma(arena, w);

    const auto e = detail::zeros(arena, rows(target), n);  // ẽ, then p
    for (Index j = 0; j < e.rows; ++j)
      for (Index i = 0; i < n; ++i) e.data[j * n + i] = row_entry(law, target, b, j, i) * root.data[i];
    const auto c = detail::zeros(arena, e.rows, r), mu = detail::zeros(arena, e.rows, r);
    multiply_add<double>(c, e, gamma.q);                          // Qᵀẽ
    multiply_add_transposed_right<double>(mu, c, gamma.inverse);  // R⁻¹Qᵀẽ
    multiply_add_transposed_right<double>(e, c, gamma.q, -1.0);   // ẽ − Q(Qᵀẽ)
    double value = log_d + gamma.log_determinant + detail::sum_of_squares(e) + detail::sum_of_squares(mu);

    const auto w_bar = detail::zeros(arena, n, r);  // of W: QR⁻ᵀ − Σ p μᵀ − N diag(δ/D) QR⁻ᵀ
    const auto explained = detail::zeros(arena, 1, n);  // (Γ̃⁻¹ S̃ Γ̃⁻¹)_ii
    multiply_add_transposed_right<double>(w_bar, gamma.q, gamma.inverse);
    if (all_rest > 0) value += add_rest(arena, gamma, g, w_bar, explained);
    for (Index j = 0; j < e.rows; ++j)
      for (Index i = 0; i < n; ++i) explained.data[i] += e.data[j * n + i] * e.data[j * n + i];
    multiply_add_transposed_left<double>(w_bar, e, mu, -1.0);

    const double share = weighted / double(n);
    for (Index i = 0; i < n; ++i)
      add_bars(law, b, i, r, root.data[i], gamma.q.data + i * r, explained.data[i], decoupled ? 0 : e.data[i],
               share, w_bar.data + i * r);
    detail::add_factor_columns<T, D>(law.factor_bar, b, channels, w_bar, share);
    return 0.5 * share * value;
  }

  /// The part diag(δ) of S, with g = δ/D: adds to w̄ and to what is explained, and returns tr N diag(g).
  ///   w̄ −= N diag(g) QR⁻ᵀ,   (N diag(g) N)_ii = g_i (1 − 2‖q_i‖²) + q_iᵀ (Qᵀ diag(g) Q) q_i
  static double add_rest(Arena& arena, const detail::WhitenedFactor& gamma, MatrixView<const double> g,
                         MatrixView<double> w_bar, MatrixView<double> explained) {
    const Index n = gamma.q.rows, r = gamma.q.columns;
    const auto scaled = detail::zeros(arena, n, r), gq = detail::zeros(arena, n, r);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < r; ++k) {
        scaled.data[i * r + k] = g.data[i] * w_bar.data[i * r + k];
        gq.data[i * r + k] = g.data[i] * gamma.q.data[i * r + k];
        w_bar.data[i * r + k] -= scaled.data[i * r + k];
      }
    const auto z = detail::zeros(arena, r, r), projected = detail::zeros(arena, r, r);
    multiply_add_transposed_left<double>(z, gamma.q, gq);
    multiply_add_transposed_left<double>(projected, gamma.q, scaled);
    multiply_add<double>(w_bar, gamma.q, projected);
    multiply_add<double>(gq, gamma.q, z, 1.0, Write::set);
    double trace = 0;
    for (Index i = 0; i < n; ++i)
      trace += explained_by_rest(gamma.q.data + i * r, gq.data + i * r, r, g.data[i], explained.data[i]);
    return trace;
  }

 public:
  /// Adds (N diag(g) N)_ii, from q_i and (QZ)_i with Z = Qᵀ diag(g) Q, and returns g_i N_ii.
  MNO_HOST_DEVICE static double explained_by_rest(const double* q, const double* qz, Index r, double g,
                                                  double& explained) {
    double squares = 0, form = 0;
    for (Index k = 0; k < r; ++k) {
      squares += q[k] * q[k];
      form += q[k] * qz[k];
    }
    explained += g * (1 - 2 * squares) + form;
    return g * (1 - squares);
  }
  /// From what is known of entry i: adds to the cotangents of nugget and mean, and turns w̄ into b̄. With
  /// W = D^{-1/2} Bᵀ,
  ///   d̄ = (1 − ‖q‖² − explained)/(2D),   b̄ = D^{-1/2} w̄,   m̄ = −D^{-1/2} p
  template <class T, int D>
  MNO_HOST_DEVICE void add_bars(const LawBlock<T, D>& law, Index b, Index i, Index r, double root,
                                const double* q, double explained, double p, double share,
                                double* w_bar) const {
    double squares = 0;
    for (Index k = 0; k < r; ++k) squares += q[k] * q[k];
    const double d_bar = 0.5 * root * root * (1 - squares - explained);
    detail::add_nugget_variance_bar(law, b, i, share * d_bar);
    for (Index k = 0; k < r; ++k) w_bar[k] *= root;
    const Index channels = law.mean.channels;
    law.mean_bar(b, i / channels, i % channels) -= T(share * root * p);
  }
};

}  // namespace mno

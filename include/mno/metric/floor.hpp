#pragma once
// Sampling floors: what is left of a metric when the model is the truth, because the truth is known only
// through M members.
//
// EnsembleFloor puts an independent ensemble of the truth in the model's place. If there is only one
// ensemble, its two halves are used. They have M/2 members each, so errors of moments come out twice as large
// as those of an exact model against all M.
//
// ExactModelFloor is for a model whose m and v are exact: only ū and s² fluctuate. With cumulants κ, of which
// the k-statistics k₂ = s², k₃, k₄ are unbiased estimates,
//   E(ū − m)²  = κ₂/M                          estimated by k₂/M
//   E(s² − v)² = κ₄/M + 2κ₂²/(M−1)             estimated by (2M k₂² + (M−1) k₄)/(M(M+1))
//   Cov(ū, s²) = κ₃/M                          estimated by k₃/M
// all without bias; the RMSE floors are the roots of their averages. W2g is the mean length of
// (ū − m, s − √v), for large M a centred Gaussian vector with s − √v ≈ (s² − v)/(2√v). If the eigenvalues of
// its covariance are a² ≥ b²,
//   E W2g ≈ a √(2/π) E(√(1 − b²/a²)),          E the complete elliptic integral of the second kind.
// This one is an approximation: at M = 192 good to 2 % for Gaussian members, 4 % too low for exponential
// ones.
//   M. G. Kendall, A. Stuart, "The advanced theory of statistics" 1, 1977, chapter 12: k-statistics.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mno/metric/rmse.hpp"
#include "mno/metric/wasserstein.hpp"

namespace mno::metric {

class EnsembleFloor {
 public:
  /// Two independent ensembles of one condition; the first stands for the model.
  template <class = void> void add(const Members& first, const Members& second) {
    const Moments model = moments(first), truth = moments(second);
    mean_.add(model, truth);
    variance_.add(model, truth);
    w2g_.add(model, truth);
    w2s_.add(first, second);
  }
  /// One ensemble: its first half against its second; an odd member is left out.
  template <class Own = void> void add_halves(const Members& members) {
    const mno::detail::MatrixIn<Own>& ensemble = members;
    const Index half = ensemble.cols() / 2;
    require(half >= 2, "metric::EnsembleFloor", "ensemble", Text("at least four members, two in each half"),
            Text(ensemble.cols()));
    add(ensemble.leftCols(half), ensemble.middleCols(half, half));
  }
  double mean_rmse() const { return mean_.value(); }
  double variance_rmse() const { return variance_.value(); }
  double w2s() const { return w2s_.value(); }
  double w2g() const { return w2g_.value(); }

 private:
  MeanRmse mean_;
  VarianceRmse variance_;
  W2s w2s_;
  W2g w2g_;
};

namespace detail {

/// E√(X² + Y²) of a centred Gaussian (X, Y) whose covariance has the eigenvalues λ ≥ μ: √(2λ/π) times the
/// complete elliptic integral E of the modulus √(1 − μ/λ), by the arithmetic-geometric mean (Abramowitz and
/// Stegun, 17.6).
inline double expected_length(double var_x, double var_y, double cov) {
  const double middle = (var_x + var_y) / 2, radius = std::hypot((var_x - var_y) / 2, cov);
  const double large = middle + radius, small = std::max(0.0, middle - radius);
  if (!(large > 0)) return 0;
  const double scale = std::sqrt(2 * large / std::numbers::pi);
  if (!(small > 0)) return scale;
  double a = 1, b = std::sqrt(small / large), sum = (1 - small / large) / 2, power = 1;
  while (a - b > 1e-8 * a) {  // the next difference is its square
    const double half = (a - b) / 2;
    sum += power * half * half;
    power *= 2;
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return scale * std::numbers::pi / (a + b) * (1 - sum);
}

}  // namespace detail

class ExactModelFloor {
 public:
  template <class Own = void> void add(const Members& members) {
    const mno::detail::MatrixIn<Own>& ensemble = members;
    const double m = double(ensemble.cols());
    require(m >= 4, "metric::ExactModelFloor", "ensemble",
            Text("at least four members, for a fourth cumulant"), Text(m));
    const mno::detail::VectorIn<Own> mean = ensemble.rowwise().mean();
    for (Index i = 0; i < ensemble.rows(); ++i) {
      const mno::detail::ArrayIn<Own> e = ensemble.row(i).transpose().array() - mean[i];
      const double m2 = e.square().mean(), m3 = e.cube().mean(), m4 = e.square().square().mean();
      const double k2 = m2 * m / (m - 1), k3 = m3 * m * m / ((m - 1) * (m - 2));
      const double k4 = m * m * ((m + 1) * m4 - 3 * (m - 1) * m2 * m2) / ((m - 1) * (m - 2) * (m - 3));
      const double of_mean = k2 / m, of_variance = (2 * m * k2 * k2 + (m - 1) * k4) / (m * (m + 1));
      mean_.add(of_mean);
      variance_.add(of_variance);
      // in a tiny ensemble the estimate of Var(s²) may be negative by chance
      w2g_.add(k2 > 0 ? detail::expected_length(of_mean, std::max(0.0, of_variance) / (4 * k2),
                                                k3 / (2 * m * std::sqrt(k2)))
                      : 0);
    }
  }
  double mean_rmse() const { return std::sqrt(mean_.value("metric::ExactModelFloor")); }
  double variance_rmse() const {
    return std::sqrt(std::max(0.0, variance_.value("metric::ExactModelFloor")));
  }
  double w2g() const { return w2g_.value("metric::ExactModelFloor"); }

 private:
  detail::Average mean_, variance_, w2g_;
};

}  // namespace mno::metric

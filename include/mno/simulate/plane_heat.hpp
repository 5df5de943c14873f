#pragma once
// The linear stochastic heat equation on the square [0,1)², whose law is known at every time:
//
//     u_t = ν Δu + σẆ,    λ_k = −ν |2πk|²,    k = (k_1, k_2),
//     E û_k(t) = e^{λ_k t} û_k(0),   deviation of mode k:  σ q_k √((e^{2λ_k t} − 1)/(2λ_k)).
//
// Initial fields and noise are series of waves with |k| ≤ K, as those of initial.hpp and noise.hpp are on a
// line; of k and −k one stands for both, since cos k·x and sin k·x are all their waves.
//
// exact_law(heat, seed, sample, t) of modal.hpp gives mean, variance and factor rows.
#include <array>
#include <numbers>
#include <vector>

#include "mno/simulate/modal.hpp"

namespace mno {

struct PlaneWave {
  Index x = 0, y = 0;

  double length() const { return std::hypot(double(x), double(y)); }
  /// 2πk·(p_1/N_1, p_2/N_2) of point number p.
  double angle(const std::array<Index, 2>& points, Index p) const {
    return 2 * std::numbers::pi *
           (double(x * (p / points[1])) / double(points[0]) +
            double(y * (p % points[1])) / double(points[1]));
  }
};

/// One of k and −k for every 0 < |k| ≤ longest.
inline std::vector<PlaneWave> plane_waves(Index longest) {
  std::vector<PlaneWave> waves;
  for (Index x = 0; x <= longest; ++x)
    for (Index y = x == 0 ? 1 : -longest; y <= longest; ++y)
      if (x * x + y * y <= longest * longest) waves.push_back({x, y});
  return waves;
}

/// c_0 + Σ_k a_k cos 2πk·x + b_k sin 2πk·x
struct PlaneSeries {
  double mean = 0;
  std::vector<PlaneWave> waves{};
  std::vector<double> cosine{}, sine{};

  template <class T> void evaluate(View<T, 2> field, Index b = 0) const {
    for (Index p = 0; p < field.points(); ++p) {
      double sum = mean;
      for (std::size_t i = 0; i < waves.size(); ++i) {
        const double angle = waves[i].angle(field.grid.points, p);
        sum += cosine[i] * std::cos(angle) + sine[i] * std::sin(angle);
      }
      field(b, p, 0) = T(sum);
    }
  }
};

/// u_0 of waves |k| ≤ longest, a_k, b_k ~ N(0, s_k²), s_k ∝ |k|^−decay, Σ s_k² = 1.
struct PlaneInitialField {
  Index longest = 3;
  double decay = 2;

  PlaneSeries draw(std::uint64_t seed, Index sample) const {
    PlaneSeries series{0, plane_waves(longest)};
    double total = 0;
    for (const PlaneWave& k : series.waves) total += std::pow(k.length(), -2 * decay);
    Stream stream(seed, stream_of(Draw::initial, sample));
    for (const PlaneWave& k : series.waves) {
      const double s = std::pow(k.length(), -decay) / std::sqrt(total);
      series.cosine.push_back(s * stream.normal());
      series.sine.push_back(s * stream.normal());
    }
    return series;
  }
};

/// q_k = q_0/|k|^1.5 for |k| ≤ longest, q_0² + Σ_k 2q_k² = 1: the variance of W_1 at every point.
struct PlaneNoise {
  explicit PlaneNoise(Index longest = 3) : waves_(plane_waves(longest)), amplitude_{1} {
    double sum = 1;
    for (const PlaneWave& k : waves_) {
      amplitude_.push_back(std::pow(k.length(), -1.5));
      sum += 2 * amplitude_.back() * amplitude_.back();
    }
    for (double& q : amplitude_) q /= std::sqrt(sum);
  }

  Index rank() const { return 2 * Index(waves_.size()) + 1; }
  /// Of the basis function i: each wave twice, and 0 last.
  PlaneWave wavenumber(Index i) const { return i + 1 < rank() ? waves_[std::size_t(i / 2)] : PlaneWave{}; }
  /// Rows (rank, point): q_k√2 cos 2πk·x, q_k√2 sin 2πk·x, …, and q_0.
  ModalNoise::Rows basis(const std::array<Index, 2>& points) const {
    ModalNoise::Rows rows(rank(), points[0] * points[1]);
    for (Index p = 0; p < rows.cols(); ++p) {
      for (std::size_t w = 0; w < waves_.size(); ++w) {
        const double angle = waves_[w].angle(points, p), q = amplitude_[w + 1] * std::numbers::sqrt2;
        rows(2 * Index(w), p) = q * std::cos(angle);
        rows(2 * Index(w) + 1, p) = q * std::sin(angle);
      }
      rows(rank() - 1, p) = amplitude_[0];
    }
    return rows;
  }

 private:
  std::vector<PlaneWave> waves_;
  std::vector<double> amplitude_;  // q_0, then one for each wave
};

namespace spde {

struct PlaneHeat {
  static constexpr int dimension = 2;
  static constexpr Index channels = 1;

  double nu = 0.01;
  double sigma = 0.1;
  double time = 0.5;
  std::array<Index, 2> points{32, 32};
  PlaneInitialField initial{};
  PlaneNoise noise{};

  template <class T> using Solver = ModalSolver<T, PlaneHeat>;

  double rate(PlaneWave k) const { return -nu * std::pow(2 * std::numbers::pi * k.length(), 2); }
  PlaneSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  PlaneSeries mean(PlaneSeries series, double t) const {
    for (std::size_t i = 0; i < series.waves.size(); ++i) {
      const double decay = std::exp(rate(series.waves[i]) * t);
      series.cosine[i] *= decay;
      series.sine[i] *= decay;
    }
    return series;
  }
  double deviation(PlaneWave k, double t) const { return sigma * ornstein_uhlenbeck_deviation(rate(k), t); }
  Transition transition(PlaneWave k, double s, double t) const {
    return {std::exp(rate(k) * (t - s)), deviation(k, t - s)};
  }

  void check() const {
    require(std::isfinite(nu) && nu >= 0, "PlaneHeat", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(sigma) && sigma >= 0, "PlaneHeat", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points[0] >= 1 && points[1] >= 1, "PlaneHeat", "points", Text("at least one on each axis"),
            Text(points[0], "x", points[1]));
    require(initial.longest >= 1, "PlaneHeat", "initial.longest", Text("at least one"),
            Text(initial.longest));
  }
  void check_time(double t) const { detail::check_free_time(t, "PlaneHeat"); }
  double final_time() const { return time; }
  Grid<2> grid() const { return {points}; }
};

}  // namespace spde
}  // namespace mno

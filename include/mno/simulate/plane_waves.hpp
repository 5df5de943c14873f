#pragma once
// Initial fields and noise on a periodic square, as initial.hpp and noise.hpp have them on a line: series of
// waves with |k| ≤ K. Only one of k and −k is listed, since cos 2πk·x and sin 2πk·x serve both.
//
//     u_0(x) = Σ_k a_k cos 2πk·x + b_k sin 2πk·x,   a_k, b_k ~ N(0, s_k²),   s_k ∝ (offset + |k|²)^−decay/2,
//     dW = q_0 dβ_0 + Σ_k q_k √2 (dβ_k cos 2πk·x + dγ_k sin 2πk·x),          q_k likewise.
//
// x runs over [0,1)²; on a square of another length it is x/L.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/core/random.hpp"
#include "mno/simulate/noise.hpp"
#include "mno/simulate/normal.hpp"

namespace mno {

struct PlaneWave {
  Index x = 0, y = 0;

  double squared() const { return double(x * x + y * y); }
  /// 2πk·(p_1/N_1, p_2/N_2) of point number p.
  double angle(const std::array<Index, 2>& points, Index p) const {
    return 2 * std::numbers::pi *
           (double(x * (p / points[1]) % points[0]) / double(points[0]) +
            double(y * (p % points[1]) % points[1]) / double(points[1]));
  }
  PlaneWave operator-() const { return {-x, -y}; }
  bool operator==(const PlaneWave&) const = default;
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

  /// The values on one channel of sample b.
  template <class T> void evaluate(View<T, 2> field, Index b = 0, Index channel = 0) const {
    const auto [rows, columns] = field.grid.points;
    const std::vector<std::complex<double>> along_x = roots(rows), along_y = roots(columns);
    for (Index p = 0; p < field.points(); ++p) {
      double sum = mean;
      for (std::size_t i = 0; i < waves.size(); ++i) {  // the turns along x and y add up
        const auto x = root(along_x, waves[i].x * (p / columns)),
                   y = root(along_y, waves[i].y * (p % columns));
        sum += cosine[i] * (x.real() * y.real() - x.imag() * y.imag()) +
               sine[i] * (x.real() * y.imag() + x.imag() * y.real());
      }
      field(b, p, channel) = T(sum);
    }
  }
  /// û_k with u = Σ_k û_k e^{2πik·x}, for the wave i of the list; −k has its conjugate.
  std::complex<double> coefficient(std::size_t i) const { return {cosine[i] / 2, -sine[i] / 2}; }

 private:
  /// e^{2πij/n}
  static std::vector<std::complex<double>> roots(Index n) {
    std::vector<std::complex<double>> all;
    for (Index j = 0; j < n; ++j) all.push_back(std::polar(1., 2 * std::numbers::pi * double(j) / double(n)));
    return all;
  }
  static std::complex<double> root(const std::vector<std::complex<double>>& all, Index turns) {
    const Index n = Index(all.size()), rest = turns % n;
    return all[std::size_t(rest < 0 ? rest + n : rest)];
  }
};

/// u_0 of waves |k| ≤ modes.
struct PlaneInitialField {
  Index modes = 3;
  double decay = 2, offset = 0;  // s_k ∝ (offset + |k|²)^−decay/2
  double amplitude = 1;          // √Σ s_k², the standard deviation at every point

  void check() const {
    require(modes >= 1, "PlaneInitialField", "modes", Text("at least one"), Text(modes));
    require(std::isfinite(decay), "PlaneInitialField", "decay", Text("a finite exponent"), Text(decay));
    require(offset >= 0 && std::isfinite(offset), "PlaneInitialField", "offset",
            Text("a number that is not negative"), Text(offset));
    require(amplitude >= 0 && std::isfinite(amplitude), "PlaneInitialField", "amplitude",
            Text("a number that is not negative"), Text(amplitude));
  }
  PlaneSeries draw(std::uint64_t seed, Index sample) const {
    PlaneSeries series{0, plane_waves(modes)};
    double total = 0;
    for (const PlaneWave& k : series.waves) total += std::pow(offset + k.squared(), -decay);
    Stream stream(seed, stream_of(Draw::initial, sample));
    for (const PlaneWave& k : series.waves) {
      const double s = amplitude * std::pow(offset + k.squared(), -decay / 2) / std::sqrt(total);
      series.cosine.push_back(s * stream.normal());
      series.sine.push_back(s * stream.normal());
    }
    return series;
  }
};

/// q_k ∝ (offset + |k|²)^−decay/2 for 0 < |k| ≤ modes, and q_0 ∝ 1 or none; q_0² + Σ_k 2q_k² = 1, the
/// variance of W_1 at every point.
class PlaneNoise {
 public:
  explicit PlaneNoise(Index modes = 3, double decay = 1.5, double offset = 0)
      : PlaneNoise(modes, decay, offset, 1) {}
  /// No noise in the spatial mean.
  static PlaneNoise without_mean(Index modes, double decay, double offset) {
    return {modes, decay, offset, 0};
  }

  Index modes() const { return modes_; }
  Index rank() const { return 2 * Index(waves_.size()) + (mean_ > 0 ? 1 : 0); }
  /// Of the basis function i: each wave twice, and 0 last where q_0 is not zero.
  PlaneWave wavenumber(Index i) const { return has_wave(i) ? waves_[std::size_t(i / 2)] : PlaneWave{}; }
  /// q of the basis function i.
  double amplitude(Index i) const { return has_wave(i) ? amplitude_[std::size_t(i / 2)] : mean_; }
  /// Rows (rank, point): q_k√2 cos 2πk·x, q_k√2 sin 2πk·x, …, and q_0.
  ModalNoise::Rows basis(const std::array<Index, 2>& points) const {
    ModalNoise::Rows rows(rank(), points[0] * points[1]);
    for (Index i = 0; i < rank(); ++i)
      for (Index p = 0; p < rows.cols(); ++p) {
        const double angle = wavenumber(i).angle(points, p);
        const double wave = std::numbers::sqrt2 * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
        rows(i, p) = amplitude(i) * (has_wave(i) ? wave : 1);
      }
    return rows;
  }
  void check() const {
    for (Index i = 0; i < rank(); ++i)
      require(std::isfinite(amplitude(i)), "PlaneNoise", "amplitude", Text("finite numbers"),
              Text(amplitude(i)));
  }

 private:
  PlaneNoise(Index modes, double decay, double offset, double mean)
      : modes_(modes), waves_(plane_waves(modes)), mean_(mean) {
    require(modes >= 0, "PlaneNoise", "modes", Text("a number that is not negative"), Text(modes));
    double sum = mean * mean;
    for (const PlaneWave& k : waves_) {
      amplitude_.push_back(std::pow(offset + k.squared(), -decay / 2));
      sum += 2 * amplitude_.back() * amplitude_.back();
    }
    for (double& q : amplitude_) q /= std::sqrt(sum);
    if (mean > 0) mean_ /= std::sqrt(sum);
  }
  bool has_wave(Index i) const { return i < 2 * Index(waves_.size()); }

  Index modes_;
  std::vector<PlaneWave> waves_;
  std::vector<double> amplitude_{};  // of each wave
  double mean_;                      // q_0
};

}  // namespace mno

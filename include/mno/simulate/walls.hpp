#pragma once
// Fields between two walls, of the functions that belong to them: on [0,1], for k = 0, 1, 2, …
//
//     Dirichlet, u = 0 at the walls:     φ_k(x) = √2 sin πkx,   k ≥ 1,
//     Neumann, u_x = 0 at the walls:     φ_k(x) = √2 cos πkx,   φ_0 = 1.
//
// They are orthonormal, and eigenfunctions of ∂_xx with eigenvalues −(πk)². Initial fields and noise are
// series of them, as those of initial.hpp and noise.hpp are of periodic waves; k counts half waves here, so
// the defaults have twice as many modes for the same shortest wave.
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/core/field.hpp"
#include "mno/core/random.hpp"
#include "mno/simulate/noise.hpp"
#include "mno/simulate/normal.hpp"

namespace mno {

enum class Wall { dirichlet, neumann };

/// The lowest wavenumber that there is.
inline Index lowest_wave(Wall wall) { return wall == Wall::neumann ? 0 : 1; }
inline double wall_wave(Wall wall, Index k, double x) {
  if (k == 0) return wall == Wall::neumann ? 1 : 0;
  const double angle = std::numbers::pi * double(k) * x;
  return std::numbers::sqrt2 * (wall == Wall::neumann ? std::cos(angle) : std::sin(angle));
}

/// Σ_k a_k φ_k(x)
struct WallSeries {
  Wall wall = Wall::neumann;
  std::vector<double> amplitude{};  // a_0, a_1, …

  double operator()(double x) const {
    double sum = 0;
    for (std::size_t k = 0; k < amplitude.size(); ++k) sum += amplitude[k] * wall_wave(wall, Index(k), x);
    return sum;
  }
  /// The values on sample b of a field on [0,1], every channel alike.
  template <class T> void evaluate(View<T, 1> field, Index b = 0) const {
    for (Index p = 0; p < field.points(); ++p)
      for (Index c = 0; c < field.channels; ++c)
        field(b, p, c) = T((*this)(double(p) / double(field.points())));
  }
};

/// u_0 = Σ_{k=1..modes} a_k φ_k with a_k ~ N(0, s_k²), s_k ∝ k^−decay, Σ s_k² = amplitude².
struct WallInitialField {
  Index modes = 12;
  double decay = 1.5;
  double amplitude = 1;

  void check() const {
    require(modes >= 1, "WallInitialField", "modes", Text("at least one"), Text(modes));
    require(std::isfinite(decay), "WallInitialField", "decay", Text("a finite exponent"), Text(decay));
    require(amplitude >= 0 && std::isfinite(amplitude), "WallInitialField", "amplitude",
            Text("a number that is not negative"), Text(amplitude));
  }
  /// The initial condition of one sample: the same for every grid, time and member.
  WallSeries draw(Wall wall, std::uint64_t seed, Index sample) const {
    double total = 0;
    for (Index k = 1; k <= modes; ++k) total += std::pow(double(k), -2 * decay);
    Stream stream(seed, stream_of(Draw::initial, sample));
    WallSeries series{wall, {0}};
    for (Index k = 1; k <= modes; ++k)
      series.amplitude.push_back(amplitude * std::pow(double(k), -decay) / std::sqrt(total) *
                                 stream.normal());
    return series;
  }
};

/// dW = Σ_k q_k φ_k dβ_k
struct WallNoise {
  Wall wall = Wall::neumann;
  std::vector<double> amplitude{};  // q_0, q_1, …; of Dirichlet walls q_0 is not used

  /// q_k ∝ 1/k, q_0 = q_1, Σ q_k² = 1 over those that are used.
  static WallNoise of_unit_sum(Wall wall, Index modes = 16) {
    require(modes >= 1, "WallNoise", "modes", Text("at least one"), Text(modes));
    WallNoise noise{wall, {1}};
    for (Index k = 1; k <= modes; ++k) noise.amplitude.push_back(1 / double(k));
    double sum = 0;
    for (Index i = 0; i < noise.rank(); ++i) sum += std::pow(noise[noise.wavenumber(i)], 2);
    for (double& q : noise.amplitude) q /= std::sqrt(sum);
    return noise;
  }

  Index modes() const { return Index(amplitude.size()) - 1; }
  double operator[](Index k) const { return amplitude[std::size_t(k)]; }
  Index rank() const { return modes() + 1 - lowest_wave(wall); }
  Index wavenumber(Index i) const { return lowest_wave(wall) + i; }

  void check() const {
    require(amplitude.size() >= 2, "WallNoise", "amplitude", Text("q_0, q_1, …"),
            Text(amplitude.size(), " of them"));
    for (double q : amplitude)
      require(std::isfinite(q) && q >= 0, "WallNoise", "amplitude", Text("numbers that are not negative"),
              Text(q));
  }

  /// q_k φ_k as rows (rank, points).
  ModalNoise::Rows basis(Index points) const {
    ModalNoise::Rows rows(rank(), points);
    for (Index i = 0; i < rank(); ++i)
      for (Index p = 0; p < points; ++p)
        rows(i, p) = (*this)[wavenumber(i)] * wall_wave(wall, wavenumber(i), double(p) / double(points));
    return rows;
  }
};

}  // namespace mno

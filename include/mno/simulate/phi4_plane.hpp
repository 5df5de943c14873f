#pragma once
// The dynamic φ⁴ model on the square [0,1)², a reaction with two wells at ±√growth:
//
//     u_t = ν Δu + growth·u − u³ + σẆ
//
// by plane_heun.hpp. The linear part of the reaction is solved exactly too: λ_k = growth − ν|2πk|². Of N
// points the waves |k_x|, |k_y| ≤ N/3 are kept.
#include <complex>
#include <numbers>

#include "mno/simulate/plane_heun.hpp"

namespace mno::spde {

struct Phi4Plane {
  static constexpr int dimension = 2;
  static constexpr Index channels = 1, inputs = 1, outputs = 1;

  double nu = 0.02;
  double sigma = 0.1;
  double growth = 3;
  double time = 0.5;
  Index steps = 50;
  Index simulated = 64;  // points on each axis
  Index kept = 64;       // points on each axis, every (simulated/kept)-th
  PlaneInitialField initial{};
  PlaneNoise noise{};

  template <class T> using Solver = PlaneHeun<T, Phi4Plane>;

  PlaneScheme<> scheme() const {
    return {"Phi4Plane",
            "take more steps, or a larger nu",
            {sigma},
            time / double(steps),
            simulated,
            kept,
            (simulated - 1) / 3,
            initial,
            noise};
  }
  std::array<PlaneSeries, 1> draw(std::uint64_t seed, Index sample) const {
    return {initial.draw(seed, sample)};
  }
  double rate(Index, PlaneWave k) const {
    return growth - nu * 4 * std::numbers::pi * std::numbers::pi * k.squared();
  }
  double force(Index, PlaneWave) const { return 0; }
  std::complex<double> input_symbol(Index, PlaneWave) const { return 1; }
  std::complex<double> output_symbol(Index, Index, PlaneWave) const { return -1; }
  template <class T> static std::array<T, 1> nonlinearity(const std::array<T, 1>& u) {
    return {u[0] * u[0] * u[0]};
  }

  void check() const {
    require(std::isfinite(nu) && nu >= 0, "Phi4Plane", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(growth), "Phi4Plane", "growth", Text("a finite number"), Text(growth));
    require(steps >= 1, "Phi4Plane", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "Phi4Plane"); }
  double final_time() const { return time; }
  Grid<2> grid() const { return {{kept, kept}}; }
};

}  // namespace mno::spde

#pragma once
// The dynamic φ⁴ model on [0,1), a reaction with two wells at ±√3:
//
//     u_t = ν u_xx + 3u − u³ + σẆ
//
// by exponential Euler. The linear part of the reaction is solved exactly too: λ_k = 3 − ν(2πk)².
#include <complex>
#include <numbers>

#include "mno/simulate/exponential_euler.hpp"

namespace mno::spde {

struct Phi4 {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double sigma = 0.025;
  double growth = 3;
  double time = 0.5;
  Index steps = 200;
  Index simulated = 64;  // points
  Index kept = 64;       // points, every (simulated/kept)-th
  InitialField initial{};
  ModalNoise noise = ModalNoise::with_mean(8);

  /// A law of two modes: diffusion keeps the field together, u_0 stays near the top between the wells, and
  /// noise decides into which of them all of it falls.
  static Phi4 two_wells() {
    return {.nu = 0.1, .sigma = 0.3, .time = 1.5, .initial = {.modes = 3, .amplitude = 0.3}};
  }

  template <class T> using Solver = ExponentialEuler<T, Phi4>;

  SpectralScheme scheme() const {
    return {"Phi4",
            "take more steps, or a larger nu",
            {sigma},
            time / double(steps),
            simulated,
            kept,
            (simulated - 1) / 2,
            initial,
            noise};
  }
  double rate(Index k) const { return growth - nu * std::pow(2 * std::numbers::pi * double(k), 2); }
  std::complex<double> nonlinear_symbol(Index) const { return 1; }
  template <class T> static T nonlinearity(T u) { return -u * u * u; }

  void check() const {
    require(std::isfinite(nu) && nu >= 0, "Phi4", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(growth), "Phi4", "growth", Text("a finite number"), Text(growth));
    require(steps >= 1, "Phi4", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "Phi4"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{kept}}; }
};

}  // namespace mno::spde

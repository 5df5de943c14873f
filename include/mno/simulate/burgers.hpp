#pragma once
// The stochastic Burgers equation on [0,1):
//
//     u_t = ν u_xx − u u_x + σẆ,   u u_x = ½ (u²)_x,
//
// by exponential Euler with the 2/3 rule: of N points the modes |k| ≤ N/3 are kept, so that the square of
// what is kept has no aliases among them.
#include <complex>
#include <numbers>

#include "mno/simulate/exponential_euler.hpp"

namespace mno::spde {

struct Burgers {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double sigma = 0.008;
  double time = 0.5;
  Index steps = 1000;
  Index simulated = 128;  // points
  Index kept = 64;        // points, every (simulated/kept)-th
  InitialField initial{};
  ModalNoise noise = ModalNoise::without_mean(8);

  template <class T> using Solver = ExponentialEuler<T, Burgers>;

  SpectralScheme scheme() const {
    return {"Burgers",
            "take more steps, or a larger nu",
            {sigma},
            time / double(steps),
            simulated,
            kept,
            (simulated - 1) / 3,
            initial,
            noise};
  }
  double rate(Index k) const { return -nu * std::pow(2 * std::numbers::pi * double(k), 2); }
  std::complex<double> nonlinear_symbol(Index k) const { return {0, -std::numbers::pi * double(k)}; }
  template <class T> static T nonlinearity(T u) { return u * u; }

  void check() const {
    require(std::isfinite(nu) && nu >= 0, "Burgers", "nu", Text("a number that is not negative"), Text(nu));
    require(steps >= 1, "Burgers", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "Burgers"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{kept}}; }
};

}  // namespace mno::spde

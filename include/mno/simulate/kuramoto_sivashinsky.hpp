#pragma once
// The stochastic Kuramoto–Sivashinsky equation on [0,L), a chaotic flow: long waves grow, short ones decay,
// and the nonlinearity moves energy from one to the other.
//
//     u_t = −u_xx − u_xxxx − u u_x + σẆ,   λ_k = q² − q⁴,   q = 2πk/L,
//
// by exponential Euler with the 2/3 rule. Waves with q < 1 grow, which are those with k < L/2π. Initial
// fields and noise are the waves of initial.hpp and noise.hpp, of x/L.
#include <complex>
#include <numbers>

#include "mno/simulate/exponential_euler.hpp"

namespace mno::spde {

struct KuramotoSivashinsky {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double length = 22;  // L
  double sigma = 0.02;
  double time = 10;
  Index steps = 1000;
  Index simulated = 64;  // points
  Index kept = 64;       // points, every (simulated/kept)-th
  InitialField initial{};
  ModalNoise noise = ModalNoise::without_mean(8);

  template <class T> using Solver = ExponentialEuler<T, KuramotoSivashinsky>;

  SpectralScheme scheme() const {
    return {"KuramotoSivashinsky", "take more steps", {sigma}, time / double(steps), simulated, kept,
            (simulated - 1) / 3,   initial,           noise};
  }
  double wavenumber(Index k) const { return 2 * std::numbers::pi * double(k) / length; }
  double rate(Index k) const { return std::pow(wavenumber(k), 2) - std::pow(wavenumber(k), 4); }
  std::complex<double> nonlinear_symbol(Index k) const { return {0, -wavenumber(k) / 2}; }
  template <class T> static T nonlinearity(T u) { return u * u; }

  void check() const {
    require(std::isfinite(length) && length > 0, "KuramotoSivashinsky", "length", Text("a positive number"),
            Text(length));
    require(steps >= 1, "KuramotoSivashinsky", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "KuramotoSivashinsky"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{kept}, {{length}}}; }
};

}  // namespace mno::spde

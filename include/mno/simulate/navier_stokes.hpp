#pragma once
// Stochastic flow in two dimensions, by its vorticity on [0,2π)², driven by Kolmogorov's force:
//
//     ω_t = −u·∇ω + νΔω + A cos(m y) + σẆ,    u = (ψ_y, −ψ_x),   −Δψ = ω,
//
// by plane_heun.hpp with the 2/3 rule. Two products carry the nonlinear term, since div u = 0:
//
//     −u·∇ω = ∂_x∂_y (u_x² − u_y²) − (∂_x² − ∂_y²) u_x u_y,
//
// so that four transforms make one evaluation, two there and two back. The mean vorticity stays zero. The
// viscosity is that of a flow of size one in a box of size 2π.
//
// known() is the force as a known field, for models of the flow: without it, a law that does not depend on
// the place in the square could not learn where the force is.
#include <complex>
#include <numbers>

#include "mno/simulate/plane_heun.hpp"

namespace mno::spde {

struct NavierStokes {
  static constexpr int dimension = 2;
  static constexpr Index channels = 1, inputs = 2, outputs = 2;

  double nu = 0.02;
  double amplitude = 0.75;  // A
  Index wavenumber = 4;     // m
  bool force_known = true;  // files and data for training have the force as a known field
  double sigma = 0.05;
  double time = 2;
  Index steps = 100;
  Index simulated = 64;  // points on each axis
  Index kept = 64;       // points on each axis, every (simulated/kept)-th
  PlaneInitialField initial{.modes = 5, .decay = 2.5, .offset = 4};
  PlaneNoise noise = PlaneNoise::without_mean(4, 2, 1);

  template <class T> using Solver = PlaneHeun<T, NavierStokes>;

  PlaneScheme<> scheme() const {
    return {"NavierStokes",
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
  double rate(Index, PlaneWave k) const { return -nu * k.squared(); }
  double force(Index, PlaneWave k) const {
    return k.x == 0 && std::abs(k.y) == wavenumber ? amplitude / 2 : 0;
  }
  /// A cos(m y), or nothing: (1, grid…, 1).
  template <class T> Field<T, 2> known() const {
    if (!force_known) return {};
    Field<T, 2> field(1, grid(), 1);
    PlaneSeries{0, {{0, wavenumber}}, {amplitude}, {0}}.evaluate(field.view());
    return field;
  }
  /// û = (ik_y, −ik_x) ω̂/|k|²
  std::complex<double> input_symbol(Index i, PlaneWave k) const {
    if (k == PlaneWave{}) return 0;
    return {0, double(i == 0 ? k.y : -k.x) / k.squared()};
  }
  /// Of u_x u_y and of u_x² − u_y².
  std::complex<double> output_symbol(Index, Index o, PlaneWave k) const {
    return o == 0 ? double(k.x * k.x - k.y * k.y) : double(-k.x * k.y);
  }
  template <class T> static std::array<T, 2> nonlinearity(const std::array<T, 2>& u) {
    return {u[0] * u[1], (u[0] - u[1]) * (u[0] + u[1])};
  }

  void check() const {
    require(std::isfinite(nu) && nu >= 0, "NavierStokes", "nu", Text("a number that is not negative"),
            Text(nu));
    require(std::isfinite(amplitude), "NavierStokes", "amplitude", Text("a finite number"), Text(amplitude));
    require(steps >= 1, "NavierStokes", "steps", Text("at least one"), Text(steps));
    scheme().check();
    require(wavenumber >= 1 && wavenumber <= scheme().highest, "NavierStokes", "wavenumber",
            Text("a number from 1 to ", scheme().highest, ", what ", simulated, " points carry"),
            Text(wavenumber));
    require(noise.rank() % 2 == 0, "NavierStokes", "noise", Text("no noise in the mean, which stays zero"),
            Text("a noise with mean"));
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "NavierStokes"); }
  double final_time() const { return time; }
  Grid<2> grid() const { return {{kept, kept}, {{2 * std::numbers::pi, 2 * std::numbers::pi}}}; }
};

}  // namespace mno::spde

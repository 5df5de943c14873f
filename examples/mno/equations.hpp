#pragma once
// The equations that can be simulated by name, with the constants that may be set: the one list of them, for
// the command line and for Python.
//
//   for_each_equation([](const char* name, const char* what, auto equation) { … });
//   constants(equation, [](const char* name, auto& variable, const char* text) { … });
//   finish(equation, said);    // derives constants from the others, where said(name) is false
//   known_of(equation);        // known fields beside u_0: (1, grid…, field), or empty
#include <algorithm>
#include <mno/simulate/bounded_heat.hpp>
#include <mno/simulate/burgers.hpp>
#include <mno/simulate/coupled_heat.hpp>
#include <mno/simulate/finite_rank.hpp>
#include <mno/simulate/gray_scott.hpp>
#include <mno/simulate/heat.hpp>
#include <mno/simulate/heavy_heat.hpp>
#include <mno/simulate/jump_heat.hpp>
#include <mno/simulate/kuramoto_sivashinsky.hpp>
#include <mno/simulate/navier_stokes.hpp>
#include <mno/simulate/phi4.hpp>
#include <mno/simulate/phi4_plane.hpp>
#include <mno/simulate/phi4_spdebench.hpp>
#include <mno/simulate/plane_heat.hpp>
#include <mno/simulate/reaction.hpp>
#include <mno/simulate/rough_volatility.hpp>
#include <mno/simulate/toy.hpp>
#include <string>

namespace program {

template <class Equation> mno::Field<float, Equation::dimension> known_of(const Equation& equation) {
  if constexpr (requires { equation.template known<float>(); })
    return equation.template known<float>();
  else
    return {};
}

template <class F> void for_each_equation(F&& f) {
  namespace spde = mno::spde;
  f("burgers", "u_t = nu u_xx - u u_x + sigma dW", spde::Burgers{});
  f("phi4", "u_t = nu u_xx + growth u - u^3 + sigma dW", spde::Phi4{});
  f("two-wells", "phi4 from near the top between its wells: a law of two modes", spde::Phi4::two_wells());
  f("reaction", "du = (D u_xx + a u - b u^3) dt + s u dW, with sizes of u_0 that vary", spde::Reaction{});
  f("phi4-spdebench", "phi4 as SPDEBench solves it", spde::Phi4SpdeBench{});
  f("rough-volatility", "log sigma_t = u_0 + eta W^H_t", spde::RoughVolatility{});
  f("heat", "u_t = nu u_xx - c u_x + sigma dW, whose law is known", spde::Heat{});
  f("jump-heat", "the heat equation driven by jumps: du = nu u_xx dt + sigma (sqrt b dW + sqrt(1 - b) dJ)",
    spde::JumpHeat{});
  f("heavy-heat", "the heat equation with noise of a strength that differs between realisations: Student t",
    spde::HeavyHeat{});
  f("heat-walls", "the heat equation between two walls, whose law is known", spde::BoundedHeat{});
  f("kuramoto-sivashinsky", "u_t = -u_xx - u_xxxx - u u_x + sigma dW, a chaotic flow",
    spde::KuramotoSivashinsky{});
  f("coupled-heat", "two fields that exchange heat, with correlated noise; the law is known",
    spde::CoupledHeat{});
  f("plane-heat", "the heat equation on a square, whose law is known", spde::PlaneHeat{});
  f("navier-stokes", "w_t = -u.grad w + nu Laplace w + A cos(m y) + sigma dW, a flow on a square",
    spde::NavierStokes{});
  f("gray-scott",
    "u_t = D_u Laplace u - u v^2 + F (1 - u) + sigma_u dW, "
    "v_t = D_v Laplace v + u v^2 - (F + k) v + sigma_v dW",
    spde::GrayScott{});
  f("phi4-plane", "u_t = nu Laplace u + growth u - u^3 + sigma dW on a square", spde::Phi4Plane{});
  f("finite-rank", "u_t = u_0 + t sum_i a_i f_i <g_i, u_0> + sigma W_t, a drift of known rank",
    spde::FiniteRank{});
  f("brownian", "u_t = u_0 + a t u_0 + s W_t, a = 0", spde::brownian_field());
  f("drift", "u_t = a t u_0 + s W_t, s = 0", spde::pure_drift());
  f("noise", "u_t = a t u_0 + s W_t, a = 0", spde::pure_noise());
  f("drift-noise", "u_t = a t u_0 + s W_t", spde::drift_and_noise());
}

inline constexpr const char *points_text = "Points", *kept_text = "Points that are kept",
                            *steps_text = "Steps to the final time";

template <class Add> void constants(mno::spde::Burgers& e, Add&& add) {
  add("nu", e.nu, "Viscosity");
  add("sigma", e.sigma, "Noise");
  add("steps", e.steps, steps_text);
  add("simulated", e.simulated, "Points of the simulation");
  add("points", e.kept, kept_text);
}
template <class Add> void constants(mno::spde::Phi4& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("growth", e.growth, "Linear growth");
  add("steps", e.steps, steps_text);
  add("points", e.kept, points_text);
}
template <class Add> void constants(mno::spde::Reaction& e, Add&& add) {
  add("diffusion", e.diffusion, "D");
  add("growth", e.growth, "a");
  add("saturation", e.saturation, "b");
  add("sigma", e.sigma, "s: noise, in proportion to u");
  add("size", e.size, "Typical max |u_0|");
  add("spread", e.spread, "Standard deviation of log max |u_0|");
  add("steps", e.steps, steps_text);
  add("simulated", e.simulated, "Points of the simulation");
  add("points", e.kept, kept_text);
}
template <class Add> void constants(mno::spde::Phi4SpdeBench& e, Add&& add) {
  add("sigma", e.sigma, "Noise");
  add("steps", e.steps, steps_text);
  add("points", e.points, points_text);
  add("varied", e.varied, "Size of the random part of u_0");
}
template <class Add> void constants(mno::spde::RoughVolatility& e, Add&& add) {
  add("hurst", e.hurst, "Hurst exponent");
  add("eta", e.eta, "Noise");
  add("steps", e.steps, "Steps of the time grid");
  add("points", e.points, points_text);
}
template <class Add> void constants(mno::spde::Heat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("velocity", e.velocity, "Velocity c");
  add("sigma", e.sigma, "Noise");
  add("points", e.points, points_text);
}
template <class Add> void constants(mno::spde::JumpHeat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("rate", e.rate, "Jumps per unit of time");
  add("brownian", e.brownian, "b: share of the variance that is Brownian");
  add("points", e.points, points_text);
}
template <class Add> void constants(mno::spde::HeavyHeat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("freedom", e.freedom, "Degrees of freedom of the Student t");
  add("points", e.points, points_text);
}
template <class Add> void constants(mno::spde::BoundedHeat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("points", e.points, points_text);
  add("walls", e.noise, "What holds at the walls: dirichlet (u = 0) or neumann (u_x = 0) [dirichlet]");
}
template <class Add> void constants(mno::spde::KuramotoSivashinsky& e, Add&& add) {
  add("length", e.length, "Length of the box");
  add("sigma", e.sigma, "Noise");
  add("steps", e.steps, steps_text);
  add("points", e.kept, points_text);
}
template <class Add> void constants(mno::spde::CoupledHeat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("velocity", e.velocity, "Velocity c");
  add("exchange", e.exchange, "Exchange between the two");
  add("correlation", e.correlation, "… of their noises, in [-1, 1]");
  add("sigma", e.sigma, "Noise");
  add("points", e.points, points_text);
}
template <class Add> void constants(mno::spde::PlaneHeat& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("points", e.points[0], "Points on each axis");
}
/// The constants that all time-stepped equations on squares share.
template <class Equation, class Add> void plane_constants(Equation& e, Add&& add) {
  add("steps", e.steps, steps_text);
  add("simulated", e.simulated, "Points of the simulation on each axis");
  add("points", e.kept, "Points that are kept on each axis");
}
template <class Add> void constants(mno::spde::NavierStokes& e, Add&& add) {
  add("nu", e.nu, "Viscosity");
  add("amplitude", e.amplitude, "Size A of the force");
  add("wavenumber", e.wavenumber, "Wavenumber m of the force");
  add("force-known", e.force_known, "The force stands in the file as a known field, or false: it does not");
  add("sigma", e.sigma, "Noise");
  plane_constants(e, add);
}
template <class Add> void constants(mno::spde::GrayScott& e, Add&& add) {
  add("diffusion-u", e.diffusion_u, "D_u");
  add("diffusion-v", e.diffusion_v, "D_v");
  add("feed", e.feed, "F");
  add("kill", e.kill, "k");
  add("sigma-u", e.sigma_u, "Noise of u");
  add("sigma-v", e.sigma_v, "Noise of v");
  add("length", e.length, "Length of the square");
  plane_constants(e, add);
}
template <class Add> void constants(mno::spde::Phi4Plane& e, Add&& add) {
  add("nu", e.nu, "Diffusion");
  add("sigma", e.sigma, "Noise");
  add("growth", e.growth, "Linear growth");
  plane_constants(e, add);
}
template <class Add> void constants(mno::spde::DriftAndNoise& e, Add&& add) {
  add("drift", e.drift, "a");
  add("sigma", e.sigma, "s");
  add("points", e.points, points_text);
}

template <class Add> void constants(mno::spde::FiniteRank& e, Add&& add) {
  add("terms", e.terms, "Rank of the drift");
  add("strength", e.strength, "a_1; a_i = a_1/i");
  add("sigma", e.sigma, "Noise");
  add("points", e.points, points_text);
}

/// The noise between such walls.
inline mno::WallNoise walls_named(const std::string& kind) {
  mno::require(kind == "dirichlet" || kind == "neumann", "simulate", "walls",
               mno::Text("'dirichlet' or 'neumann'"), mno::Text("'", kind, "'"));
  return mno::WallNoise::of_unit_sum(kind == "neumann" ? mno::Wall::neumann : mno::Wall::dirichlet);
}

template <class Equation, class Said> void finish(Equation& e, Said&& said) {
  using mno::Index;
  if constexpr (std::is_same_v<Equation, mno::spde::Burgers>) {
    if (!said("simulated")) e.simulated = std::max<Index>(128, 2 * e.kept);
  } else if constexpr (std::is_same_v<Equation,
                                      mno::spde::Reaction>) {  // at least 128, a multiple of what is kept
    if (!said("simulated") && e.kept >= 1) e.simulated = (127 + e.kept) / e.kept * e.kept;
  } else if constexpr (std::is_same_v<Equation, mno::spde::PlaneHeat>) {
    e.points[1] = e.points[0];
  } else if constexpr (Equation::dimension == 2) {  // at least 64, and a multiple of what is kept
    if (!said("simulated") && e.kept >= 1) e.simulated = (63 + e.kept) / e.kept * e.kept;
  } else if constexpr (requires { e.simulated; }) {
    e.simulated = e.kept;
  }
}

}  // namespace program

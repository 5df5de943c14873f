#pragma once
// Gray and Scott's reaction on the square [0,L)²: v feeds on u and decays, u is fed from outside,
//
//     u_t = D_u Δu − u v² + F(1 − u) + σ_u Ẇ¹,
//     v_t = D_v Δv + u v² − (F + k) v + σ_v Ẇ²,      W¹ and W² independent,
//
// by plane_heun.hpp: diffusion, feed and decay are solved exactly, the reaction is one product u v². Of N
// points the waves |k_x|, |k_y| ≤ N/3 are kept.
//
// The constants are those of Pearson (Science 261, 1993), D_u = 2·10⁻⁵, D_v = 10⁻⁵, with F = .04 and k = .06,
// where spots stretch into a labyrinth of stripes, about .13 from one to the next. Initial fields are
//     u_0 = .9 + .05 g,   v_0 = .1 + .05 h,   g and h independent waves of deviation one.
#include <complex>
#include <numbers>

#include "mno/simulate/plane_heun.hpp"

namespace mno::spde {

struct GrayScott {
  static constexpr int dimension = 2;
  static constexpr Index channels = 2, inputs = 2, outputs = 1;

  double diffusion_u = 2e-5, diffusion_v = 1e-5;  // D_u, D_v
  double feed = 0.04;                             // F
  double kill = 0.06;                             // k
  double sigma_u = 0.001, sigma_v = 0.0005;
  double length = 0.75;  // L
  double time = 100;
  Index steps = 200;
  Index simulated = 64;  // points on each axis
  Index kept = 64;       // points on each axis, every (simulated/kept)-th
  std::array<double, 2> initial_mean{0.9, 0.1};
  PlaneInitialField initial{.modes = 6, .decay = 2, .offset = 4, .amplitude = 0.05};  // around the means
  PlaneNoise noise{4, 2, 1};

  template <class T> using Solver = PlaneHeun<T, GrayScott>;

  PlaneScheme<2> scheme() const {
    return {"GrayScott",          "take more steps", {sigma_u, sigma_v},
            time / double(steps), simulated,         kept,
            (simulated - 1) / 3,  initial,           noise};
  }
  /// Two samples of the sequence of one channel are a sample here.
  std::array<PlaneSeries, 2> draw(std::uint64_t seed, Index sample) const {
    std::array<PlaneSeries, 2> series{initial.draw(seed, 2 * sample), initial.draw(seed, 2 * sample + 1)};
    for (std::size_t c = 0; c < 2; ++c) series[c].mean = initial_mean[c];
    return series;
  }
  double rate(Index channel, PlaneWave k) const {
    const double squared = std::pow(2 * std::numbers::pi / length, 2) * k.squared();
    return channel == 0 ? -diffusion_u * squared - feed : -diffusion_v * squared - feed - kill;
  }
  double force(Index channel, PlaneWave k) const { return channel == 0 && k == PlaneWave{} ? feed : 0; }
  std::complex<double> input_symbol(Index, PlaneWave) const { return 1; }
  std::complex<double> output_symbol(Index channel, Index, PlaneWave) const { return channel == 0 ? -1 : 1; }
  template <class T> static std::array<T, 1> nonlinearity(const std::array<T, 2>& u) {
    return {u[0] * u[1] * u[1]};
  }

  void check() const {
    const auto not_negative = [](const char* name, double value) {
      require(std::isfinite(value) && value >= 0, "GrayScott", name, Text("a number that is not negative"),
              Text(value));
    };
    not_negative("diffusion_u", diffusion_u);
    not_negative("diffusion_v", diffusion_v);
    not_negative("feed", feed);
    not_negative("kill", kill);
    not_negative("sigma_u", sigma_u);
    not_negative("sigma_v", sigma_v);
    require(std::isfinite(length) && length > 0, "GrayScott", "length", Text("a positive number"),
            Text(length));
    require(steps >= 1, "GrayScott", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "GrayScott"); }
  double final_time() const { return time; }
  Grid<2> grid() const { return {{kept, kept}, {{length, length}}}; }
};

}  // namespace mno::spde

#pragma once
// Synthetic fields with a drift and a noise of known size: u_t = c u_0 + a t u_0 + s W_t.
//
// BrownianField has c = 1, a = 0: the variance s² t grows linearly. The head-separation cases have c = 0, so
// that the mean of u_1 is the drift alone: A is pure drift, B pure noise, C both. Their energies at t = 1,
//     drift  E |a u_0(x)|² = a² = 1/14 ≈ 0.0714   (u_0 has variance 1 at every point),
//     noise  Var s W_1(x) = s² = 0.25             (W_1 too),
// are those of the published diagnostic, whose own amplitudes are not given.
#include <numbers>

#include "mno/simulate/modal.hpp"

namespace mno::spde {

struct DriftAndNoise {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double start = 0;  // c
  double drift = 0;  // a
  double sigma = 0;  // s
  double time = 1;
  Index points = 64;
  InitialField initial{};
  ModalNoise noise = ModalNoise::of_unit_variance(8);

  template <class T> using Solver = ModalSolver<T, DriftAndNoise>;

  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  FourierSeries mean(FourierSeries series, double t) const {
    const double scale = start + drift * t;
    series.mean *= scale;
    for (double& a : series.cosine) a *= scale;
    for (double& b : series.sine) b *= scale;
    return series;
  }
  double deviation(Index, double t) const { return sigma * std::sqrt(t); }
  Transition transition(Index k, double s, double t) const { return {1, deviation(k, t - s)}; }

  void check() const {
    initial.check();
    noise.check();
    require(std::isfinite(start), "DriftAndNoise", "start", Text("a finite number"), Text(start));
    require(std::isfinite(drift), "DriftAndNoise", "drift", Text("a finite number"), Text(drift));
    require(std::isfinite(sigma) && sigma >= 0, "DriftAndNoise", "sigma",
            Text("a number that is not negative"), Text(sigma));
    require(points >= 1, "DriftAndNoise", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const { detail::check_free_time(t, "DriftAndNoise"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

/// u_t = u_0 + σ W_t
inline DriftAndNoise brownian_field(double sigma = 0.5) { return {.start = 1, .sigma = sigma}; }

inline constexpr double toy_drift_energy = 1. / 14, toy_noise_energy = 0.25;

inline DriftAndNoise pure_drift() { return {.drift = std::sqrt(toy_drift_energy)}; }  // case A
inline DriftAndNoise pure_noise() { return {.sigma = std::sqrt(toy_noise_energy)}; }  // case B
inline DriftAndNoise drift_and_noise() {                                              // case C
  return {.drift = std::sqrt(toy_drift_energy), .sigma = std::sqrt(toy_noise_energy)};
}

}  // namespace mno::spde

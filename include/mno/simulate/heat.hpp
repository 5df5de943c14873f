#pragma once
// The linear stochastic heat equation on [0,1), carried along at a constant velocity, whose law is known at
// every time:
//
//     u_t = ν u_xx − c u_x + σẆ,    λ_k = −ν(2πk)²,
//     E û_k(t) = e^{λ_k t − 2πik ct} û_k(0),   deviation of mode k:  σ q_k √((e^{2λ_k t} − 1)/(2λ_k)).
//
// The noise has the same law at every x, so in a frame that moves with the velocity c the equation is that
// with c = 0: u_t(x) is v_t(x − ct), where v has c = 0.
//
// exact_law(heat, u_0, t) of modal.hpp gives mean, variance and factor rows.
#include <numbers>

#include "mno/simulate/modal.hpp"

namespace mno::spde {

struct Heat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double velocity = 0;  // c
  double sigma = 0.1;
  double time = 0.5;
  Index points = 64;
  InitialField initial{};
  ModalNoise noise = ModalNoise::with_mean(8);

  template <class T> using Solver = ModalSolver<T, Heat>;

  double rate(Index k) const { return -nu * std::pow(2 * std::numbers::pi * double(k), 2); }
  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  FourierSeries mean(FourierSeries series, double t) const {
    for (Index k = 1; k <= series.modes(); ++k) {
      double &a = series.cosine[std::size_t(k - 1)], &b = series.sine[std::size_t(k - 1)];
      const double decay = std::exp(rate(k) * t), angle = 2 * std::numbers::pi * double(k) * shift(t);
      const double cosine = std::cos(angle), sine = std::sin(angle), old = a;
      a = decay * (a * cosine - b * sine);  // a cos(θ − φ) + b sin(θ − φ), θ = 2πkx, φ = 2πkct
      b = decay * (b * cosine + old * sine);
    }
    return series;
  }
  /// How far the noise's basis has moved at time t.
  double shift(double t) const { return velocity * t; }
  double deviation(Index k, double t) const { return sigma * ornstein_uhlenbeck_deviation(rate(k), t); }
  Transition transition(Index k, double s, double t) const {
    return {std::exp(rate(k) * (t - s)), deviation(k, t - s)};
  }

  void check() const {
    initial.check();
    noise.check();
    require(std::isfinite(nu) && nu >= 0, "Heat", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(velocity), "Heat", "velocity", Text("a finite number"), Text(velocity));
    require(std::isfinite(sigma) && sigma >= 0, "Heat", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points >= 1, "Heat", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const { detail::check_free_time(t, "Heat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

}  // namespace mno::spde

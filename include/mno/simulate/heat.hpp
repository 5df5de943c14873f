#pragma once
// The linear stochastic heat equation on [0,1), whose law is known at every time:
//
//     u_t = ν u_xx + σẆ,    λ_k = −ν(2πk)²,
//     E û_k(t) = e^{λ_k t} û_k(0),   deviation of mode k:  σ q_k √((e^{2λ_k t} − 1)/(2λ_k)).
//
// exact_law(heat, u_0, t) of modal.hpp gives mean, variance and factor rows.
#include <numbers>

#include "mno/simulate/modal.hpp"

namespace mno::spde {

struct Heat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
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
      series.cosine[std::size_t(k - 1)] *= std::exp(rate(k) * t);
      series.sine[std::size_t(k - 1)] *= std::exp(rate(k) * t);
    }
    return series;
  }
  double deviation(Index k, double t) const { return sigma * ornstein_uhlenbeck_deviation(rate(k), t); }
  Transition transition(Index k, double s, double t) const {
    return {std::exp(rate(k) * (t - s)), deviation(k, t - s)};
  }

  void check() const {
    initial.check();
    noise.check();
    require(std::isfinite(nu) && nu >= 0, "Heat", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(sigma) && sigma >= 0, "Heat", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points >= 1, "Heat", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const { detail::check_free_time(t, "Heat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

}  // namespace mno::spde

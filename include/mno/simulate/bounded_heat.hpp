#pragma once
// The stochastic heat equation between two walls, whose law is known at every time:
//
//     u_t = ν u_xx + σẆ on [0,1],   u = 0 (Dirichlet) or u_x = 0 (Neumann) at the walls,   λ_k = −ν(πk)²,
//     E û_k(t) = e^{λ_k t} û_k(0),   deviation of mode k:  σ q_k √((e^{2λ_k t} − 1)/(2λ_k)).
//
// exact_law(heat, seed, sample, t) of modal.hpp gives mean, variance and factor rows.
#include "mno/simulate/modal.hpp"
#include "mno/simulate/walls.hpp"

namespace mno::spde {

struct BoundedHeat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double sigma = 0.1;
  double time = 0.5;
  Index points = 64;
  WallInitialField initial{};
  WallNoise noise = WallNoise::of_unit_sum(Wall::dirichlet);  // it says which walls there are

  template <class T> using Solver = ModalSolver<T, BoundedHeat>;

  double rate(Index k) const { return -nu * std::pow(std::numbers::pi * double(k), 2); }
  WallSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(noise.wall, seed, sample); }
  WallSeries mean(WallSeries series, double t) const {
    for (std::size_t k = 0; k < series.amplitude.size(); ++k)
      series.amplitude[k] *= std::exp(rate(Index(k)) * t);
    return series;
  }
  double deviation(Index k, double t) const { return sigma * ornstein_uhlenbeck_deviation(rate(k), t); }
  Transition transition(Index k, double s, double t) const {
    return {std::exp(rate(k) * (t - s)), deviation(k, t - s)};
  }

  void check() const {
    initial.check();
    noise.check();
    require(std::isfinite(nu) && nu >= 0, "BoundedHeat", "nu", Text("a number that is not negative"),
            Text(nu));
    require(std::isfinite(sigma) && sigma >= 0, "BoundedHeat", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points >= 1, "BoundedHeat", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const { detail::check_free_time(t, "BoundedHeat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}, {{1}, {true}}}; }
};

}  // namespace mno::spde

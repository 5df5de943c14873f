#pragma once
// The linear stochastic heat equation on the square [0,1)², whose law is known at every time:
//
//     u_t = ν Δu + σẆ,    λ_k = −ν |2πk|²,    k = (k_1, k_2),
//     E û_k(t) = e^{λ_k t} û_k(0),   deviation of mode k:  σ q_k √((e^{2λ_k t} − 1)/(2λ_k)).
//
// exact_law(heat, seed, sample, t) of modal.hpp gives mean, variance and factor rows.
#include "mno/simulate/modal.hpp"
#include "mno/simulate/plane_waves.hpp"

namespace mno::spde {

struct PlaneHeat {
  static constexpr int dimension = 2;
  static constexpr Index channels = 1;

  double nu = 0.01;
  double sigma = 0.1;
  double time = 0.5;
  std::array<Index, 2> points{32, 32};
  PlaneInitialField initial{};
  PlaneNoise noise{};

  template <class T> using Solver = ModalSolver<T, PlaneHeat>;

  double rate(PlaneWave k) const { return -nu * 4 * std::numbers::pi * std::numbers::pi * k.squared(); }
  PlaneSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  PlaneSeries mean(PlaneSeries series, double t) const {
    for (std::size_t i = 0; i < series.waves.size(); ++i) {
      const double decay = std::exp(rate(series.waves[i]) * t);
      series.cosine[i] *= decay;
      series.sine[i] *= decay;
    }
    return series;
  }
  double deviation(PlaneWave k, double t) const { return sigma * ornstein_uhlenbeck_deviation(rate(k), t); }
  Transition transition(PlaneWave k, double s, double t) const {
    return {std::exp(rate(k) * (t - s)), deviation(k, t - s)};
  }

  void check() const {
    initial.check();
    require(std::isfinite(nu) && nu >= 0, "PlaneHeat", "nu", Text("a number that is not negative"), Text(nu));
    require(std::isfinite(sigma) && sigma >= 0, "PlaneHeat", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points[0] >= 1 && points[1] >= 1, "PlaneHeat", "points", Text("at least one on each axis"),
            Text(points[0], "x", points[1]));
  }
  void check_time(double t) const { detail::check_free_time(t, "PlaneHeat"); }
  double final_time() const { return time; }
  Grid<2> grid() const { return {points}; }
};

}  // namespace mno::spde

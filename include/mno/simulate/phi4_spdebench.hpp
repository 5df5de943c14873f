#pragma once
// The φ⁴ equation as the benchmark collection SPDEBench solves it: finite differences on a periodic grid,
// diffusion implicit, reaction and noise explicit,
//
//     (I − dt Δ_h) u^{n+1} = u^n + dt (3u^n − (u^n)³) + σ √(dt/dx) ξ^n,   ξ independent N(0,1) per cell,
//
// from u_0 = x(1−x) + κ Σ_{k=1..10} √2 ξ_k sin(2πk(x−½))/(k+1)². Its symbol factors,
//     1 + 2r − 2r cos θ = (r/ρ)(1 − ρe^{iθ})(1 − ρe^{−iθ}),   r = dt/dx²,  ρ + 1/ρ = 2 + 1/r,
// so that a step is one recursion up the periodic grid and one down.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/simulate/normal.hpp"
#include "mno/simulate/simulate.hpp"

namespace mno::spde {

struct Phi4SpdeBench {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;
  template <class T> class Solver;

  double sigma = 0.1;  // and 1
  double time = 0.05;
  Index steps = 50;
  Index points = 128;
  double varied = 0.1;  // κ; 0 starts every sample from x(1−x)
  /// SPDEBench sums sine modes, which is this noise but for the cell at x = 0, where they all vanish.
  bool noise_at_zero = true;

  void check() const {
    require(std::isfinite(sigma) && sigma >= 0, "Phi4SpdeBench", "sigma",
            Text("a number that is not negative"), Text(sigma));
    require(std::isfinite(time) && time > 0, "Phi4SpdeBench", "time", Text("a positive number"), Text(time));
    require(steps >= 1, "Phi4SpdeBench", "steps", Text("at least one"), Text(steps));
    require(points >= 3, "Phi4SpdeBench", "points", Text("at least 3"), Text(points));
    require(std::isfinite(varied), "Phi4SpdeBench", "varied", Text("a finite number"), Text(varied));
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "Phi4SpdeBench"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }

  /// u_0 of a sample at its points.
  std::vector<double> initial(std::uint64_t seed, Index sample) const {
    Stream stream(seed, stream_of(Draw::initial, sample));
    std::vector<double> amplitude, values;
    for (Index k = 1; k <= 10; ++k)
      amplitude.push_back(varied * std::numbers::sqrt2 * stream.normal() / double((k + 1) * (k + 1)));
    for (Index p = 0; p < points; ++p) {
      const double x = double(p) / double(points);
      double u = x * (1 - x);
      for (Index k = 1; k <= 10; ++k)
        u += amplitude[std::size_t(k - 1)] * std::sin(2 * std::numbers::pi * double(k) * (x - 0.5));
      values.push_back(u);
    }
    return values;
  }
};

template <class T> class Phi4SpdeBench::Solver {
 public:
  explicit Solver(const Phi4SpdeBench& equation) : equation_(equation) {
    const double dx = 1 / double(equation.points), r = dt() / (dx * dx), half = 1 + 1 / (2 * r);
    const double rho = 1 / (half + std::sqrt(half * half - 1));  // the smaller root, without cancellation
    rho_ = T(rho);
    wrap_ = T(1 / (1 - std::pow(rho, double(equation.points))));
    gain_ = T(rho / r);
    deviation_ = T(equation.sigma * std::sqrt(dt() / dx));
  }

  void run(const detail::Task<T, 1>& task, Arena& scratch) const {
    const std::vector<double> initial = equation_.initial(task.seed, task.sample);
    for (Index p = 0; p < equation_.points; ++p) task.initial(0, p, 0) = T(initial[std::size_t(p)]);
    const ArenaScope scope(scratch);
    T* const u = scratch.take<T>(std::size_t(equation_.points * lanes));  // (cell, member)
    for (Index first = 0; first < task.count; first += lanes) {
      for (Index p = 0; p < equation_.points; ++p) std::fill_n(u + p * lanes, lanes, task.initial(0, p, 0));
      run_block(task, first, u);
    }
  }

 private:
  static constexpr Index lanes = 32;
  double dt() const { return equation_.time / double(equation_.steps); }

  void run_block(const detail::Task<T, 1>& task, Index first, T* u) const {
    Normals<lanes> normals(task.seed, stream_of(Draw::noise, task.sample), first);
    std::size_t query = 0;
    for (Index step = 0;; ++step) {
      while (detail::steps_to(task.times[query], dt(), "Phi4SpdeBench") == step) {
        for (Index m = 0; m < std::min(lanes, task.count - first); ++m)
          for (Index p = 0; p < equation_.points; ++p)
            task.members[(Index(query) * task.count + first + m) * equation_.points + p] = u[p * lanes + m];
        if (++query == task.times.size()) return;
      }
      react(u, normals, step);
      recurse(u, 0, 1);
      recurse(u, equation_.points - 1, -1);
      for (Index m = 0; m < std::min(lanes, task.count - first); ++m)
        if (!std::isfinite(u[m]))
          detail::blow_up("Phi4SpdeBench", task.sample, first + m, step + 1, double(step + 1) * dt(),
                          "take more steps, or a smaller sigma");
    }
  }

  /// The right-hand side, times ρ/r.
  void react(T* u, Normals<lanes>& normals, Index step) const {
    alignas(alignment) float drawn[4 * lanes] = {};
    const T dt_ = T(dt());
    const Index draws = (equation_.points + 3) / 4;
    for (Index p = 0; p < equation_.points; ++p) {
      if (p % 4 == 0 && deviation_ > 0) normals.draw(std::uint32_t(step * draws + p / 4), drawn);
      const T deviation = p == 0 && !equation_.noise_at_zero ? T(0) : deviation_;
      T* const cell = u + p * lanes;
      const float* const z = drawn + p % 4 * lanes;
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < lanes; ++m) {
        const T v = cell[m];
        cell[m] = gain_ * (v + dt_ * (3 * v - v * v * v) + deviation * T(z[m]));
      }
    }
  }

  /// y_p = f_p + ρ y_{p∓1} around the circle. The y before the first cell, where it starts, is
  /// Σ_j ρ^j f_{−1−j}/(1 − ρ^N).
  void recurse(T* u, Index start, Index direction) const {
    T before[lanes] = {};
    for (int round = 0; round < 2; ++round) {
      for (Index i = 0, p = start; i < equation_.points; ++i, p += direction) {
        T* const cell = u + p * lanes;
        for (Index m = 0; m < lanes; ++m) before[m] = cell[m] + rho_ * before[m];
        if (round == 1) std::copy_n(before, lanes, cell);
      }
      if (round == 0)
        for (T& b : before) b *= wrap_;
    }
  }

  Phi4SpdeBench equation_;
  T rho_, wrap_, gain_, deviation_;
};

}  // namespace mno::spde

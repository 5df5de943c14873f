#pragma once
// A log-volatility field driven by rough noise:
//
//     log σ_t(x) = u_0(x) + η Σ_i φ_i(x) W_i^H(t),    Σ_i φ_i(x)² = 1,
//
// W_i^H independent fractional Brownian motions, so that the noise has variance η² t^{2H} at every point. All
// query times of a sample are read from the same paths; they must lie on the time grid, on which the paths
// are exact in law however coarse it is.
#include "mno/simulate/fractional.hpp"
#include "mno/simulate/modal.hpp"

namespace mno::spde {

struct RoughVolatility {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;
  template <class T> class Solver;

  double hurst = 0.1;
  double eta = 1. / 3;
  double time = 0.5;
  Index steps = 20;  // of the time grid
  Index points = 64;
  InitialField initial{};
  ModalNoise noise = ModalNoise::of_unit_variance(8);

  FourierSeries mean(const FourierSeries& series, double) const { return series; }
  double deviation(Index, double t) const { return eta * std::pow(t, hurst); }

  void check() const {
    initial.check();
    noise.check();
    require(hurst > 0 && hurst < 1, "RoughVolatility", "hurst", Text("a number between 0 and 1"),
            Text(hurst));
    require(std::isfinite(eta) && eta >= 0, "RoughVolatility", "eta", Text("a number that is not negative"),
            Text(eta));
    require(std::abs(noise.pointwise_variance() - 1) < 1e-9, "RoughVolatility", "noise",
            Text("pointwise variance 1, as ModalNoise::of_unit_variance has"),
            Text(noise.pointwise_variance()));
    require(std::isfinite(time) && time > 0, "RoughVolatility", "time", Text("a positive number"),
            Text(time));
    require(steps >= 1, "RoughVolatility", "steps", Text("at least one"), Text(steps));
    require(points >= 1, "RoughVolatility", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const {
    const Index step = detail::steps_to(t, time / double(steps), "RoughVolatility");
    require(step <= steps, "RoughVolatility", "times", Text("at most the final time ", time), Text(t));
  }
  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

template <class T> class RoughVolatility::Solver {
 public:
  explicit Solver(const RoughVolatility& field)
      : field_(field),
        paths_(field.hurst, field.steps),
        basis_(detail::flat<T>(field.noise.basis(field.points))) {}

  void run(const detail::Task<T, 1>& task, Arena& scratch) const {
    const FourierSeries series = field_.draw(task.seed, task.sample);
    series.evaluate(task.initial);
    const ArenaScope scope(scratch);
    const Index rank = field_.noise.rank(), queries = Index(task.times.size());
    const double dt = field_.time / double(field_.steps), scale = field_.eta * std::pow(dt, field_.hurst);
    double* const one = scratch.take<double>(paths_.buffer());
    double* const two = scratch.take<double>(paths_.buffer());
    T* const coefficients = scratch.take<T>(std::size_t(queries * task.count * rank));  // (query, member, i)
    for (Index first = 0; first < task.count; first += block) {
      Normals<block> normals(task.seed, stream_of(Draw::fractional, task.sample), first);
      for (Index i = 0; i < rank; ++i) {
        const double* const path = paths_.sample(normals, i * paths_.draws(), one, two);
        for (Index query = 0; query < queries; ++query) {
          const Index step = detail::steps_to(task.times[std::size_t(query)], dt, "RoughVolatility");
          for (Index m = 0; m < std::min(block, task.count - first); ++m)
            coefficients[(query * task.count + first + m) * rank + i] =
                T(step == 0 ? 0 : scale * path[(step - 1) * block + m]);
        }
      }
    }
    for (Index query = 0; query < queries; ++query)
      detail::expand_members<T, 1>(
          series, coefficients + query * task.count * rank, basis_.data(), rank,
          {task.members + query * task.count * field_.points, task.count, field_.grid(), 1, 1});
  }

 private:
  static constexpr Index block = DaviesHarte::block;
  RoughVolatility field_;
  DaviesHarte paths_;
  std::vector<T> basis_;  // (rank, points)
};

}  // namespace mno::spde

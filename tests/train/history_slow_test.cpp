// A law that sees a history window, on data where history matters: u_{n+1} = a u_n + b u_{n−1} + σξ is normal
// given two frames, and normal with a larger variance given one; both laws are known.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "mno/core/random.hpp"
#include "mno/data/trajectories.hpp"
#include "mno/metric/composition.hpp"
#include "mno/train/fit.hpp"

using namespace mno;
using doctest::Approx;

namespace {

constexpr double a = 1.6, b = -0.8, sigma = 20, level = 300;  // in units that are not of order one
// Yule and Walker: correlations at one and two steps, and the variance
constexpr double rho = a / (1 - b), rho2 = a * rho + b,
                 stationary = sigma * sigma * (1 - b) / ((1 + b) * ((1 - b) * (1 - b) - a * a));
constexpr Index points = 8, frames_each = 12, before = 60;

struct OneFrame {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 2, depth = 1;
};
struct TwoFrames : OneFrame {
  static constexpr int known = 1;
};

/// ξ has three waves and variance 1 everywhere.
Field<float, 1> trajectories(Index count, std::uint64_t seed) {
  Field<float, 1> frames(count * frames_each, Grid<1>{{points}}, 1);
  for (Index i = 0; i < count; ++i) {
    Stream random(seed, std::uint64_t(i));
    std::array<double, points> old{}, now{};
    for (Index n = -before; n < frames_each; ++n) {
      const double z = random.normal(), c = std::sqrt(2) * random.normal(),
                   s = std::sqrt(2) * random.normal();
      for (Index p = 0; p < points; ++p) {
        const double x = 2 * std::numbers::pi * double(p) / double(points);
        const double next = a * now[std::size_t(p)] + b * old[std::size_t(p)] +
                            sigma * (z + c * std::cos(x) + s * std::sin(x)) / std::sqrt(3);
        old[std::size_t(p)] = std::exchange(now[std::size_t(p)], next);
        if (n >= 0) frames(i * frames_each + n, p, 0) = float(level + next);
      }
    }
  }
  return frames;
}
Ensemble<float, 1> pairs(Index count, std::uint64_t seed, Index history) {
  std::vector<double> times;
  for (Index n = 0; n < frames_each; ++n) times.push_back(double(n));
  const auto frames = trajectories(count, seed);
  return ensemble_of_trajectories<float, 1>(frames.view(), times, {.history = history});
}
template <class Shape> Surrogate<PathMno<Shape>> trained(Index history) {
  FitOptions options;
  options.training.epochs = 30;
  options.symmetries = false;
  return fit<PathMno<Shape>>(pairs(150, 1, history), options).surrogate;
}

/// The mean distance between normal marginals, √((m − m')² + (s − s')²), to the law given two frames; in
/// units of σ.
template <class M>
double distance_to_exact(const M& model, Ensemble<float, 1> data, const Ensemble<float, 1>& two) {
  const auto law = model.predict(data.condition());
  const auto spread = variance(law);
  double sum = 0;
  for (Index i = 0; i < data.size(); ++i)
    for (Index p = 0; p < points; ++p) {
      const double exact =
          level + a * (double(two.initial(i, p, 0)) - level) + b * (double(two.known(i, p, 0)) - level);
      sum += std::hypot(double(law.mean(i, p, 0)) - exact, std::sqrt(double(spread(i, p, 0))) - sigma);
    }
  return sum / sigma / double(data.size() * points);
}

/// The correlation of u_n and u_{n+2} where a model is reused step by step, from the data's conditions on.
template <class M> double correlation_at_two(const M& model, const Ensemble<float, 1>& data) {
  const std::vector<double> steps(12, 1.0);
  const auto paths = metric::rollout<float, 1>(model, data.initial, steps, 1, 5, data.known);
  double both = 0, first = 0, second = 0;
  for (Index i = 0; i < data.size(); ++i)
    for (Index p = 0; p < points; ++p) {
      const double x = double(paths[9](i, p, 0)) - level, y = double(paths[11](i, p, 0)) - level;
      both += x * y;
      first += x * x;
      second += y * y;
    }
  return both / std::sqrt(first * second);
}

}  // namespace

TEST_CASE("given two frames the law is the exact one; given one it is the best that one frame allows") {
  const auto with = trained<TwoFrames>(2);
  const auto without = trained<OneFrame>(1);
  auto two = pairs(60, 2, 2), one = two;
  one.known = {};
  const double near = distance_to_exact(with, two, two), far = distance_to_exact(without, one, two);
  MESSAGE("distance to the law given two frames, in units of its deviation: " << near << " with both, " << far
                                                                              << " with one");
  // (m − m')² is σ'² − σ² on average, σ'² = γ(1 − ρ²): what no model of one frame gets below
  const double excess = stationary * (1 - rho * rho) / (sigma * sigma) - 1;
  CHECK(far > 0.7 * std::sqrt(excess));  // E|z| = 0.8 of a normal z's deviation, and the spread beside
  CHECK(near < 0.2 * far);

  const auto spread = variance(without.predict(one.condition()));
  double mean = 0;
  for (const float v : spread.span()) mean += double(v) / double(spread.size());
  CHECK(mean == Approx(stationary * (1 - rho * rho)).epsilon(0.15));

  const double remembered = correlation_at_two(with, two), forgotten = correlation_at_two(without, one);
  MESSAGE("reused, the correlation at two steps is " << remembered << " with a history and " << forgotten
                                                     << " without, exact " << rho2 << ", Markov "
                                                     << rho * rho);
  CHECK(remembered == Approx(rho2).epsilon(0.1));
  CHECK(forgotten == Approx(rho * rho).epsilon(0.1));
}

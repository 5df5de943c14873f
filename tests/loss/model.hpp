#pragma once
// A small model with a condition and an ensemble: losses from the parameters on.
#include "device.hpp"
#include "mno/model/gradient.hpp"
#include "oracle.hpp"

namespace mno::testing {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 3, width = 6, modes = 3, depth = 2, projection = 8;
};
struct Plane {
  static constexpr int dimension = 2, channels = 2, rank = 2, width = 4, modes = 2, depth = 1, projection = 6;
};

/// The derivative in several random directions of the parameters against central differences: the largest
/// relative error.
template <class M, class C, class L>
double gradient_error_of(const M& model, const C& condition, L&& loss, int directions = 6) {
  M gradient = model.zeros(), unused = model.zeros();
  value_and_gradient(model, condition, loss, gradient, test::device());
  double worst = 0;
  for (int d = 0; d < directions; ++d) {
    Stream stream(17, std::uint64_t(d));
    std::vector<double> direction(M::parameters);
    double norm = 0, derivative = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = stream.normal();
      norm += direction[i] * direction[i];
    }
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] /= std::sqrt(norm);
      derivative += direction[i] * gradient.values()[i];
    }
    const auto at = [&](double h) {
      M moved = model;
      for (std::size_t i = 0; i < direction.size(); ++i) moved.values()[i] += h * direction[i];
      return value_and_gradient(moved, condition, loss, unused, test::device());
    };
    const double h = 1e-4;
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    worst = std::max(worst, std::abs(derivative - difference) / std::abs(difference));
  }
  return worst;
}

template <class S> struct SmallProblem {
  static constexpr int D = S::dimension;
  Field<double, D> initial;
  RandomEnsemble<double, D> ensemble;
  Mno<S, double> model;
  double time = 0.7;

  static Grid<D> grid_of(Index points) {
    Grid<D> grid;
    for (Index& n : grid.points) n = points;
    return grid;
  }
  SmallProblem(Index samples, Index points)
      : initial(samples, grid_of(points), S::channels),
        ensemble(samples, grid_of(points), S::channels, 5, 21, 0.3),
        model(4) {
    randomise(initial, 0.7, 0.1, 9);
    Stream stream(5);  // larger than the first values, so that no variance is below the floor
    for (double& w : model.values()) w += 0.3 * stream.normal();
  }
  Condition<double, D> condition() const { return {initial.view(), {&time, 1}}; }

  template <class L> double gradient_error(L&& loss) const {
    return gradient_error_of(model, condition(), loss);
  }
};

}  // namespace mno::testing

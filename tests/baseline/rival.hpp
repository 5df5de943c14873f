#pragma once
// What holds for every rival that gives draws, as checks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gradients.hpp"
#include "mno/model/predict.hpp"

namespace mno::test {

/// A smooth field that every grid of at least 16 points per axis carries, another one in every sample.
template <class T, int D> Field<T, D> smooth_fields(Index batch, const Grid<D>& grid, Index channels = 1) {
  Field<T, D> u(batch, grid, channels);
  for (Index b = 0; b < batch; ++b)
    for (Index p = 0; p < u.points(); ++p)
      for (Index c = 0; c < channels; ++c) {
        double value = 0;
        Index rest = p;
        for (std::size_t d = std::size_t(D); d-- > 0;) {
          const double x = double(rest % grid.points[d]) / double(grid.points[d]);
          value += std::sin(2 * std::numbers::pi * (x + 0.1 * double(b + c))) +
                   0.5 * std::cos(4 * std::numbers::pi * x);
          rest /= grid.points[d];
        }
        u(b, p, c) = T(value);
      }
  return u;
}

/// S draws of every sample at time t.
template <class M, class T = typename M::Scalar, int D = M::dimension>
Field<T, D> draws_of(const M& model, const Field<T, D>& u, double t, Index draws, std::uint64_t seed = 3) {
  const T time = T(t);
  return predict(model,
                 Condition<T, D>{.initial = u.view(), .times = {&time, 1}, .noise = seed, .draws = draws},
                 device());
}

/// At t = 0 every draw is u_0, bit for bit; later no two draws are the same.
template <class M> void check_draws(const Grid<M::dimension>& grid) {
  static_assert(M::gives_draws);
  using T = typename M::Scalar;
  const M model(4, grid.domain);
  auto u = smooth_fields<T, M::dimension>(2, grid, M::ShapeType::channels);
  u(0, 1, 0) = T(-0.0);
  const auto first = draws_of(model, u, 0, 3), later = draws_of(model, u, 0.5, 3);
  const auto each = Index(u.size()) / 2;
  for (Index b = 0; b < 2; ++b)
    for (Index s = 0; s < 3; ++s) {
      const auto bits = [&](const T* from) {
        return std::vector<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(from),
                                         reinterpret_cast<const std::uint8_t*>(from + each));
      };
      CHECK(bits(first.data() + (b * 3 + s) * each) == bits(u.data() + b * each));
    }
  for (Index i = 0; i < each; ++i) CHECK(later.data()[i] != later.data()[i + each]);
}

/// A condition's draws on grids of 32, 64 and 128 points are the same fields, up to what the nonlinearities
/// fold back: their distance, relative to the spread of the draws.
template <class M> double distance_between_grids() {
  using T = typename M::Scalar;
  const M model(4);
  constexpr Index draws = 8;
  const auto on = [&](Index n) { return draws_of(model, smooth_fields<T, 1>(1, Grid<1>{{n}}), 0.5, draws); };
  const auto coarse = on(32), middle = on(64), fine = on(128);
  double worst = 0, spread = 0;
  for (Index p = 0; p < 32; ++p) {
    double mean = 0, square = 0;
    for (Index s = 0; s < draws; ++s) {
      const double x = double(fine(s, 4 * p, 0));
      mean += x / draws;
      square += x * x / draws;
      worst =
          std::max({worst, std::abs(double(coarse(s, p, 0)) - x), std::abs(double(middle(s, 2 * p, 0)) - x)});
    }
    spread += std::sqrt(std::max(0.0, square - mean * mean)) / 32;
  }
  return worst / spread;
}

}  // namespace mno::test

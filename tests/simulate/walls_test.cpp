#include "mno/simulate/walls.hpp"

#include <doctest/doctest.h>

using namespace mno;
using doctest::Approx;

TEST_CASE("the functions are orthonormal on [0,1], and what holds at the walls holds") {
  constexpr Index n = 2000;
  for (const Wall wall : {Wall::dirichlet, Wall::neumann})
    for (Index k = lowest_wave(wall); k < 5; ++k) {
      for (Index l = lowest_wave(wall); l < 5; ++l) {
        double product = 0;  // by midpoints
        for (Index i = 0; i < n; ++i) {
          const double x = (double(i) + 0.5) / double(n);
          product += wall_wave(wall, k, x) * wall_wave(wall, l, x) / double(n);
        }
        CHECK(product == Approx(k == l ? 1 : 0).epsilon(1e-5));
      }
      for (const double x : {0.0, 1.0}) {
        const double h = 1e-5, slope = (wall_wave(wall, k, x + h) - wall_wave(wall, k, x - h)) / (2 * h);
        CHECK(std::abs(wall == Wall::dirichlet ? wall_wave(wall, k, x) : slope) < 1e-8);
      }
      const double x = 0.3, h = 1e-4;
      const double curvature =
          (wall_wave(wall, k, x + h) - 2 * wall_wave(wall, k, x) + wall_wave(wall, k, x - h)) / (h * h);
      CHECK(curvature ==
            Approx(-std::pow(std::numbers::pi * double(k), 2) * wall_wave(wall, k, x)).epsilon(1e-4));
    }
}

TEST_CASE("one draw of u_0 is one function on every grid") {
  const WallInitialField initial;
  const WallSeries series = initial.draw(Wall::neumann, 3, 7);
  CHECK(series.amplitude == initial.draw(Wall::neumann, 3, 7).amplitude);
  CHECK(series.amplitude != initial.draw(Wall::neumann, 3, 8).amplitude);
  Field<double, 1> coarse(1, Grid<1>{{8}}, 1), fine(1, Grid<1>{{32}}, 1);
  series.evaluate(coarse.view());
  series.evaluate(fine.view());
  for (Index p = 0; p < 8; ++p) CHECK(coarse(0, p, 0) == Approx(fine(0, 4 * p, 0)).epsilon(1e-12));
}

TEST_CASE("the mean square of u_0 over many draws is the one asked for") {
  // of 4000 draws of Σ a_k², whose deviation is at most √2: five standard errors, which chance exceeds once
  // in a million runs
  const WallInitialField initial{.amplitude = 2};
  double square = 0;
  for (Index s = 0; s < 4000; ++s)
    for (const double a : initial.draw(Wall::dirichlet, 1, s).amplitude) square += a * a / 4000;
  CHECK(std::abs(square / 4 - 1) < 5 * std::sqrt(2.0 / 4000));
}

TEST_CASE("noise: as many functions as the walls allow, scaled to one") {
  for (const Wall wall : {Wall::dirichlet, Wall::neumann}) {
    const WallNoise noise = WallNoise::of_unit_sum(wall, 6);
    CHECK(noise.rank() == (wall == Wall::neumann ? 7 : 6));
    double sum = 0;
    for (Index i = 0; i < noise.rank(); ++i) sum += std::pow(noise[noise.wavenumber(i)], 2);
    CHECK(sum == Approx(1));
    const auto rows = noise.basis(10);
    CHECK(rows(1, 3) == Approx(noise[noise.wavenumber(1)] * wall_wave(wall, noise.wavenumber(1), 0.3)));
  }
  CHECK_THROWS_AS(WallNoise::of_unit_sum(Wall::neumann, 0), Error);
  CHECK_THROWS_AS((WallNoise{Wall::neumann, {1, -1}}.check()), Error);
}

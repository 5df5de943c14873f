// A field with walls in its periodic box, against the formula written down again.
#include "mno/spectral/box.hpp"

#include <doctest/doctest.h>

#include "mno/core/random.hpp"
#include "mno/spectral/resample.hpp"

using namespace mno;
using doctest::Approx;

namespace {

template <int D> Field<double, D> noise(Index batch, Grid<D> grid, Index channels, std::uint64_t seed) {
  Field<double, D> field(batch, grid, channels);
  Stream random(seed);
  for (double& value : field.span()) value = random.normal();
  return field;
}

/// E u at step i of the box, u(j) being the given points: the formula of the header.
template <class U> double extended(U&& u, Index n, Index pad, Index i) {
  if (i < n) return u(i);
  if (i == n) return u(n - 1);
  const double s = double(i - n) / double(pad), w = 0.5 * (1 + std::cos(std::numbers::pi * s));
  return w * u(n - (i - n)) + (1 - w) * u(pad - (i - n));
}

template <class A, class B> double dot(const A& a, const B& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a.span()[i] * b.span()[i];
  return sum;
}

}  // namespace

TEST_CASE("a bounded axis gets a quarter more points, a periodic one none") {
  const Grid<2> grid{{16, 10}, {{2.0, 3.0}, {true, false}}};
  const Grid<2> box = box_of(grid);
  CHECK(box.points == std::array<Index, 2>{20, 10});
  CHECK(box.domain.length == std::array<double, 2>{2.5, 3.0});
  CHECK_FALSE(box.domain.has_walls());
  CHECK(box_of(box) == box);
  for (Index n = 1; n < 40; ++n) {
    const Index pad = box_of(Grid<1>{{n}, {{1}, {true}}}).points[0] - n;
    CHECK(std::abs(double(pad) - double(n) / 4) <= (n < 4 ? 0.75 : 0.5));
  }
}

TEST_CASE("values in one dimension and in two") {
  for (const Index n : {1, 2, 4, 5, 7, 16}) {
    const auto u = noise<1>(2, {{n}, {{1.5}, {true}}}, 3, 1);
    const auto box = in_box(u);
    const Index all = box.points(), pad = all - n;
    for (Index b = 0; b < 2; ++b)
      for (Index i = 0; i < all; ++i)
        for (Index c = 0; c < 3; ++c)
          CHECK(box(b, i, c) ==
                Approx(extended([&](Index j) { return u(b, j, c); }, n, pad, i)).epsilon(1e-14));
  }
  const auto u = noise<2>(2, {{6, 8}, {{1, 1}, {true, true}}}, 1, 2);
  const auto box = in_box(u);
  REQUIRE(box.grid().points == std::array<Index, 2>{8, 10});
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < 8; ++i)
      for (Index j = 0; j < 10; ++j) {
        const auto row = [&](Index p) {
          return extended([&](Index q) { return u(b, p * 8 + q, 0); }, 8, 2, j);
        };
        CHECK(box(b, i * 10 + j, 0) == Approx(extended(row, 6, 2, i)).epsilon(1e-14));
      }
}

TEST_CASE("the adjoint: ⟨ȳ, E u⟩ = ⟨Eᵀȳ, u⟩") {
  const auto check = [](auto u, std::uint64_t seed) {
    constexpr int D = decltype(u)::dimension;
    const auto y = in_box(u);
    const auto ybar = noise<D>(u.batch(), y.grid(), u.channels(), seed);
    Field<double, D> ubar(u.batch(), u.grid(), u.channels());
    const detail::FoldFromBox<double, D> fold{ybar.view(), ubar.view()};
    for (Index r = 0; r < ubar.view().rows(); ++r)
      for (Index c = 0; c < u.channels(); ++c) fold(r, c);
    CHECK(dot(y, ybar) == Approx(dot(u, ubar)).epsilon(1e-13));
  };
  for (const Index n : {1, 2, 3, 4, 5, 9, 16}) check(noise<1>(2, {{n}, {{1}, {true}}}, 2, 3), 4);
  check(noise<2>(1, {{5, 8}, {{1, 1}, {true, true}}}, 2, 5), 6);
  check(noise<2>(1, {{5, 8}, {{1, 1}, {false, true}}}, 1, 5), 6);
  check(noise<3>(1, {{4, 5, 3}, {{1, 1, 1}, {true, false, true}}}, 1, 7), 8);
}

TEST_CASE("it means the same on every grid: common points agree but for the far wall") {
  Field<double, 1> coarse(1, {{16}, {{2}, {true}}}, 1), fine(1, {{64}, {{2}, {true}}}, 1);
  const auto f = [](std::array<double, 1> x, Index) { return std::exp(x[0]) * std::cos(3 * x[0]); };
  coarse.fill(f);
  fine.fill(f);
  const auto a = in_box(coarse), b = in_box(fine);
  REQUIRE(b.points() == 4 * a.points());
  for (Index i = 0; i < a.points(); ++i)
    if (i != 16) CHECK(a(0, i, 0) == Approx(b(0, 4 * i, 0)).epsilon(1e-13));
  for (Index i = 0; i < b.points(); ++i)  // and there is no jump, anywhere round the box
    CHECK(std::abs(b(0, (i + 1) % 80, 0) - b(0, i, 0)) < 1.0);
}

TEST_CASE("resampling between walls: exact where points are common, elsewhere the better the finer") {
  const auto error = [](Index n) {
    Field<double, 1> coarse(2, {{n}, {{1}, {true}}}, 1);
    const auto f = [](Index sample, std::array<double, 1> x, Index) {
      return std::cos(std::numbers::pi * x[0] * double(2 + sample));
    };
    coarse.fill(f);
    const auto fine = resample<double, 1>(coarse, {2 * n});
    CHECK(fine.grid().domain == coarse.grid().domain);
    double largest = 0;
    for (Index b = 0; b < 2; ++b)
      for (Index p = 0; p < 2 * n; ++p) {
        if (p % 2 == 0) CHECK(fine(b, p, 0) == Approx(coarse(b, p / 2, 0)).epsilon(1e-10));
        largest = std::max(largest, std::abs(fine(b, p, 0) - f(b, {double(p) / double(2 * n)}, 0)));
      }
    return largest;
  };
  CHECK(error(32) < 0.05);
  CHECK(error(128) < 0.01);
}

TEST_CASE("grids whose boxes differ in length are refused") {
  const auto u = noise<1>(1, {{16}, {{1}, {true}}}, 1, 1);
  CHECK_THROWS_WITH_AS(
      (resample<double, 1>(u, {18})),
      "mno::resample: argument 'points': expected a multiple of 4 points on axis 0, which has "
      "walls, on both grids, got boxes of 20 and 23 points of different length.",
      Error);
}

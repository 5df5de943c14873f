// The trigonometric interpolant on another grid, and its adjoint.
#include "mno/spectral/resample.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "mno/core/random.hpp"

using namespace mno;

namespace {

template <class T, int D>
Field<T, D> random_field(Index batch, Grid<D> grid, Index channels, std::uint64_t seed) {
  Field<T, D> field(batch, grid, channels);
  Stream random(seed);
  for (T& value : field.span()) value = T(random.normal());
  return field;
}

/// ⟨P u, v⟩ = ⟨u, Pᵀ v⟩
template <class T, int D> void adjoint_identity(Grid<D> from, Grid<D> to) {
  const auto u = random_field<T, D>(2, from, 3, 1), v = random_field<T, D>(2, to, 3, 2);
  Field<T, D> up(2, to, 3), back(2, from, 3);
  Workspace workspace;
  resample_into<T, D>(u.view(), up.view(), workspace);
  resample_adjoint_into<T, D>(v.view(), back.view(), workspace);
  double left = 0, right = 0, size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    left += double(up.data()[i]) * double(v.data()[i]);
    size += double(up.data()[i]) * double(up.data()[i]);
  }
  for (std::size_t i = 0; i < u.size(); ++i) right += double(u.data()[i]) * double(back.data()[i]);
  CHECK(size > 0);
  CHECK(std::abs(left - right) <=
        (std::is_same_v<T, float> ? 1e-5 : 1e-13) * std::sqrt(size * double(v.size())));
}

}  // namespace

TEST_CASE_TEMPLATE("the adjoint of resampling, up and down, on even and odd grids", T, float, double) {
  for (const Index from : {4, 5, 8, 12})
    for (const Index to : {4, 6, 9, 16}) adjoint_identity<T, 1>({{from}}, {{to}});
  adjoint_identity<T, 2>({{6, 5}}, {{4, 10}});
  adjoint_identity<T, 2>({{4, 8}}, {{8, 4}});
}

TEST_CASE("a wave that both grids carry is the same function on both") {
  Field<double, 1> coarse(1, Grid<1>{{8}, {{2.0}}}, 1);
  const auto wave = [](double x) { return 0.5 + std::cos(std::numbers::pi * 3 * x + 0.4); };
  coarse.fill([&](auto x, Index) { return wave(x[0]); });
  const Field<double, 1> fine = resample<double, 1>(coarse, {20});
  for (Index p = 0; p < 20; ++p) CHECK(fine(0, p, 0) == doctest::Approx(wave(double(p) / 10)).epsilon(1e-13));
}

// Factorised spectral convolution: in one dimension a SpectralConv, in two the sum of those of rows and
// columns; swapping the axes of input and weights swaps the output; and the oracle.
#include "mno/layer/factorised_spectral.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("in one dimension it is a spectral convolution") {
  for (const auto& grid : lines) {
    Dense<FactorisedSpectralConv<3, 4, 1, 5>, double, 1> one(grid);
    Dense<SpectralConv<3, 4, 1, 5>, double, 1> other(grid);
    one.run();
    other.run();
    double error = 0;
    for (std::size_t i = 0; i < one.y.size(); ++i)
      error = std::max(error, std::abs(one.y.data()[i] - other.y.data()[i]));
    for (std::size_t i = 0; i < one.xbar.size(); ++i)
      error = std::max(error, std::abs(one.xbar.data()[i] - other.xbar.data()[i]));
    for (std::size_t i = 0; i < one.wbar.size(); ++i)
      error = std::max(error, std::abs(one.wbar[i] - other.wbar[i]));
    CHECK(error <= 1e-14);
  }
}

TEST_CASE("in two dimensions it is the sum over rows and columns") {
  using Axis = SpectralConv<2, 3, 1, 3>;
  const Index n = 6, m = 9;
  Dense<FactorisedSpectralConv<2, 3, 2, 3>, double, 2> layer(Grid<2>{{n, m}});
  layer.run();
  const auto line = [&](Index count, std::size_t first, auto point) {
    Field<double, 1> x(1, Grid<1>{{count}}, 2);
    for (Index j = 0; j < count; ++j)
      for (Index c = 0; c < 2; ++c) x(0, j, c) = layer.x(1, point(j), c);
    Dense<Axis, double, 1> axis(x);
    std::copy_n(layer.w.begin() + std::ptrdiff_t(first), Axis::parameters, axis.w.begin());
    axis.run();
    return axis.y;
  };
  Field<double, 2> expected(1, Grid<2>{{n, m}}, 3);
  const auto add = [&](const Field<double, 1>& y, auto point) {
    for (Index j = 0; j < y.points(); ++j)
      for (Index c = 0; c < 3; ++c) expected(0, point(j), c) += y(0, j, c);
  };
  for (Index j = 0; j < m; ++j) {
    const auto point = [&](Index i) { return i * m + j; };
    add(line(n, 0, point), point);
  }
  for (Index i = 0; i < n; ++i) {
    const auto point = [&](Index j) { return i * m + j; };
    add(line(m, Axis::parameters, point), point);
  }
  double error = 0;
  for (Index p = 0; p < n * m; ++p)
    for (Index c = 0; c < 3; ++c) error = std::max(error, std::abs(expected(0, p, c) - layer.y(1, p, c)));
  CHECK(error <= 1e-14);
}

TEST_CASE("swapping the axes of input and weights swaps the output") {
  const Index n = 8, m = 66;  // more than 64 lines along one of the axes
  using L = FactorisedSpectralConv<3, 5, 2, 4>;
  Dense<L, float, 2> one(Grid<2>{{n, m}}), other(Grid<2>{{m, n}});
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < m; ++j) {
        for (Index c = 0; c < 3; ++c) other.x(b, j * n + i, c) = one.x(b, i * m + j, c);
        for (Index c = 0; c < 5; ++c) other.ybar(b, j * n + i, c) = one.ybar(b, i * m + j, c);
      }
  const auto half = std::ptrdiff_t(L::parameters / 2);
  std::rotate_copy(one.w.begin(), one.w.begin() + half, one.w.end(), other.w.begin());
  one.run();
  other.run();
  float error = 0;
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < m; ++j) {
        for (Index c = 0; c < 5; ++c)
          error = std::max(error, std::abs(other.y(b, j * n + i, c) - one.y(b, i * m + j, c)));
        for (Index c = 0; c < 3; ++c)
          error = std::max(error, std::abs(other.xbar(b, j * n + i, c) - one.xbar(b, i * m + j, c)));
      }
  CHECK(error <= 1e-5f);
  std::rotate(other.wbar.begin(), other.wbar.begin() + half, other.wbar.end());
  for (std::size_t i = 0; i < one.wbar.size(); ++i)
    CHECK(other.wbar[i] == doctest::Approx(one.wbar[i]).epsilon(1e-4).scale(1));
}

TEST_CASE("factorised spectral convolution against the oracle") {
  for (const auto& grid : lines) {
    check_vjp<FactorisedSpectralConv<2, 3, 1, 4>>(grid);
    check_linear<FactorisedSpectralConv<2, 3, 1, 5>>(grid);
  }
  for (const auto& grid : planes) {
    check_vjp<FactorisedSpectralConv<2, 3, 2, 3>>(grid);
    check_linear<FactorisedSpectralConv<3, 2, 2, 5>>(grid);  // Nyquist on both axes of 8 x 8
  }
  check_linear<FactorisedSpectralConv<2, 2, 2, 2>>(Grid<2>{{70, 5}});
  check_vjp<FactorisedSpectralConv<2, 2, 3, 2>>(Grid<3>{{4, 5, 6}});
  check_linear<FactorisedSpectralConv<2, 3, 3, 3>>(Grid<3>{{4, 5, 6}});
  check_strided<FactorisedSpectralConv<5, 6, 2, 3>>(planes[2]);
  check_strided<FactorisedSpectralConv<5, 6, 1, 70>, double>(Grid<1>{{150}});  // by FFTW, where it is at hand
}

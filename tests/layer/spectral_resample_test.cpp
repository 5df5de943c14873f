// The trigonometric interpolant against its sum over waves, written out point by point, and the oracle.
#include "mno/layer/spectral_resample.hpp"

#include <complex>

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

namespace {

/// How much wave k of an axis with n points counts on an axis with m points: 0 where one of them does not
/// carry it; of the wave n/2 of an even axis, which is its own mirror image, each of ±n/2 has half.
double share(Index k, Index n, Index m) {
  const Index a = std::abs(k);
  return 2 * a > n || 2 * a > m ? 0 : 2 * a == n ? 0.5 : 1;
}

template <int Up, int Down> void check_line(Index n) {
  const Index m = n * Up / Down;
  Dense<SpectralResample<2, Up, Down>, double, 1> layer(Grid<1>{{n}, {{2.5}}});
  layer.run();
  REQUIRE(layer.y.grid() == Grid<1>{{m}, {{2.5}}});
  double error = 0;
  for (Index j = 0; j < m; ++j) {
    std::complex<double> sum = 0;
    for (Index k = -n; k <= n; ++k)
      for (Index i = 0; i < n; ++i)
        sum += share(k, n, m) / double(n) * layer.x(1, i, 1) *
               std::polar(1.0,
                          2 * std::numbers::pi * double(k) * (double(j) / double(m) - double(i) / double(n)));
    error = std::max(error, std::abs(sum.real() - layer.y(1, j, 1)));
  }
  INFO(n << " → " << m);
  CHECK(error <= 1e-13);
}

}  // namespace

TEST_CASE("the interpolant of a line") {
  for (const Index n : {4, 5, 6, 9, 12}) {
    check_line<1, 1>(n);
    check_line<2, 1>(n);
    check_line<3, 1>(n);
    if (n % 2 == 0) check_line<1, 2>(n);
    if (n % 2 == 0) check_line<3, 2>(n);
    if (n % 3 == 0) check_line<2, 3>(n);
  }
  check_line<1, 2>(300);  // by FFTW, where it is at hand
}

TEST_CASE("up passes through the points, and down undoes it") {
  using Up = SpectralUp<3, 2>;
  Dense<Up, double, 2> up(Grid<2>{{5, 6}});
  up.run();
  double error = 0;
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 6; ++j)
      for (Index c = 0; c < 3; ++c)
        error = std::max(error, std::abs(up.y(0, 2 * i * 12 + 2 * j, c) - up.x(0, i * 6 + j, c)));
  CHECK(error <= 1e-14);
  Dense<SpectralDown<3, 2>, double, 2> down(up.y);
  down.run();
  for (std::size_t i = 0; i < up.x.size(); ++i)
    error = std::max(error, std::abs(down.y.data()[i] - up.x.data()[i]));
  CHECK(error <= 1e-14);
}

TEST_CASE("spectral resampling against the oracle") {
  for (const auto& grid : lines) check_linear<SpectralUp<2, 2>>(grid);
  for (const auto& grid : planes) check_linear<SpectralResample<2, 3, 1>>(grid);
  check_linear<SpectralDown<2, 2>>(Grid<2>{{6, 8}});
  check_linear<SpectralResample<2, 2, 3>>(Grid<2>{{6, 9}});
  check_linear<SpectralUp<2, 2>>(Grid<3>{{3, 4, 2}});
  check_vjp<SpectralUp<2, 2>>(planes[2]);
  check_vjp<SpectralDown<2, 2>>(planes[4]);
  check_strided<SpectralUp<6, 2>>(planes[2]);
  check_strided<SpectralDown<6, 2>, double>(planes[4]);
}

TEST_CASE("points that do not stay whole are refused") {
  CHECK_THROWS_WITH_AS(
      (output_grid<SpectralResample<1, 3, 2>>(Grid<2>{{4, 5}})),
      "mno::SpectralResample: argument 'x': expected points of which 3/2 is a whole number, got 5 on axis 1.",
      Error);
}

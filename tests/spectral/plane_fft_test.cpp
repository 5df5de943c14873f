#include "mno/spectral/plane_fft.hpp"

#include <doctest/doctest.h>

#include <complex>

using namespace mno;

namespace {
constexpr Index lanes = 2, width = 2 * lanes;
std::complex<double> turn(Index k, Index j, Index n) {
  return std::polar(1., 2 * std::numbers::pi * double(k * j % n) / double(n));
}
/// Some number of mode (kx, ky) or of point (x, y), of one lane.
std::complex<double> some(Index a, Index b, Index lane) {
  return {std::sin(double(3 * a + 7 * b + lane)), std::cos(double(5 * a - 2 * b + 4 * lane))};
}
void set(double* at, Index lane, std::complex<double> z) {
  at[lane] = z.real();
  at[lanes + lane] = z.imag();
}
std::complex<double> get(const double* at, Index lane) { return {at[lane], at[lanes + lane]}; }
}  // namespace

TEST_CASE("a plane is the sum of its kept waves at every point, and its waves are sums over points") {
  for (const Index n : {5, 8, 12}) {
    const Index highest = (n - 1) / 3, modes = 2 * highest + 1;
    CAPTURE(n);
    const PlaneFft<double, lanes> fft(n, highest);
    REQUIRE(fft.modes() == modes);
    // Memory that was used before: what is read must have been written.
    std::vector<double> half(fft.half(), std::nan("")), line(fft.line(), std::nan("")), spare(line);
    for (Index ky = 0; ky < modes; ++ky)
      fft.column_to_points(
          [&](Index kx, double* to) {
            for (Index l = 0; l < lanes; ++l) set(to, l, some(kx, ky, l));
          },
          ky, half.data(), line.data(), spare.data());
    for (Index x = 0; x < n; ++x) {
      const double* const values = fft.row_to_points(half.data(), x, line.data(), spare.data());
      for (Index y = 0; y < n; ++y)
        for (Index l = 0; l < lanes; ++l) {
          std::complex<double> sum = 0;
          for (Index i = 0; i < modes; ++i)
            for (Index j = 0; j < modes; ++j)
              sum += some(i, j, l) * turn(i - highest, x, n) * turn(j - highest, y, n);
          CHECK(std::abs(get(values + y * width, l) - sum) < 1e-12);
        }
    }
    for (Index x = 0; x < n; ++x) {
      for (Index y = 0; y < n; ++y)
        for (Index l = 0; l < lanes; ++l) set(line.data() + y * width, l, some(x, y, l));
      fft.row_to_modes(line.data(), spare.data(), x, half.data());
    }
    for (Index j = 0; j < modes; ++j) {
      const double* const column = fft.column_to_modes(half.data(), j, line.data(), spare.data());
      for (Index i = 0; i < modes; ++i)
        for (Index l = 0; l < lanes; ++l) {
          std::complex<double> sum = 0;
          for (Index x = 0; x < n; ++x)
            for (Index y = 0; y < n; ++y)
              sum += some(x, y, l) * turn(highest - i, x, n) * turn(highest - j, y, n);
          CHECK(std::abs(get(column + fft.place(i), l) - sum) < 1e-11);
        }
    }
  }
}

TEST_CASE("more waves than points carry are refused") {
  CHECK_THROWS_WITH(
      (PlaneFft<float, 8>(8, 4)),
      "mno::PlaneFft: argument 'highest': expected a number below half of the 8 points, got 4.");
}

#include "mno/simulate/plane_waves.hpp"

#include <doctest/doctest.h>

#include "mno/simulate/plane_heat.hpp"
#include "statistics.hpp"

using namespace mno;
using doctest::Approx;

TEST_CASE("every wave once: of k and -k one stands for both") {
  const auto waves = plane_waves(3);
  CHECK(waves.size() == 14);  // 28 of 0 < |k|^2 <= 9
  for (const PlaneWave& a : waves)
    for (const PlaneWave& b : waves) CHECK_FALSE((a.x == -b.x && a.y == -b.y));
  CHECK(PlaneNoise(3).rank() == 29);
}

TEST_CASE("a series has its values at every point of a grid, in the channel that is asked for") {
  const PlaneSeries series{0.5, {{0, 2}, {3, -1}}, {1, 2}, {-1, 0.25}};
  Field<double, 2> field(2, Grid<2>{{4, 7}}, 3);
  std::fill_n(field.data(), field.size(), 9.);
  series.evaluate(field.view(), 1, 2);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 7; ++j) {
      const double x = 2 * std::numbers::pi * double(i) / 4, y = 2 * std::numbers::pi * double(j) / 7;
      const double expected =
          0.5 + std::cos(2 * y) - std::sin(2 * y) + 2 * std::cos(3 * x - y) + std::sin(3 * x - y) / 4;
      CHECK(field(1, i * 7 + j, 2) == Approx(expected).epsilon(1e-12));
      CHECK(field(1, i * 7 + j, 1) == 9);
      CHECK(field(0, i * 7 + j, 2) == 9);
      // The same by coefficients of k and −k.
      std::complex<double> sum = 0.5;
      for (std::size_t w = 0; w < 2; ++w) {
        const auto term = series.coefficient(w) * std::polar(1., series.waves[w].angle({4, 7}, i * 7 + j));
        sum += term + std::conj(term);
      }
      CHECK(sum.real() == Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("an initial field has the deviation it was given, and its waves the decay") {
  const PlaneInitialField initial{.modes = 5, .decay = 2.5, .offset = 4, .amplitude = 0.7};
  constexpr Index samples = 4000;
  double point = 0, one = 0, five = 0;
  for (Index s = 0; s < samples; ++s) {
    const PlaneSeries series = initial.draw(3, s);
    double value = 0;
    for (std::size_t i = 0; i < series.waves.size(); ++i) {
      value += series.cosine[i];  // at x = 0
      if (series.waves[i] == PlaneWave{1, 0}) one += std::pow(series.cosine[i], 2);
      if (series.waves[i] == PlaneWave{3, -4}) five += std::pow(series.sine[i], 2);
    }
    point += value * value;
  }
  double total = 0;
  for (const PlaneWave& k : plane_waves(5)) total += std::pow(4 + k.squared(), -2.5);
  CHECK(statistics::chi_squared_ok(point, 0.49, samples, 3));
  CHECK(statistics::chi_squared_ok(one, 0.49 * std::pow(5, -2.5) / total, samples, 3));
  CHECK(statistics::chi_squared_ok(five, 0.49 * std::pow(29, -2.5) / total, samples, 3));
}

TEST_CASE("noise has variance one at every point, and a mean only where it is asked for") {
  for (const PlaneNoise& noise : {PlaneNoise(3), PlaneNoise(2, 2, 1), PlaneNoise::without_mean(4, 2, 1)}) {
    const auto rows = noise.basis({5, 6});
    for (Index p = 0; p < 30; ++p) CHECK(rows.col(p).squaredNorm() == Approx(1).epsilon(1e-12));
  }
  const PlaneNoise noise = PlaneNoise::without_mean(4, 2, 1);
  CHECK(noise.rank() == 48);
  CHECK(noise.modes() == 4);
  for (Index i = 0; i < 48; ++i)
    CHECK(noise.amplitude(i) / noise.amplitude(0) ==
          Approx((1 + noise.wavenumber(0).squared()) / (1 + noise.wavenumber(i).squared())));
  CHECK(PlaneNoise(4, 2, 1).rank() == 49);
  CHECK(PlaneNoise(4, 2, 1).wavenumber(48) == PlaneWave{});
}

TEST_CASE("constants that make no sense are refused") {
  CHECK_THROWS_WITH(PlaneInitialField{.modes = 0}.check(),
                    "mno::PlaneInitialField: argument 'modes': expected at least one, got 0.");
  CHECK_THROWS_AS(PlaneInitialField{.offset = -1}.check(), Error);
  CHECK_THROWS_AS(PlaneInitialField{.amplitude = -1}.check(), Error);
  CHECK_THROWS_AS(PlaneNoise(3, std::nan("")).check(), Error);
  CHECK_THROWS_AS(PlaneNoise(-1), Error);
}

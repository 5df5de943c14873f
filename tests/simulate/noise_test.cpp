#include "mno/simulate/noise.hpp"

#include <doctest/doctest.h>

using namespace mno;
using doctest::Approx;

TEST_CASE("amplitudes fall like 1/k and are scaled as the equations want them") {
  const ModalNoise burgers = ModalNoise::without_mean(8), phi4 = ModalNoise::with_mean(8);
  double sum = 0, inverse_squares = 0;
  for (Index k = 1; k <= 8; ++k) {
    sum += burgers[k] * burgers[k];
    inverse_squares += 1 / double(k * k);
    CHECK(burgers[k] == Approx(burgers[1] / double(k)));
    CHECK(phi4[k] == Approx(phi4[0] / double(k)));
  }
  CHECK(burgers[0] == 0);
  CHECK(sum == Approx(1));
  CHECK(phi4[0] == Approx(1 / std::sqrt(1 + inverse_squares)));
  CHECK(burgers.pointwise_variance() == Approx(2));
  CHECK(ModalNoise::of_unit_variance(8).pointwise_variance() == Approx(1));
}

TEST_CASE("the basis has the pointwise variance at every point and orthogonal rows") {
  for (const ModalNoise& noise :
       {ModalNoise::without_mean(8), ModalNoise::with_mean(3), ModalNoise::of_unit_variance(8)}) {
    const auto rows = noise.basis(24);
    REQUIRE(rows.rows() == noise.rank());
    for (Index p = 0; p < 24; ++p) CHECK(rows.col(p).squaredNorm() == Approx(noise.pointwise_variance()));
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index j = 0; j <= i; ++j) {
        const double q = noise[noise.wavenumber(i)];
        CHECK(rows.row(i).dot(rows.row(j)) / 24 == Approx(i == j ? q * q : 0.).epsilon(1e-12));
      }
  }
}

TEST_CASE("the Ornstein–Uhlenbeck deviation solves its equation") {
  CHECK(ornstein_uhlenbeck_deviation(0, 0.3) == Approx(std::sqrt(0.3)));
  CHECK(ornstein_uhlenbeck_deviation(1e-9, 0.3) == Approx(std::sqrt(0.3)));
  CHECK(ornstein_uhlenbeck_deviation(-50, 100) == Approx(std::sqrt(1 / 100.)));  // the stationary state
  for (double lambda : {-7., -0.2, 3.}) {  // v' = 2λv + 1, and two steps are one
    const auto v = [&](double t) { return std::pow(ornstein_uhlenbeck_deviation(lambda, t), 2); };
    const double h = 1e-5;
    CHECK((v(0.4 + h) - v(0.4 - h)) / (2 * h) == Approx(2 * lambda * v(0.4) + 1).epsilon(1e-6));
    CHECK(v(0.5) == Approx(std::exp(2 * lambda * 0.2) * v(0.3) + v(0.2)));
  }
}

TEST_CASE("bad amplitudes are refused with a sentence") {
  CHECK_THROWS_WITH(ModalNoise{}.check(),
                    "mno::ModalNoise: argument 'amplitude': expected at least q_0, got none.");
  CHECK_THROWS_WITH((ModalNoise{{1, -2}}.check()),
                    "mno::ModalNoise: argument 'amplitude': expected numbers that are not negative, got -2.");
  CHECK_THROWS_WITH(ModalNoise::with_mean(-1),
                    "mno::ModalNoise: argument 'modes': expected a number that is not negative, got -1.");
}

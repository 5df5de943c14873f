#include "mno/simulate/initial.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using doctest::Approx;

TEST_CASE("a series' complex coefficients are those of its values") {
  const FourierSeries series{0.7, {1, -2, 0.5}, {0.3, 0, -1}};
  for (double x : {0., 0.13, 0.5, 0.77}) {
    std::complex<double> sum = 0;
    for (Index k = -4; k <= 4; ++k)
      sum += series.coefficient(k) * std::polar(1., 2 * std::numbers::pi * double(k) * x);
    CHECK(sum.real() == Approx(series(x)));
    CHECK(sum.imag() == Approx(0).epsilon(1e-12));
  }
}

TEST_CASE("one draw defines the field on every grid") {
  const FourierSeries series = InitialField{}.draw(4, 9);
  Field<double, 1> coarse(1, Grid<1>{{32}}, 1), fine(1, Grid<1>{{256}}, 1);
  series.evaluate(coarse.view());
  series.evaluate(fine.view());
  for (Index p = 0; p < 32; ++p) CHECK(coarse(0, p, 0) == fine(0, 8 * p, 0));
}

TEST_CASE("coefficients have the deviations s_k ∝ k^−1.5, Σ s_k² = 1, and are independent") {
  constexpr Index samples = 20000;
  statistics::Draws draws(samples, 12);
  for (Index s = 0; s < samples; ++s) {
    const FourierSeries series = InitialField{}.draw(1, s);
    REQUIRE(series.mean == 0);
    for (Index k = 0; k < 6; ++k) {
      draws(s, 2 * k) = series.cosine[std::size_t(k)];
      draws(s, 2 * k + 1) = series.sine[std::size_t(k)];
    }
  }
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(12, 12);
  double total = 0;
  for (Index k = 1; k <= 6; ++k) total += std::pow(double(k), -3);
  for (Index i = 0; i < 12; ++i) covariance(i, i) = std::pow(double(i / 2 + 1), -3) / total;
  CHECK(statistics::gaussian_law(draws, Eigen::VectorXd::Zero(12), covariance).ok());
}

TEST_CASE("draws depend on seed and sample, and on nothing else") {
  const InitialField field;
  CHECK(field.draw(1, 2).cosine == field.draw(1, 2).cosine);
  CHECK(field.draw(1, 2).cosine != field.draw(2, 2).cosine);
  CHECK(field.draw(1, 2).cosine != field.draw(1, 3).cosine);
}

TEST_CASE("bad options are refused with a sentence") {
  CHECK_THROWS_WITH(InitialField{.modes = 0}.check(),
                    "mno::InitialField: argument 'modes': expected at least one, got 0.");
  CHECK_THROWS_AS(InitialField{.amplitude = -1}.check(), Error);
}

// Draws as a law: its moments are theirs.
#include "mno/law/empirical.hpp"

#include <doctest/doctest.h>

#include "mno/law/covariance.hpp"
#include "mno/law/sample.hpp"

using namespace mno;

TEST_CASE("mean and covariance of the law are those of the draws, sample by sample") {
  const Grid<1> grid{{3}};
  Field<double, 1> draws(2 * 5, grid, 2);
  Stream random(3);
  for (double& x : draws.span()) x = 1e6 + random.normal();
  const auto law = empirical_law(draws, 5);
  CHECK(law.batch() == 2);
  CHECK(law.rank() == 5);
  for (Index s = 0; s < 2; ++s) {
    Eigen::MatrixXd x(6, 5);
    for (Index k = 0; k < 5; ++k) x.col(k) = flat(draws, s * 5 + k);
    const Eigen::VectorXd mean = x.rowwise().mean();
    const Eigen::MatrixXd centred = x.colwise() - mean, gamma = centred * centred.transpose() / 4;
    const auto own = covariance(law, s);
    for (Index i = 0; i < 6; ++i) {
      CHECK(flat(law.mean, s)[i] == doctest::Approx(mean[i]).epsilon(1e-15));
      for (Index j = 0; j < 6; ++j) CHECK(own(i, j) == doctest::Approx(gamma(i, j)).epsilon(1e-8));
    }
  }
}

TEST_CASE("draws that are all alike are a law without spread, at their place bit for bit") {
  Field<float, 1> draws(3, Grid<1>{{4}}, 1);
  for (float& x : draws.span()) x = 0.1f;
  const auto law = empirical_law(draws, 3);
  for (const float m : law.mean.span()) CHECK(m == 0.1f);
  for (const float b : law.factor.span()) CHECK(b == 0);
}

TEST_CASE("draws of a law give it back as they become many") {
  Law<double, 1> law(Field<double, 1>(1, Grid<1>{{2}}, 1), Field<double, 1>(1, Grid<1>{{2}}, 1));
  law.mean(0, 0, 0) = 1;
  law.factor(0, 0, 0) = 2;
  law.factor(0, 1, 0) = -1;
  constexpr Index s = 4000;  // deviations: 2/√s = .03 of the mean, 4√(2/s) = .09 of the variance
  const auto own = covariance(empirical_law(sample(law, s, 1), s), 0);
  CHECK(own(0, 0) == doctest::Approx(4).epsilon(0.1));
  CHECK(own(0, 1) == doctest::Approx(-2).epsilon(0.1));
  CHECK(own(1, 1) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("fewer than two draws of a sample, or a part of one, are refused") {
  const Field<float, 1> draws(6, Grid<1>{{4}}, 1);
  CHECK_THROWS_AS(empirical_law(draws, 1), Error);
  CHECK_THROWS_AS(empirical_law(draws, 4), Error);
}

// Pointwise quantiles, intervals and risks: they agree with the cdf, cover what they claim, and handle σ = 0.
#include "mno/law/quantile.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("the exceedance of the p-quantile is 1 - p") {
  CHECK(for_any("1D and 2D, three laws", [] {
    const Grid<2> grid{{any_in<Index>(1, 6), any_in<Index>(1, 6)}, {}};
    const auto law = random_law<double, 2>(2, grid, any_in<Index>(1, 4), any_in<Index>(1, 5),
                                           any_in<std::uint64_t>(1, 100000));
    const double p = double(any_in(1, 1000)) / 1000;
    const auto check = [&](const auto& residual) {
      const auto carried = with_residual(law, residual);
      const auto risk = exceedance(carried, quantile(carried, p));
      for (double x : risk.span()) HOLDS(std::abs(x - (1 - p)) < 1e-9);
    };
    check(Gaussian{});
    check(Laplace{});
    check(StudentT(3));
  }));
}

TEST_CASE("quantiles by hand: mean + sd z") {
  const auto law = random_law<double, 1>(2, {{3}, {}}, 2, 4, 5);
  const auto upper = quantile(law, 0.975);
  const auto var = variance(law);
  for (Index s = 0; s < 2; ++s)
    for (Index x = 0; x < 3; ++x)
      for (Index c = 0; c < 2; ++c)
        CHECK(
            upper(s, x, c) ==
            doctest::Approx(law.mean(s, x, c) + 1.959963984540054 * std::sqrt(var(s, x, c))).epsilon(1e-13));
}

TEST_CASE("central intervals cover their level in simulation") {
  // Draws at one point are independent; the count inside is binomial. Bonferroni over 8 points and 4 laws.
  const Index count = 20000, points = 8;
  const double level = 0.9, critical = critical_z(1e-6, points * 4);
  const auto law = random_law<double, 1>(1, {{points}, {}}, 1, 3, 21);
  const auto check = [&](const auto& residual) {
    const auto carried = with_residual(law, residual);
    const auto range = interval(carried, level);
    const auto u = sample(carried, count, 77);
    for (Index x = 0; x < points; ++x) {
      double inside = 0;
      for (Index j = 0; j < count; ++j)
        inside += u(j, x, 0) >= range.lower(0, x, 0) && u(j, x, 0) <= range.upper(0, x, 0) ? 1 : 0;
      CHECK(std::abs(inside - double(count) * level) <
            critical * std::sqrt(double(count) * level * (1 - level)));
    }
  };
  check(Gaussian{});
  check(Laplace{});
  check(StudentT(2.5));
  check(CompoundPoisson(1));
}

TEST_CASE("a Gaussian interval on Student draws would be caught") {
  const Index count = 20000;
  const auto law = random_law<double, 1>(1, {{1}, {}}, 1, 3, 21);
  const auto range = interval(law, 0.9);
  const auto u = sample(with_residual(law, StudentT(2.5)), count, 77);
  double inside = 0;
  for (Index j = 0; j < count; ++j)
    inside += u(j, 0, 0) >= range.lower(0, 0, 0) && u(j, 0, 0) <= range.upper(0, 0, 0) ? 1 : 0;
  CHECK(std::abs(inside - 0.9 * double(count)) > critical_z(1e-6, 32) * std::sqrt(double(count) * 0.09));
}

TEST_CASE("where the law has no spread it is a point mass") {
  Field<double, 1> mean(1, {{2}, {}}, 1), factor(1, {{2}, {}}, 1);
  mean(0, 0, 0) = 1;
  mean(0, 1, 0) = 1;
  factor(0, 1, 0) = 2;  // spread at the second point only
  const Law<double, 1> law(mean, factor);
  CHECK(quantile(law, 0.01)(0, 0, 0) == 1);
  CHECK(interval(law, 0.99).upper(0, 0, 0) == 1);
  CHECK(exceedance(law, 0.999)(0, 0, 0) == 1);
  CHECK(exceedance(law, 1)(0, 0, 0) == 0);
  CHECK(exceedance(law, 1)(0, 1, 0) == 0.5);
}

TEST_CASE("a threshold field is per sample, or one for all") {
  const auto law = random_law<double, 1>(3, {{4}, {}}, 2, 2, 9);
  const auto at_mean = exceedance(law, law.mean);
  for (double risk : at_mean.span()) CHECK(risk == 0.5);
  Field<double, 1> one(1, law.grid(), 2);
  for (double& a : one.span()) a = 0.3;
  const auto broadcast = exceedance(law, one), scalar = exceedance(law, 0.3);
  CHECK(std::ranges::equal(broadcast.span(), scalar.span()));
}

TEST_CASE("float laws keep small risks") {
  Field<float, 1> mean(1, {{1}, {}}, 1), factor(1, {{1}, {}}, 1);
  factor(0, 0, 0) = 1;
  const Law<float, 1> law(mean, factor);
  CHECK(exceedance(law, 10)(0, 0, 0) == doctest::Approx(7.61985302416e-24).scale(0).epsilon(1e-6));
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<double, 1>(3, {{4}, {}}, 2, 2, 9);
  CHECK(sentence([&] { quantile(law, 1.5); }) ==
        "mno::quantile: argument 'p': expected a probability strictly between 0 and 1, got 1.5.");
  CHECK(sentence([&] { interval(law, 95); }) ==
        "mno::interval: argument 'level': expected a probability strictly between 0 and 1, got 95.");
  CHECK(
      sentence([&] {
        exceedance(law, Field<double, 1>(2, {{4}, {}}, 2));
      }) ==
      "mno::exceedance: argument 'threshold': expected batch 1 or 3, grid 4 and its domain, 2 channels, got "
      "batch 2, grid 4, 2 channels.");
}

#include "mno/simulate/rough_volatility.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

TEST_CASE("mean u_0, covariance over points and query times of one path, for every H of the protocol") {
  const std::vector<double> times{0.05, 0.1, 0.25, 0.5};
  for (double hurst : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    CAPTURE(hurst);
    const RoughVolatility field{.hurst = hurst, .points = 16, .noise = ModalNoise::of_unit_variance(3)};
    constexpr Index members = 20000;
    const auto all = collect<double>(field, {.samples = 1, .members = members, .seed = 3, .times = times});
    // a few points at all times: (draw, (query, point))
    const std::vector<Index> points{0, 3, 9};
    statistics::Draws draws(members, 12);
    Eigen::VectorXd mean(12);
    Eigen::MatrixXd covariance(12, 12);
    const auto basis = field.noise.basis(16);
    const auto power = [&](double t) { return std::pow(t, 2 * hurst); };
    for (Index i = 0; i < 12; ++i) {
      const Index p = points[std::size_t(i % 3)];
      const double t = times[std::size_t(i / 3)];
      for (Index m = 0; m < members; ++m) draws(m, i) = all.of(i / 3)(m, p, 0);
      mean(i) = field.initial.draw(3, 0)(double(p) / 16);
      for (Index j = 0; j < 12; ++j) {
        const double s = times[std::size_t(j / 3)];
        covariance(i, j) = field.eta * field.eta * basis.col(p).dot(basis.col(points[std::size_t(j % 3)])) *
                           (power(s) + power(t) - power(std::abs(t - s))) / 2;
      }
      CHECK(covariance(i, i) == doctest::Approx(field.eta * field.eta * power(t)));
    }
    const auto verdict = statistics::gaussian_law(draws, mean, covariance);
    CHECK(verdict.worst_mean < 1);
    CHECK(verdict.worst_covariance < 1);
    CHECK(verdict.variances);
  }
}

TEST_CASE("the exact law has variance η² t^{2H} at every point and time") {
  const RoughVolatility field{.hurst = 0.2};
  for (double t : {0.05, 0.5}) {
    const ExactLaw law = exact_law(field, 1, 0, t);
    for (Index p = 0; p < field.points; ++p)
      CHECK(law.variance(0, p, 0) == doctest::Approx(std::pow(t, 0.4) / 9));
  }
}

TEST_CASE("threads and precision do not change the draws; time 0 is the initial field") {
  const RoughVolatility field;
  const Sampling sampling{.samples = 5, .members = 20, .seed = 8, .times = {0, 0.25, 0.5}};
  Cpu one(1), two(2), four(4);
  const auto a = collect<double>(field, sampling, one), b = collect<double>(field, sampling, two),
             c = collect<double>(field, sampling, four);
  const auto single = collect<float>(field, sampling, two);
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    REQUIRE(a.members.data()[i] == b.members.data()[i]);
    REQUIRE(a.members.data()[i] == c.members.data()[i]);
    REQUIRE(std::abs(a.members.data()[i] - double(single.members.data()[i])) < 1e-5);
  }
  for (Index p = 0; p < 64; ++p) CHECK(a.of(0)(3, p, 0) == a.initial(0, p, 0));
}

TEST_CASE("bad options are refused with a sentence") {
  const auto run = [](RoughVolatility field, Sampling sampling = {}) { collect<double>(field, sampling); };
  CHECK_THROWS_WITH(run({.hurst = 0}),
                    "mno::RoughVolatility: argument 'hurst': expected a number between 0 and 1, got 0.");
  CHECK_THROWS_WITH(run({.noise = ModalNoise::with_mean(8)}), doctest::Contains("pointwise variance 1"));
  CHECK_THROWS_WITH(
      run({}, {.times = {0.26}}),
      "mno::RoughVolatility: argument 'times': expected multiples of the time step 0.025, got 0.26.");
  CHECK_THROWS_WITH(run({}, {.times = {0.75}}), doctest::Contains("at most the final time 0.5"));
}

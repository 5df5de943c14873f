#include "mno/law/residual/scale_mixture.hpp"

#include "checks.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
const ScaleMixture three({0.2, 0.5, 0.3}, {4, 0.3, 1});
}

TEST_CASE("scale mixture: moments, marginal, round trip") {
  double average = 0, s2 = 0;
  const auto numbers = three.numbers();
  for (std::size_t i = 0; i < 6; i += 2) {
    average += numbers[i] * numbers[i + 1];
    s2 += numbers[i] * numbers[i + 1] * numbers[i + 1];
  }
  CHECK(average == doctest::Approx(1).epsilon(1e-14));
  check_moments(three, s2);
  check_marginal(three);
  check_round_trip(three);
  CHECK(variance_of_cdf(three, 40) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("scale mixture: density, moments of exponentials, CRPS") {
  check_density(three, 40);
  check_log_moment(three, 30);
  check_crps(three, 30, 1e-6);
}

TEST_CASE("scale mixture: one value is the Gaussian law, whatever it is called") {
  const ScaleMixture one({7}, {0.2});
  CHECK(one.cdf(0.7) == doctest::Approx(Gaussian{}.cdf(0.7)).epsilon(1e-15));
  CHECK(one.log_density(3, 5) == doctest::Approx(Gaussian{}.log_density(3, 5)).epsilon(1e-14));
  CHECK(one.crps(-0.4) == doctest::Approx(Gaussian{}.crps(-0.4)).epsilon(1e-13));
}

TEST_CASE("scale mixture: numbers that make no law are refused") {
  CHECK_THROWS_AS(ScaleMixture({}, {}), Error);
  CHECK_THROWS_AS(ScaleMixture({1, 1}, {1}), Error);
  CHECK_THROWS_AS(ScaleMixture({1, 0}, {1, 1}), Error);
  CHECK_THROWS_AS(ScaleMixture({1, 1}, {1, -1}), Error);
}

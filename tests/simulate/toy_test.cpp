#include "mno/simulate/toy.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// Energies as a head-separation audit measures them: mean over samples and points of the squared mean and of
/// the variance, the mean's own sampling error taken out.
struct Energies {
  double drift = 0, noise = 0;
};
Energies energies(const DriftAndNoise& field, Index samples, Index members) {
  const auto all = collect<double>(field, {.samples = samples, .members = members, .seed = 12});
  Energies energies;
  for (Index row = 0; row < samples; ++row)
    for (Index p = 0; p < field.points; ++p) {
      double mean = 0, squares = 0;
      for (Index m = 0; m < members; ++m) mean += all.of(row)(m, p, 0) / double(members);
      for (Index m = 0; m < members; ++m) squares += std::pow(all.of(row)(m, p, 0) - mean, 2);
      const double variance = squares / double(members - 1);
      energies.noise += variance / double(samples * field.points);
      energies.drift += (mean * mean - variance / double(members)) / double(samples * field.points);
    }
  return energies;
}
}  // namespace

TEST_CASE("the cases have the published energies, 0.0714 in the drift and 0.25 in the noise") {
  constexpr Index samples = 2000, members = 64;
  const Energies a = energies(pure_drift(), samples, members), b = energies(pure_noise(), samples, members),
                 c = energies(drift_and_noise(), samples, members);
  // Var of mean_x u_0² is Σ s_k⁴ per sample; s_1² = .84 dominates: about .72
  const double drift_error = statistics::normal_bound(2) * std::sqrt(0.72 / samples) / 14;
  CHECK(std::abs(a.drift - 1. / 14) < drift_error);
  CHECK(std::abs(c.drift - 1. / 14) < drift_error + 1e-3);
  CHECK(a.noise < 1e-25);
  CHECK(std::abs(b.drift) < 1e-3);
  // the variance at a point is s²χ²/(members − 1); points of a sample are correlated, taken as one
  const double noise_error =
      statistics::normal_bound(2) * 0.25 * std::sqrt(2. / double(members - 1) / double(samples));
  CHECK(std::abs(b.noise - 0.25) < noise_error);
  CHECK(std::abs(c.noise - 0.25) < noise_error);
}

TEST_CASE("the Brownian field starts at u_0 and its variance is linear in time") {
  const DriftAndNoise field = brownian_field(0.3);
  const std::vector<double> times{0, 0.1, 0.2, 0.4, 0.8};
  constexpr Index members = 20000;
  const auto all = collect<double>(field, {.samples = 1, .members = members, .seed = 4, .times = times});
  for (Index m = 0; m < 5; ++m)
    for (Index p = 0; p < 64; ++p) CHECK(all.of(0)(m, p, 0) == all.initial(0, p, 0));
  for (Index row = 1; row < 5; ++row)
    for (Index p : {0, 17, 40}) {
      double sum = 0;
      for (Index m = 0; m < members; ++m) sum += std::pow(all.of(row)(m, p, 0) - all.initial(0, p, 0), 2);
      const double t = times[std::size_t(row)];
      CHECK(statistics::chi_squared_ok(sum, 0.09 * t, members, 12));
      CHECK(exact_law(field, 4, 0, t).variance(0, p, 0) == doctest::Approx(0.09 * t));
    }
}

TEST_CASE("increments do not depend on the past: they are a martingale's") {
  const auto all = collect<double>(brownian_field(1), {.samples = 1, .members = 20000, .times = {0.5, 1}});
  double product = 0;
  for (Index m = 0; m < 20000; ++m)
    product += (all.of(1)(m, 3, 0) - all.of(0)(m, 3, 0)) * (all.of(0)(m, 3, 0) - all.initial(0, 3, 0));
  CHECK(std::abs(product) / (0.5 * std::sqrt(20000.)) < statistics::normal_bound(1));
}

TEST_CASE("bad options are refused with a sentence") {
  CHECK_THROWS_WITH(collect<double>(DriftAndNoise{.sigma = -1}, {}),
                    "mno::DriftAndNoise: argument 'sigma': expected a number that is not negative, got -1.");
}

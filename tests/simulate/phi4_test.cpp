#include "mno/simulate/phi4.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
double largest_gap(const Field<double, 1>& a, const Field<double, 1>& b) {
  REQUIRE(a.size() == b.size());
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = std::max(gap, std::abs(a.data()[i] - b.data()[i]));
  return gap;
}
}  // namespace

TEST_CASE("a constant initial field follows u' = 3u − u³, whose solution is known, to first order") {
  Phi4 phi4{.sigma = 0, .simulated = 16, .kept = 16, .initial = {.amplitude = 0, .mean_scale = 1}};
  phi4.noise = ModalNoise::with_mean(3);
  std::vector<double> errors;
  for (Index steps : {100, 200, 400, 800}) {
    phi4.steps = steps;
    const auto all = collect<double>(phi4, {.samples = 5, .members = 1, .seed = 3});
    double worst = 0;
    for (Index row = 0; row < 5; ++row) {
      const double u0 = all.initial(row, 0, 0);
      const double exact = std::copysign(std::sqrt(3 / (1 + (3 / (u0 * u0) - 1) * std::exp(-6 * 0.5))), u0);
      for (Index p = 0; p < 16; ++p) worst = std::max(worst, std::abs(all.of(row)(0, p, 0) - exact));
    }
    errors.push_back(worst);
  }
  for (std::size_t i = 1; i < errors.size(); ++i)
    CHECK(std::log2(errors[i - 1] / errors[i]) == doctest::Approx(1).epsilon(0.1));
  CHECK(errors[1] < 0.01);
}

TEST_CASE("without noise the error against a fine reference is of first order in the time step") {
  Phi4 phi4{.sigma = 0, .steps = 25600};
  const Sampling sampling{.samples = 4, .members = 1, .seed = 2};
  const auto reference = collect<double>(phi4, sampling);
  std::vector<double> errors;
  for (Index steps : {100, 200, 400}) {
    phi4.steps = steps;
    errors.push_back(largest_gap(collect<double>(phi4, sampling).members, reference.members));
  }
  for (std::size_t i = 1; i < errors.size(); ++i)
    CHECK(std::log2(errors[i - 1] / errors[i]) == doctest::Approx(1).epsilon(0.1));
  CHECK(errors[1] < 0.02);  // the protocol's step
}

TEST_CASE("small noise around a known path is the linearised equation's") {
  // u constant in space is known, and around it the spatial mean v obeys v' = (3 − 3u²) v + σ q_0 β'
  Phi4 phi4{.sigma = 1e-3, .growth = 3, .simulated = 16, .kept = 16, .noise = ModalNoise::with_mean(2)};
  phi4.initial = {.modes = 1, .amplitude = 0, .mean_scale = 1};
  phi4.steps = 1000;
  constexpr Index members = 4000;
  const auto all = collect<double>(phi4, {.samples = 1, .members = members, .seed = 2});
  const double u0 = all.initial(0, 0, 0), dt = 1e-4;
  double u = u0, variance = 0, mean = 0;
  for (int i = 0; i < 5000; ++i) {
    variance += dt * (2 * (3 - 3 * u * u) * variance + std::pow(phi4.sigma * phi4.noise[0], 2));
    u += dt * (3 * u - u * u * u);
  }
  std::vector<double> means;
  for (Index m = 0; m < members; ++m) {
    double sum = 0;
    for (Index p = 0; p < 16; ++p) sum += all.of(0)(m, p, 0) / 16;
    means.push_back(sum);
    mean += sum / members;
  }
  double squares = 0;
  for (double x : means) squares += (x - mean) * (x - mean);
  CHECK(std::abs(squares / (members - 1) / variance - 1) <
        0.01 + statistics::normal_bound(1) * std::sqrt(2. / members));
}

TEST_CASE("one noise realisation on grids of 64 and 128 points agrees at common points") {
  Phi4 phi4{.sigma = 0.3};
  const Sampling sampling{.samples = 3, .members = 8, .seed = 3};
  const auto coarse = collect<double>(phi4, sampling);
  phi4.simulated = phi4.kept = 128;
  CHECK(largest_gap(coarse.members, subsample(collect<double>(phi4, sampling).members, 64)) < 1e-6);
}

TEST_CASE("threads do not change a bit; seeds do; float follows double") {
  Cpu one(1), two(2), four(4);
  const Sampling sampling{.samples = 5, .members = 20, .seed = 7};
  const auto a = collect<double>(Phi4{}, sampling, one);
  CHECK(largest_gap(a.members, collect<double>(Phi4{}, sampling, two).members) == 0);
  CHECK(largest_gap(a.members, collect<double>(Phi4{}, sampling, four).members) == 0);
  CHECK(largest_gap(a.members, collect<double>(Phi4{}, {.samples = 5, .members = 20}).members) > 0.1);
  const auto single = collect<float>(Phi4{}, sampling);
  for (std::size_t i = 0; i < a.members.size(); ++i)
    REQUIRE(std::abs(double(single.members.data()[i]) - a.members.data()[i]) < 1e-4);
}

TEST_CASE("a blow-up and bad options are reported with sentences") {
  Phi4 wild{.steps = 5};
  wild.initial.amplitude = 50;
  CHECK_THROWS_WITH(collect<float>(wild, {.members = 1}),
                    doctest::Contains("Phi4 is no longer finite in sample 0"));
  CHECK_THROWS_WITH(collect<float>(Phi4{.nu = -2}, {}),
                    "mno::Phi4: argument 'nu': expected a number that is not negative, got -2.");
}

TEST_CASE("two wells: the spatial mean of a field has two modes and is seldom between them") {
  const Phi4 wells = Phi4::two_wells();
  const auto all = collect<float>(wells, {.samples = 3, .members = 600, .seed = 4});
  for (Index s = 0; s < 3; ++s) {
    Index above = 0, between = 0;
    for (Index m = 0; m < 600; ++m) {
      double mean = 0;
      for (Index p = 0; p < 64; ++p) mean += double(all.of(s)(m, p, 0)) / 64;
      above += mean > 0 ? 1 : 0;
      between += std::abs(mean) < 0.6 ? 1 : 0;
    }
    CHECK(above > 180);  // both wells are reached from every u_0
    CHECK(above < 420);
    CHECK(between < 120);
  }
}

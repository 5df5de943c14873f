// The fair CRPS of draws: its value is the metric's, its expectation depends neither on the number of draws
// nor on that of members, and its cotangents are its derivative.
#include "mno/loss/fair_crps.hpp"

#include "draws.hpp"
#include "mno/loss/fair_energy_score.hpp"
#include "mno/metric/crps.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: two draws around a member") {
  const OneCondition at(FairCrps{.epsilon = 1e-12}, {1, -2}, {0});
  CHECK(at.value == doctest::Approx(1.5 - 1.5).epsilon(1e-12));
  CHECK(at.bar[0] == doctest::Approx(0.5 - 0.5));
  const OneCondition outside(FairCrps{.weight = 3, .epsilon = 1e-12}, {1, 2}, {0}, 1, 0.5);
  CHECK(outside.value == doctest::Approx(1.5 * (1.5 - 0.5)));
  CHECK(outside.bar[0] == doctest::Approx(1.5 * (0.5 + 0.5)));
  CHECK(outside.bar[1] == doctest::Approx(0).epsilon(1e-9));
}

TEST_CASE("is the metric's score, and of one entry the energy score") {
  for (const Index members : {1, 3, 9}) {
    Field<double, 1> x(5, {{6}}, 1), y(members, {{6}}, 1);
    randomise(x, 1, 0.2, 4);
    randomise(y, 1, 0, 5);
    metric::SampleCrps metric;
    metric.add(metric::members(std::as_const(x).view()), metric::members(std::as_const(y).view()));
    const std::vector<double> draws(x.span().begin(), x.span().end()), data(y.span().begin(), y.span().end());
    CHECK(OneCondition(FairCrps{}, draws, data, 6).value == doctest::Approx(metric.value()).epsilon(1e-9));
    CHECK(OneCondition(FairCrps{}, draws, data).value ==
          doctest::Approx(OneCondition(FairEnergyScore{}, draws, data).value).epsilon(1e-12));
  }
}

// Each difference is below four deviations but for 1 in 10^4 draws of the seed.
TEST_CASE("the expectation depends neither on the number of draws nor on that of members") {
  const auto [few, few_error] = expectation(FairCrps{}, 2, 1);
  for (const auto& [draws, members] : {std::pair<Index, Index>{3, 1}, {8, 1}, {2, 4}, {5, 3}}) {
    const auto [value, error] = expectation(FairCrps{}, draws, members);
    CHECK(std::abs(value - few) < 4 * std::hypot(error, few_error));
  }
}

TEST_CASE("draws that coincide have a finite derivative") {
  const OneCondition at(FairCrps{}, {1, 1, 1}, {1});
  for (const double b : at.bar) CHECK(b == 0);
}

TEST_CASE("cotangents by central differences") { check_draws_gradient(FairCrps{.epsilon = 1e-2}); }

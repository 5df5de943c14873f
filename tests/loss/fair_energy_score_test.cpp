// The fair energy score of draws: its value is the metric's, its expectation depends neither on the number of
// draws nor on that of members, and its cotangents are its derivative.
#include "mno/loss/fair_energy_score.hpp"

#include "draws.hpp"
#include "mno/metric/energy_score.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("by hand: two draws, one member") {
  // ‖(3, 4)‖ = 5/√2 as a root mean square, ‖x_1 − x_2‖ = 1
  const OneCondition at(FairEnergyScore{.weight = 2, .epsilon = 1e-12}, {3, 4, 2, 3}, {0, 0}, 2, 0.5);
  const double to_members = (5 / std::sqrt(2.0) + std::sqrt(6.5)) / 2, spread = 1.0 / 2;
  CHECK(at.value == doctest::Approx(to_members - spread).epsilon(1e-12));
  // ½ · [½ (3/2)/(5/√2) − ½ (1/2)/1] · 2
  CHECK(at.bar[0] == doctest::Approx(0.5 * 1.5 / (5 / std::sqrt(2.0)) - 0.5 * 0.5).epsilon(1e-12));
}

TEST_CASE("is the metric's score, which has the norm of the domain in place of a root mean square") {
  for (const Index members : {1, 3, 9}) {
    const Grid<1> grid{{6}, {{2.0}}};
    Field<double, 1> x(5, grid, 1), y(members, grid, 1);
    randomise(x, 1, 0.2, 4);
    randomise(y, 1, 0, 5);
    metric::EnergyScore metric(grid);
    metric.add(metric::members(std::as_const(x).view()), metric::members(std::as_const(y).view()));
    const OneCondition at(FairEnergyScore{}, {x.span().begin(), x.span().end()},
                          {y.span().begin(), y.span().end()}, 6);
    CHECK(at.value * std::sqrt(2.0) == doctest::Approx(metric.value()).epsilon(1e-10));
  }
}

// Each difference is below four deviations but for 1 in 10^4 draws of the seed.
TEST_CASE("the expectation depends neither on the number of draws nor on that of members") {
  const auto [few, few_error] = expectation(FairEnergyScore{}, 2, 1);
  for (const auto& [draws, members] : {std::pair<Index, Index>{3, 1}, {8, 1}, {2, 4}, {5, 3}}) {
    const auto [value, error] = expectation(FairEnergyScore{}, draws, members);
    MESSAGE("S = ", draws, ", M = ", members, ": ", value, " against ", few, " ± ",
            std::hypot(error, few_error));
    CHECK(std::abs(value - few) < 4 * std::hypot(error, few_error));
  }
}

TEST_CASE("one draw has no spread, and several members cannot be told by their mean") {
  CHECK(sentence([] {
          OneCondition(FairEnergyScore{}, {1.0}, {0.0});
        }).find("fair_energy_score: argument 'draws': expected at least two") != std::string::npos);
  const RandomEnsemble<double, 1> ensemble(4, {{6}}, 1, 3, 1);
  DrawsBlock<double, 1> block(0, 4, 2, {{6}}, 1, 2);
  auto target = ensemble.target();
  target.members = {};
  CHECK(sentence([&] {
          FairEnergyScore{}(block.law(), target, 1.0);
        }).find("argument 'target.members': expected the members themselves") != std::string::npos);
}

TEST_CASE("cotangents by central differences") { check_draws_gradient(FairEnergyScore{.epsilon = 1e-2}); }

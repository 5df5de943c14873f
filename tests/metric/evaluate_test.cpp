// Whole fields give what their conditions give one by one, for laws, predictions and draws.
#include "mno/metric/evaluate.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/covariance_error.hpp"
#include "mno/metric/coverage.hpp"
#include "mno/metric/crps.hpp"
#include "mno/metric/energy_score.hpp"
#include "mno/metric/rmse.hpp"
#include "mno/metric/wasserstein.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

const Grid<2> grid{{3, 4}, {}};
constexpr Index conditions = 3, each = 5;

Field<float, 2> ensemble_field() {
  Field<float, 2> u(conditions * each, grid, 2);
  fill_normal(u, 5);
  return u;
}

}  // namespace

TEST_CASE("a law: moments, members and covariances, whatever the metric asks for") {
  const auto law = random_law<float, 2>(conditions, grid, 2, 3, 1);
  const auto u = ensemble_field();
  metric::MeanRmse rmse;
  metric::Crps crps;
  metric::CovarianceError error;
  for (Index s = 0; s < conditions; ++s) {
    const auto truth = metric::members(View<const float, 2>(u).samples(s * each, each));
    rmse.add(metric::moments(law, s), metric::moments(truth));
    crps.add(metric::moments(law, s), truth);
    error.add(covariance(law, s), truth);
  }
  CHECK(metric::evaluate(metric::MeanRmse{}, law, u).value() == rmse.value());
  CHECK(metric::evaluate(metric::Crps{}, law, u).value() == crps.value());
  CHECK(metric::evaluate(metric::CovarianceError{}, law, u).value() == error.value());
  CHECK(metric::evaluate(metric::Coverage{}, law, u).per_condition().size() == conditions);
}

TEST_CASE("conditions with different numbers of members, by their counts") {
  const auto law = random_law<float, 2>(conditions, grid, 2, 3, 1);
  const auto u = ensemble_field();
  const std::vector<Index> counts{1, 9, 5};
  metric::Crps crps;
  const View<const float, 2> all(u);
  crps.add(metric::moments(law, 0), metric::members(all.samples(0, 1)));
  crps.add(metric::moments(law, 1), metric::members(all.samples(1, 9)));
  crps.add(metric::moments(law, 2), metric::members(all.samples(10, 5)));
  CHECK(metric::evaluate(metric::Crps{}, law, u, counts).value() == crps.value());
  const std::vector<Index> wrong{1, 9, 4}, two{6, 9};
  CHECK(sentence([&] { metric::evaluate(metric::Crps{}, law, u, wrong); }) ==
        "mno::metric::evaluate: argument 'members': expected 14 field(s) of 2 channel(s) on 3x4 and its "
        "domain, got "
        "15 of 2 on 3x4.");
  CHECK(sentence([&] { metric::evaluate(metric::Crps{}, law, u, two); }) ==
        "mno::metric::evaluate: argument 'counts': expected one per condition, 3, got 2.");
}

TEST_CASE("a deterministic prediction is a law without spread") {
  const auto law = random_law<float, 2>(conditions, grid, 2, 1, 1);
  const Law<float, 2> narrow(law.mean, Field<float, 2>(conditions, grid, 2));
  const auto u = ensemble_field();
  CHECK(metric::evaluate(metric::W2g{}, law.mean, u).value() ==
        metric::evaluate(metric::W2g{}, narrow, u).value());
  CHECK(metric::evaluate(metric::Crps{}, law.mean, u).value() ==
        metric::evaluate(metric::Crps{}, narrow, u).value());
}

TEST_CASE("draws: by themselves, or by their moments") {
  const auto u = ensemble_field();
  CHECK(metric::evaluate_draws(metric::W2s{}, u, u, conditions).value() == 0);
  CHECK(metric::evaluate_draws(metric::W2g{}, u, u, conditions).value() == 0);
  CHECK(metric::evaluate_draws(metric::W2s{}, u, u, 1).value() == 0);
  const auto law = random_law<float, 2>(conditions, grid, 2, 3, 1);
  const auto draws = sample(law, 7, 2);  // another number than members
  metric::W2s w2s;
  metric::EnergyScore score(grid);
  metric::MeanRmse rmse;
  for (Index s = 0; s < conditions; ++s) {
    const auto model = metric::members(draws.view().samples(s * 7, 7));
    const auto truth = metric::members(View<const float, 2>(u), s, each);
    w2s.add(model, truth);
    score.add(model, truth);
    rmse.add(metric::moments(model), metric::moments(truth));
  }
  CHECK(metric::evaluate_draws(metric::W2s{}, draws, u, conditions).value() == w2s.value());
  CHECK(metric::evaluate_draws(metric::EnergyScore(grid), draws, u, conditions).value() == score.value());
  CHECK(metric::evaluate_draws(metric::MeanRmse{}, draws, u, conditions).value() == rmse.value());
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<float, 2>(2, grid, 2, 1, 1);
  const auto u = ensemble_field();
  CHECK(sentence([&] { metric::evaluate(metric::MeanRmse{}, law, u); }) ==
        "mno::metric::evaluate: argument 'members': expected a multiple of 2 field(s) of 2 channel(s) on 3x4 "
        "and its "
        "domain, got 15 of 2 on 3x4.");
  CHECK(sentence([&] { metric::evaluate_draws(metric::W2s{}, u, u, 4); }) ==
        "mno::metric::evaluate: argument 'draws': expected a multiple of 4 field(s) of 2 channel(s) on 3x4 "
        "and its "
        "domain, got 15 of 2 on 3x4.");
}

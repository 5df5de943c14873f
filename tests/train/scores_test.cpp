// What every epoch is judged by, for ensembles and for draws.
#include "mno/train/scores.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "line.hpp"
#include "mno/layer/noise.hpp"
#include "mno/metric/evaluate.hpp"
#include "mno/model/operators.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

using mno_test::Line;

/// Members of N(u_0, 0.25) with these counts.
Ensemble<double, 1> data(const std::vector<Index>& counts, EnsembleOptions options = {}) {
  const Grid<1> grid{{6}};
  auto result = make_ensemble<double, 1>(std::span<const Index>(counts), grid, 1, options);
  for (Index i = 0; i < result.size(); ++i) {
    Stream random(7, std::uint64_t(i));
    Field<double, 1> initial(1, grid, 1), members(counts[std::size_t(i)], grid, 1);
    for (double& u : initial.span()) u = random.normal();
    for (Index j = 0; j < members.batch(); ++j)
      for (Index p = 0; p < 6; ++p) members(j, p, 0) = initial(0, p, 0) + 0.5 * random.normal();
    set_condition<double, 1>(result, i, std::as_const(initial).view(), 1.0, i, std::as_const(members).view());
  }
  return result;
}
std::vector<std::string> names(const Scores& scores) {
  std::vector<std::string> result;
  for (const auto& [name, value] : scores.named()) result.push_back(name);
  return result;
}

}  // namespace

TEST_CASE("ensembles are judged by W2g") {
  const Mno<Line, double> model(1);
  const Scores scores = score(model, data({6, 4, 8}));
  CHECK(scores.criterion() == scores.w2g);
  CHECK(names(scores) == std::vector<std::string>{"mean_rmse", "var_rmse", "w2g"});
  CHECK(scores.w2g > 0);
  CHECK(std::isnan(scores.crps));
}

TEST_CASE("single draws are judged by the CRPS, and have no variance to compare with") {
  const Mno<Line, double> model(1);
  const auto single = data({1, 1, 1, 1});
  const Scores scores = score(model, single);
  CHECK(scores.criterion() == scores.crps);
  CHECK(names(scores) == std::vector<std::string>{"mean_rmse", "crps"});
  CHECK(std::isnan(scores.w2g));
  CHECK(std::isnan(scores.variance_rmse));

  const Scores heavy = score(model, single, default_device(), 16, Laplace{});
  const auto of_laplace = with_residual(predict(model, single.condition()), Laplace{});
  CHECK(heavy.crps ==
        doctest::Approx(metric::evaluate(metric::Crps{}, of_laplace, single.members, single.counts).value()));
  CHECK(heavy.crps != scores.crps);

  const auto law = predict(model, single.condition());
  const auto v = variance(law);
  double expected = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    expected += gaussian_crps(law.mean.data()[i], std::sqrt(v.data()[i]), single.members.data()[i]).value /
                double(v.size());
  CHECK(scores.crps == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("few members, and different ones: the mean of what conditions have by themselves") {
  const Mno<Line, double> model(1);
  CHECK(for_any("any counts", [&] {
    const auto counts = any_some_in(1, 4);
    const auto all = data(counts);
    const Scores scores = score(model, all);
    double expected = 0;
    for (Index i = 0; i < all.size(); ++i)
      expected += score(model, subset(all, std::span<const Index>(&i, 1))).crps / double(all.size());
    HOLDS(scores.draws);
    HOLDS(std::abs(scores.criterion() - expected) < 1e-12);
  }));
}

TEST_CASE("a deterministic operator has a criterion too") {
  const Fno<Line, double> model(1);
  CHECK(score(model, data({1, 2})).criterion() > 0);
  CHECK(score(model, data({8})).criterion() > 0);
}

TEST_CASE(
    "an operator with noise inside is judged by draws: their moments, and the fair CRPS of all members") {
  constexpr auto noisy = (Lift<Line>{} + Noise<2, 8, 1, 2>{}) >> Gelu<8>{} >> Pointwise<8, 1>{};
  const auto model = make_model<Line, double>(noisy, 4);
  const auto ensembles = data({6, 4, 8}, {.members = true});
  const Scores scores = score(model, ensembles, default_device(), 5);
  CHECK(names(scores) == std::vector<std::string>{"mean_rmse", "var_rmse", "w2g", "crps"});
  CHECK(scores.criterion() == scores.crps);

  auto condition = ensembles.condition();
  condition.draws = 5;
  const auto draws = predict(model, condition);
  metric::SampleCrps crps;
  metric::W2g w2g;
  for (Index i = 0; i < 3; ++i) {
    const auto x = metric::members(draws.view(), i, 5), y = metric::members(ensembles.members_of(i));
    crps.add(x, y);
    w2g.add(metric::moments(x), metric::moments(y));
  }
  CHECK(scores.crps == crps.value());
  CHECK(scores.w2g == doctest::Approx(w2g.value()).epsilon(1e-12));
  CHECK(score(model, ensembles).crps == score(model, ensembles, default_device(), 16).crps);

  CHECK(score(model, data({1, 2})).criterion() > 0);           // draws are kept
  const Scores by_statistics = score(model, data({6, 4, 8}));  // members are not
  CHECK(by_statistics.criterion() == by_statistics.w2g);
  CHECK_THROWS_AS(score(model, ensembles, default_device(), 1), Error);
}

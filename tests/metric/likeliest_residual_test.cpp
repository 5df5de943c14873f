// The residual law that members were drawn from is found again, with its numbers; of Gaussian members nothing
// else is believed.
#include "mno/metric/likeliest_residual.hpp"

#include <doctest/doctest.h>

#include "law/support.hpp"
#include "mno/law/sample.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
constexpr Index conditions = 60, members = 24;

Law<double, 1> laws() {
  auto law = random_law<double, 1>(conditions, Grid<1>{{16}}, 1, 3, 5);
  for (Index s = 0; s < conditions; ++s)
    for (Index x = 0; x < 16; ++x) law.factor(s, x, 0) += 2;  // most of the noise is common to all points
  return with_nugget(law, 8, 0.3);
}
template <class R>
metric::ResidualChoice choice_of(const R& residual, double too_wide = 1, std::uint64_t seed = 7) {
  auto law = laws();
  const auto draws = sample(with_residual(law, residual), members, seed);
  const std::vector<Index> counts(conditions, members);
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), law.grid(), 1, {.members = true});
  for (Index i = 0; i < conditions; ++i)
    set_condition<double, 1>(data, i, std::as_const(law.mean).view().samples(i, 1), 1.0, i,
                             draws.view().samples(i * members, members));
  for (double& b : law.factor.span()) b *= too_wide;
  for (double& eta : law.nugget.span()) eta *= too_wide;
  return metric::likeliest_residual(law, data);
}
}  // namespace

TEST_CASE("Gaussian members: Gaussian, also where the model's deviations are a little off") {
  for (const double factor : {1.0, 0.99, 1.01}) {
    const auto choice = choice_of(Gaussian{}, factor);
    CHECK(choice.residual.text() == "gaussian");
    CHECK(choice.candidates.size() == 5);
  }
}

TEST_CASE("a family that is better by chance alone is not believed") {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto choice = choice_of(Gaussian{}, 1, seed);
    CHECK(choice.residual.text() == "gaussian");
    for (const auto& candidate : choice.candidates) better += candidate.score < choice.candidates[0].score;
  }
  CHECK(better > 0);
}

TEST_CASE("Student's degrees of freedom are learned") {
  const auto choice = choice_of(StudentT(4));
  REQUIRE(std::holds_alternative<StudentT>(choice.residual.held()));
  CHECK(std::get<StudentT>(choice.residual.held()).nu() == doctest::Approx(4).epsilon(0.25));
  CHECK(choice.gain > 2 * choice.error);
}

TEST_CASE("two modes are found, with their distance and their shares") {
  const auto choice = choice_of(TwoModes(0.3, 0.95));
  REQUIRE(std::holds_alternative<TwoModes>(choice.residual.held()));
  CHECK(std::get<TwoModes>(choice.residual.held()).p() == doctest::Approx(0.3).scale(0).epsilon(0.1));
  CHECK(std::get<TwoModes>(choice.residual.held()).delta() == doctest::Approx(0.95).scale(0).epsilon(0.03));
}

TEST_CASE("a mixture of calm and storm is one of scales, and its tail probabilities are right") {
  const ScaleMixture truth({0.9, 0.1}, {0.2, 8.2});
  const auto choice = choice_of(truth);
  REQUIRE(std::holds_alternative<ScaleMixture>(choice.residual.held()));
  for (const double z : {2.0, 4.0})
    CHECK(choice.residual.exceedance(z) == doctest::Approx(truth.exceedance(z)).scale(0).epsilon(0.2));
}

TEST_CASE("few conditions tell nothing, and data without members is refused") {
  const auto law = laws();
  const std::vector<Index> counts(4, 2);
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), law.grid(), 1, {.members = true});
  CHECK_THROWS_AS(metric::likeliest_residual(law, data), Error);
  CHECK_THROWS_AS(metric::likeliest_residual(law, Ensemble<double, 1>()), Error);
  const Law<double, 1> four(Field<double, 1>(4, law.grid(), 1), Field<double, 1>(4, law.grid(), 1));
  CHECK(metric::likeliest_residual(four, data).residual.gaussian());
}

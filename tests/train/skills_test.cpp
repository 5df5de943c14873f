// A surrogate against its references: the truth is better than both, and one that knows nothing is not.
#include "mno/train/skills.hpp"

#include <doctest/doctest.h>

#include "line.hpp"

using namespace mno;

namespace {

using mno_test::Line;

/// u_T is u_0 with noise of a size that differs from condition to condition, around 5 in units of 2.
Ensemble<float, 1> noisy(Index conditions, double noise) {
  const Grid<1> grid{{8}};
  auto data =
      make_ensemble<float, 1>(std::vector<Index>(std::size_t(conditions), 4), grid, 1, {.members = true});
  for (Index e = 0; e < conditions; ++e) {
    Stream random(2, std::uint64_t(e));
    const double phase = random.normal();
    Field<float, 1> initial(1, grid, 1), members(4, grid, 1);
    initial.fill([&](auto x, Index) { return 5 + 2 * std::sin(6.2831853 * x[0] + phase); });
    for (std::size_t i = 0; i < members.size(); ++i)
      members.data()[i] = float(double(initial.data()[i % 8]) + noise * random.normal());
    set_condition<float, 1>(data, e, std::as_const(initial).view(), 0.0f, e, std::as_const(members).view());
  }
  return data;
}

}  // namespace

TEST_CASE("at t = 0 a model is u_0 without spread: better than climatology, worse than with its variance") {
  const auto data = noisy(40, 0.2);
  Surrogate<Mno<Line>> surrogate(Mno<Line>(1), Normaliser::fit(data));
  CHECK_THROWS_AS(skills(surrogate, data), Error);  // nobody told it what to compare with
  auto own = data;
  surrogate.normaliser().apply(own);
  const double variance = std::pow(0.2 / surrogate.normaliser().scale[0], 2);
  surrogate.set_references(metric::references(own, {variance}));

  // [skills]
  const auto against = skills(surrogate, data);
  const std::string sentence = metric::skill_sentence(against);
  // [skills] end
  REQUIRE(against.size() == 2);
  CHECK(against[0].skill.better());
  CHECK(against[0].skill.conditions == 40);
  // The CRPS of a point mass is E|ζ| = √(2/π) deviations, that of the normal law itself 1/√π: √2 times less.
  CHECK(against[1].skill.value == doctest::Approx(1 - std::sqrt(2.0)).epsilon(0.1));
  CHECK(against[1].skill.worse());
  CHECK(sentence.starts_with("Better than climatology (CRPS "));
  CHECK(sentence.find(", but worse than its own mean with one constant variance (CRPS 4") != sentence.npos);
}

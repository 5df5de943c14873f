// Skill against a reference: its value, its interval, and the sentence that they come to.
#include "mno/metric/skill.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/metric/interval95.hpp"

using namespace mno;
using metric::NamedSkill;
using metric::Skill;

namespace {
using Numbers = std::vector<double>;
}

TEST_CASE("the skill is one minus the ratio of mean scores") {
  const Skill half = metric::skill(Numbers{1, 2, 3}, Numbers{2, 4, 6});
  CHECK(half.value == doctest::Approx(0.5));
  CHECK(half.half_width == doctest::Approx(0));  // the ratio is the same in every condition
  CHECK(half.better());
  CHECK(half.conditions == 3);
  const Skill worse = metric::skill(Numbers{3, 6}, Numbers{2, 4});
  CHECK(worse.value == doctest::Approx(-0.5));
  CHECK(worse.verdict() == "worse than");
}

TEST_CASE("where all conditions have the same reference, the interval is Student's") {
  const Numbers scores{1, 1.5, 0.7, 1.2, 0.9}, reference(5, 2.0);
  const auto expected = metric::interval95(scores);
  const Skill s = metric::skill(scores, reference);
  CHECK(s.value == doctest::Approx(1 - expected.mean / 2));
  CHECK(s.half_width == doctest::Approx(expected.half_width / 2));
}

TEST_CASE("one initial field has no interval, and nothing is said to be better") {
  for (const Skill& s : {metric::skill(Numbers{1}, Numbers{9}),
                         metric::skill(Numbers{1, 1}, Numbers{9, 8}, std::vector<Index>{4, 4})}) {
    CHECK(std::isinf(s.half_width));
    CHECK(s.origins == 1);
    CHECK(s.verdict() == "no better than");
  }
}

TEST_CASE("conditions of one initial field count as one") {
  const Numbers scores{1, 2, 0.5, 0.75, 3, 2}, reference{2, 3, 1, 1, 2, 4};
  const std::vector<Index> origins{7, 7, 2, 2, 5, 5};
  const Skill together = metric::skill(scores, reference, origins),
              sums = metric::skill(Numbers{3, 1.25, 5}, Numbers{5, 2, 6});
  CHECK(together.value == doctest::Approx(sums.value));
  CHECK(together.half_width == doctest::Approx(sums.half_width));
  CHECK(together.origins == 3);
  CHECK(together.conditions == 6);
  // Copies of conditions add nothing to what is known.
  Numbers twice = scores, reference_twice = reference;
  std::vector<Index> each{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
  twice.insert(twice.end(), scores.begin(), scores.end());
  reference_twice.insert(reference_twice.end(), reference.begin(), reference.end());
  CHECK(metric::skill(twice, reference_twice, each).half_width ==
        doctest::Approx(metric::skill(scores, reference).half_width));
}

// The true skill is outside of a 95 % interval in 5 % of experiments. Of 4000 that is 200 with a deviation of
// 14; the bounds are 6 deviations away, and half a percent for what the interval is not exact by.
TEST_CASE("the interval holds the true skill in 95 of 100 experiments, though conditions differ in size") {
  Stream random(3);
  int outside = 0;
  for (int experiment = 0; experiment < 4000; ++experiment) {
    Numbers scores, reference;
    for (int i = 0; i < 40; ++i) {
      const double size = std::exp(0.5 * random.normal());  // hard for both
      scores.push_back(0.8 * size * std::exp(0.1 * random.normal()));
      reference.push_back(size * std::exp(0.1 * random.normal()));
    }
    const Skill s = metric::skill(scores, reference);
    outside += s.lower() > 0.2 || s.upper() < 0.2;
  }
  CHECK(outside > 200 - 84 - 20);
  CHECK(outside < 200 + 84 + 20);
}

TEST_CASE("a sentence has the good news first, and says by how much") {
  const NamedSkill better{"climatology",
                          {.value = 0.832, .half_width = 0.0213, .conditions = 64, .origins = 64}},
      same{"its own mean", {.value = 0.0031, .half_width = 0.008, .conditions = 64, .origins = 64}},
      worse{"persistence", {.value = -0.5, .half_width = 0.099, .conditions = 64, .origins = 64}};
  CHECK(metric::skill_sentence(std::vector{better}) ==
        "Better than climatology (CRPS 83 ± 2.1 % lower), over 64 conditions.");
  CHECK(metric::skill_sentence(std::vector{worse, same, better}) ==
        "Better than climatology (CRPS 83 ± 2.1 % lower), but no better than its own mean (CRPS 0.3 ± 0.8 % "
        "lower), and worse than persistence (CRPS 50 ± 9.9 % higher), over 64 conditions.");
  NamedSkill few{"climatology", metric::skill(Numbers{1, 2}, Numbers{2, 2}, std::vector<Index>{0, 0})};
  CHECK(metric::skill_sentence(std::vector{few}) ==
        "No better than climatology (CRPS 25 % lower), over 2 conditions in 1 group, which is too few for an "
        "interval.");
  CHECK(metric::skill_sentence({}) == "");
}

TEST_CASE("a reference that is perfect can be equalled and not beaten") {
  const Skill worse = metric::skill(Numbers{1, 2}, Numbers{0, 0}),
              same = metric::skill(Numbers{0, 0}, Numbers{0, 0});
  CHECK(worse.worse());
  CHECK(same.verdict() == "no better than");
  CHECK(metric::skill_sentence(std::vector{NamedSkill{"u_0", worse}}) ==
        "Worse than u_0 (CRPS above 0, which it has), over 2 conditions.");
}

TEST_CASE("scores that do not belong together are refused") {
  CHECK_THROWS_AS(metric::skill(Numbers{1, 2}, Numbers{1}), Error);
  CHECK_THROWS_AS(metric::skill(Numbers{}, Numbers{}), Error);
  CHECK_THROWS_AS(metric::skill(Numbers{1, 2}, Numbers{1, 2}, std::vector<Index>{1}), Error);
  CHECK_THROWS_AS(metric::skill(Numbers{1, std::nan("")}, Numbers{1, 1}), Error);
  CHECK_THROWS_AS(metric::skill(Numbers{1, 2}, Numbers{-1, 0}), Error);
}

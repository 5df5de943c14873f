#include "mno/metric/event_scores.hpp"

#include <doctest/doctest.h>

#include "mno/core/random.hpp"

using namespace mno;
using metric::EventScores;

namespace {
EventScores random_scores(std::uint64_t seed, Index conditions, Index members, double off = 0) {
  Stream random(seed);
  EventScores scores;
  for (Index i = 0; i < conditions; ++i) {
    const double truth = random.uniform();
    Index happened = 0;
    for (Index j = 0; j < members; ++j) happened += random.uniform() < truth;
    scores.add(std::clamp(truth + off, 0.0, 1.0), happened, members);
  }
  return scores;
}
}  // namespace

TEST_CASE("the Brier score is the mean over members of (p − y)²") {
  EventScores scores;
  scores.add(0.3, 1, 4);  // (3 · 0.09 + 0.49)/4
  scores.add(1, 2, 2);
  CHECK(scores.brier() == doctest::Approx((3 * 0.09 + 0.49) / 8));
  CHECK(scores.base_rate() == doctest::Approx(0.625));
  CHECK(scores.mean_probability() == doctest::Approx(0.65));
}

TEST_CASE("true probabilities score the irreducible, others more, and are calibrated") {
  const auto truth = random_scores(1, 20000, 32), off = random_scores(1, 20000, 32, 0.2);
  CHECK(truth.irreducible() == doctest::Approx(1. / 6).scale(0).epsilon(0.01));  // ∫ p(1 − p)
  CHECK(truth.brier() == doctest::Approx(truth.irreducible()).scale(0).epsilon(0.01));
  CHECK(random_scores(2, 20000, 2).irreducible() ==
        doctest::Approx(1. / 6).scale(0).epsilon(0.04));  // of two members too
  CHECK(off.brier() > truth.brier() + 0.02);
  CHECK(truth.calibration_error() < 0.01);
  CHECK(off.calibration_error() > 0.1);
}

TEST_CASE("reliability − resolution + uncertainty is the Brier score where bins hold one probability each") {
  EventScores scores;
  Stream random(3);
  for (int i = 0; i < 500; ++i)
    scores.add(0.05 + 0.1 * std::floor(10 * random.uniform()), Index(6 * random.uniform()), 5);
  CHECK(scores.reliability() - scores.resolution() + scores.uncertainty() ==
        doctest::Approx(scores.brier()).epsilon(1e-12));
  double share = 0;
  for (const auto& bin : scores.bins()) share += bin.share;
  CHECK(share == doctest::Approx(1));
}

TEST_CASE("as a classifier, counted by hand") {
  EventScores scores;
  scores.add(0.5, 2, 10);   // hit
  scores.add(0.05, 1, 10);  // missed: a tenth is positive
  scores.add(0.2, 0, 10);   // wrong
  scores.add(0.1, 9, 10);   // hit: a tenth is called
  scores.add(0, 0, 10);     // right
  const auto all = scores.confusion();
  CHECK(all.precision == doctest::Approx(2. / 3));
  CHECK(all.recall == doctest::Approx(2. / 3));
  CHECK(all.f1 == doctest::Approx(2. / 3));
  CHECK(all.accuracy == doctest::Approx(0.6));
  // by decreasing p: hit, wrong, hit, missed
  CHECK(scores.average_precision() == doctest::Approx((1 + 2. / 3 + 3. / 4) / 3));
  CHECK(scores.precision_recall().size() == 5);
}

TEST_CASE("what is no probability, and nothing at all, are refused") {
  EventScores scores;
  CHECK_THROWS_WITH_AS(scores.brier(), doctest::Contains("at least one"), Error);
  CHECK_THROWS_WITH_AS(scores.add(1.1, 0, 1), doctest::Contains("a probability"), Error);
  CHECK_THROWS_WITH_AS(scores.add(0.5, 3, 2), doctest::Contains("3 of 2"), Error);
  scores.add(0.5, 1, 1);
  CHECK_THROWS_WITH_AS(scores.irreducible(), doctest::Contains("at least two"), Error);
}

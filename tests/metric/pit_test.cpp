// The probability integral transform: uniform for members of the law, and its histogram says what is wrong.
#include "mno/metric/pit.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "metric/support.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/evaluate.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

metric::Moments normal(Index n, double mean, double sd) {
  return {Eigen::VectorXd::Constant(n, mean), Eigen::VectorXd::Constant(n, sd * sd), 0};
}
/// Single draws of N(0, 1), one for each of many conditions, seen by another normal law.
metric::Pit seen_by(double mean, double sd) {
  metric::Pit pit(10);
  Stream stream(1);
  for (int condition = 0; condition < 20000; ++condition)
    pit.add(normal(1, mean, sd), normal_ensemble(1, 1, stream));
  return pit;
}

}  // namespace

TEST_CASE("bins by hand") {
  metric::Pit pit(4);
  pit.add(normal(1, 0, 1), (metric::Members(1, 4) << -3, -0.1, 0.1, 0.2).finished());
  CHECK(pit.histogram() == std::vector<double>{0.25, 0.25, 0.5, 0});
  CHECK(pit.value() == doctest::Approx(0.25));  // below 3/4 there is all of it
}

TEST_CASE("single draws of the law itself are uniform") {
  const auto pit = seen_by(0, 1);
  for (const double share : pit.histogram())  // of 20000 independent ones
    CHECK(std::abs(share - 0.1) < critical * std::sqrt(0.1 * 0.9 / 20000));
  CHECK(pit.value() < critical_ks(false_alarm) / std::sqrt(20000));
}

TEST_CASE(
    "the histogram is high at the ends for a narrow law, in the middle for a wide one, sloped for a shift") {
  const auto narrow = seen_by(0, 0.5).histogram(), wide = seen_by(0, 2).histogram(),
             low = seen_by(-0.5, 1).histogram();
  CHECK(narrow.front() > 0.15);
  CHECK(narrow.back() > 0.15);
  CHECK(narrow[5] < 0.1);
  CHECK(wide.front() < 0.05);
  CHECK(wide[5] > 0.1);
  CHECK(low.front() < low.back() / 3);
  // max_z |Φ(z) − Φ(z/2)| at the edges of the bins: .1 of the law lies below −2.56, .0052 of the data
  CHECK(seen_by(0, 2).value() == doctest::Approx(0.1622).scale(0).epsilon(0.05));
}

TEST_CASE("a point mass: below, above, and hit") {
  metric::Pit pit(4);
  pit.add(normal(1, 2, 0), (metric::Members(1, 2) << 1, 3).finished());
  CHECK(pit.histogram() == std::vector<double>{0.5, 0, 0, 0.5});
  metric::Pit hit(4);
  hit.add(normal(1, 2, 0), (metric::Members(1, 1) << 2).finished());
  CHECK(hit.value() == 0);
}

TEST_CASE(
    "for all numbers of members: shares sum to one, every condition counts alike, laws and moments agree") {
  CHECK(for_any("any counts", [] {
    const auto counts = any_some_in(1, 5);
    const Index conditions = Index(counts.size());
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const auto law = random_law<double, 1>(conditions, Grid<1>{{4}}, 2, 2, seed);
    Field<double, 1> all(member_offsets(counts).back(), Grid<1>{{4}}, 2);
    fill_normal(all, seed + 1);
    const auto pit = metric::evaluate(metric::Pit(8), law, all, counts);
    std::vector<double> expected(8, 0.0);
    for (Index s = 0; s < conditions; ++s) {
      metric::Pit one(8);
      one.add(metric::moments(law, s), metric::members(std::as_const(all).view().samples(
                                           member_offsets(counts)[std::size_t(s)], counts[std::size_t(s)])));
      for (std::size_t k = 0; k < 8; ++k) expected[k] += one.histogram()[k] / double(conditions);
    }
    const auto shares = pit.histogram();
    HOLDS(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-12);
    for (std::size_t k = 0; k < 8; ++k) HOLDS(std::abs(shares[k] - expected[k]) < 1e-12);
    HOLDS(pit.value() >= 0 && pit.value() < 1);
  }));
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] { metric::Pit(1); }) ==
        "mno::metric::Pit: argument 'bins': expected at least two, got 1.");
  CHECK(sentence([] { metric::Pit().value(); }).find("at least one condition") != std::string::npos);
}

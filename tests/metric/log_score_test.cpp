// The log score is the mean of −log p, and the law that the data come from has the best.
#include "mno/metric/log_score.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/evaluate.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("for all numbers of members it is the mean over members, then over conditions") {
  CHECK(for_any("any counts", [] {
    const auto counts = any_some_in(1, 4);
    const Index conditions = Index(counts.size());
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const auto law = random_law<double, 1>(conditions, Grid<1>{{4}}, 2, 2, seed);
    const auto offsets = member_offsets(counts);
    Field<double, 1> all(offsets.back(), Grid<1>{{4}}, 2);
    fill_normal(all, seed + 1);
    double expected = 0;
    for (Index s = 0; s < conditions; ++s)
      for (Index j = 0; j < counts[std::size_t(s)]; ++j)
        expected -= log_density(law, s, flat(all, offsets[std::size_t(s)] + j), 0.1) /
                    double(counts[std::size_t(s)] * conditions);
    const double value = metric::evaluate(metric::LogScore(0.1), law, all, counts).value();
    HOLDS(std::abs(value - expected) <= 1e-12 * (1 + std::abs(expected)));
  }));
}

// One draw per condition. That the true law scores better than one with 1.3 times the factor is expected by
// 0.06 nats per direction; means over 4000 draws differ from that by .02 or so.
TEST_CASE("from single draws the truth scores best, also in directions between points") {
  const Index conditions = 4000;
  const auto one = random_law<double, 1>(1, Grid<1>{{6}}, 1, 3, 3);
  Field<double, 1> mean(conditions, one.grid(), 1), factor(conditions, one.grid(), 3);
  for (Index s = 0; s < conditions; ++s) {
    flat(mean, s) = flat(one.mean, 0);
    flat(factor, s) = flat(one.factor, 0);
  }
  const Law<double, 1> law(mean, factor);
  auto draws = sample(law, 1, 5);
  Stream stream(6);
  for (double& u : draws.span()) u += std::sqrt(0.1) * stream.normal();
  const auto score = [&](double scale, double shift, bool independent) {
    Law<double, 1> other = law;
    for (double& b : other.factor.span()) b *= scale;
    for (double& m : other.mean.span()) m += shift;
    if (independent) {  // the same variance at every point, another covariance between points
      other = Law<double, 1>(other.mean, Field<double, 1>(conditions, law.grid(), 6));
      const auto v = variance(law);
      for (Index s = 0; s < conditions; ++s)
        for (Index x = 0; x < 6; ++x) other.factor(s, x, x) = std::sqrt(v(s, x, 0));
    }
    return metric::evaluate(metric::LogScore(0.1), other, draws).value();
  };
  const double truth = score(1, 0, false);
  for (const double scale : {0.7, 1.3}) CHECK(truth < score(scale, 0, false));
  CHECK(truth < score(1, 0.2, false));
  CHECK(truth < score(1, 0, true));
}

TEST_CASE("a law without density is refused with a sentence") {
  const auto law = random_law<double, 1>(1, Grid<1>{{4}}, 1, 2, 3);
  CHECK_FALSE(metric::has_density(law));
  CHECK(metric::has_density(law, 0.1));
  CHECK(
      sentence([&] { metric::LogScore().add(law, 0, metric::Members::Zero(4, 1)); }) ==
      "mno::metric::LogScore: argument 'law': expected a law with a density: residuals without an atom, and "
      "a nugget or a white noise above 0, got one without.");
}

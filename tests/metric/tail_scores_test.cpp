#include "mno/metric/tail_scores.hpp"

#include <doctest/doctest.h>

#include "law/support.hpp"
#include "mno/core/random.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
/// A law of one entry.
template <class R = Gaussian> Law<double, 1, R> one(double mean, double sd, R residual = {}) {
  Field<double, 1> m(1, Grid<1>{{1}}, 1), b(1, Grid<1>{{1}}, 1);
  m(0, 0, 0) = mean;
  b(0, 0, 0) = sd;
  return with_residual(Law<double, 1>(std::move(m), std::move(b)), residual);
}
template <class L> metric::TailScores scores(const L& law, const metric::Members& members) {
  metric::TailScores all;
  all.add(law, 0, members);
  return all;
}
}  // namespace

TEST_CASE("by hand, for one value") {
  const auto law = one(0, 1);
  const auto all = scores(law, (metric::Members(1, 1) << 3).finished());
  const Marginal<Gaussian> x{0, 1};
  CHECK(all.tail_crps_value() ==
        doctest::Approx(tail_crps(x, 3, -1.645, Tail::lower) + tail_crps(x, 3, 1.645, Tail::upper)));
  CHECK(all.upper_quantile_score() == doctest::Approx(2 * 0.99 * (3 - 2.3263478740)));
  CHECK(all.lower_quantile_score() == doctest::Approx(2 * 0.01 * (3 + 2.3263478740)));
  CHECK(all.coverage() == 0);
}

TEST_CASE(
    "of data with heavy tails the law that has them scores better in the tails, and covers what it says") {
  const auto heavy = one(0, 1, StudentT(4));
  const Index count = 40000;
  const auto drawn = sample(heavy, count, 3);
  metric::Members members(1, count);
  for (Index j = 0; j < count; ++j) members(0, j) = drawn.data()[j];
  const auto right = scores(heavy, members), normal = scores(one(0, 1), members);
  CHECK(right.tail_crps_value() < normal.tail_crps_value());
  CHECK(right.upper_quantile_score() < normal.upper_quantile_score());
  CHECK(right.lower_quantile_score() < normal.lower_quantile_score());
  CHECK(std::abs(right.coverage() - 0.99) < 4.5 * std::sqrt(0.99 * 0.01 / double(count)));
  CHECK(normal.coverage() < 0.99 - 4.5 * std::sqrt(0.99 * 0.01 / double(count)));
}

TEST_CASE("every condition counts alike; what makes no sense is refused") {
  metric::TailScores all;
  all.add(one(0, 1), 0, (metric::Members(1, 3) << 9, 9, 9).finished());
  all.add(one(0, 1), 0, (metric::Members(1, 1) << 0).finished());
  CHECK(all.coverage() == 0.5);
  CHECK(sentence([] { metric::TailScores({.lower = 1, .upper = 0}); }).find("below the upper one") !=
        std::string::npos);
  CHECK(sentence([&] { all.add(one(0, 1), 0, (metric::Members(2, 1) << 0, 1).finished()); }) != "no error");
}

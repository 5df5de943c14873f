// The references: climatology is what all members of all conditions have in common, and the constant variance
// is around any mean.
#include "mno/metric/references.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/metric/crps.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// Conditions of so many members each, with these times in turn; two channels.
Ensemble<double, 1> conditions(Index count, Index members, const std::vector<double>& times,
                               const Grid<1>& grid = {{4}, {{2.0}}}) {
  auto data =
      make_ensemble<double, 1>(std::vector<Index>(std::size_t(count), members), grid, 2, {.members = true});
  Stream random(8);
  for (Index e = 0; e < count; ++e) {
    const double level = random.normal(), time = times[std::size_t(e) % times.size()];
    Field<double, 1> initial(1, grid, 2), drawn(members, grid, 2);
    for (std::size_t i = 0; i < drawn.size(); ++i)
      drawn.data()[i] = level + 10 * time + double(i % 8) + random.normal();
    set_condition<double, 1>(data, e, std::as_const(initial).view(), time, e, std::as_const(drawn).view());
  }
  return data;
}

}  // namespace

TEST_CASE("climatology has the mean and the variance of all members together") {
  const Index count = 500, members = 6;
  const auto data = conditions(count, members, {1});
  const auto known = metric::references(data, {0.5, 2});
  const auto law = known.climatology(1, data.grid());
  const metric::Members all = metric::members(data.members);
  const metric::Moments pooled = metric::moments(all), model = metric::moments(law, 0);
  for (Index i = 0; i < 8; ++i) {
    CHECK(model.mean[i] == doctest::Approx(pooled.mean[i]).epsilon(1e-12));
    // Members of a condition are alike, so that the variance between conditions has n − 1 = 499 degrees.
    CHECK(model.variance[i] == doctest::Approx(pooled.variance[i]).epsilon(0.01));
  }
  CHECK(law.rank() == 1);
  for (const double b : law.factor.span()) CHECK(b == 0);
}

TEST_CASE("single draws have a climatology too, with n − 1 in its variance") {
  const auto data = conditions(20, 1, {1});
  const auto known = metric::references(data, {1, 1});
  const metric::Moments expected = metric::moments(metric::members(data.members));
  for (Index i = 0; i < 8; ++i) {
    CHECK(known.mean.data()[i] == doctest::Approx(expected.mean[i]));
    CHECK(known.variance.data()[i] == doctest::Approx(expected.variance[i]));
  }
}

TEST_CASE("times with enough conditions have a climatology each, others one for all") {
  const auto apart = metric::references(conditions(24, 2, {0.5, 1, 2}), {1, 1});
  CHECK(apart.times == std::vector<double>{0.5, 1, 2});
  CHECK(apart.mean.batch() == 3);
  const Grid<1> grid = apart.mean.grid();
  CHECK(apart.climatology(2, grid).mean(0, 0, 0) == apart.mean(2, 0, 0));
  CHECK(apart.climatology(1.4, grid).mean(0, 0, 0) == apart.mean(1, 0, 0));  // the nearest
  CHECK(apart.mean(2, 0, 0) > apart.mean(0, 0, 0) + 10);
  const auto together = metric::references(conditions(23, 2, {0.5, 1, 2}), {1, 1});
  CHECK(together.times.empty());
  CHECK(together.mean.batch() == 1);
  CHECK(together.variance(0, 0, 0) > 30);  // times differ by far more than members do
}

TEST_CASE("on another grid it is on straight lines between the points, around the end too") {
  metric::References<double, 2> known;
  known.mean = known.variance = Field<double, 2>(1, Grid<2>{{2, 2}}, 1);
  const double values[] = {1, 2, 3, 5};
  for (std::size_t i = 0; i < 4; ++i) known.mean.data()[i] = known.variance.data()[i] = values[i];
  const auto fine = known.climatology(0, Grid<2>{{4, 4}});
  CHECK(fine.mean(0, 0, 0) == 1);
  CHECK(fine.mean(0, 1, 0) == 1.5);  // between two columns
  CHECK(fine.mean(0, 3, 0) == 1.5);  // and around the end
  CHECK(fine.mean(0, 2, 0) == 2);
  CHECK(fine.mean(0, 4, 0) == 2);                          // between two rows
  CHECK(fine.mean(0, 5, 0) == doctest::Approx(11.0 / 4));  // in the middle of four
  CHECK(fine.nugget(0, 5, 0) == doctest::Approx(std::sqrt(11.0 / 4)));
  const auto same = known.climatology(0, Grid<2>{{2, 2}});
  for (std::size_t i = 0; i < 4; ++i) CHECK(same.mean.data()[i] == values[i]);
}

TEST_CASE("the constant variance is one per channel around any mean") {
  metric::References<double, 1> known;
  known.residual_variance = {4, 9};
  Field<double, 1> mean(2, Grid<1>{{3}}, 2);
  mean(1, 2, 1) = 7;
  const auto law = known.constant_variance(mean);
  CHECK(metric::moments(law, 1).mean[5] == 7);
  for (Index i = 0; i < 6; ++i) CHECK(metric::moments(law, 0).variance[i] == (i % 2 ? 9 : 4));
  CHECK_THROWS_AS(known.constant_variance(Field<double, 1>(1, Grid<1>{{3}}, 1)), Error);
  CHECK_THROWS_AS(known.climatology(1, Grid<1>{{3}}), Error);  // none was fitted
}

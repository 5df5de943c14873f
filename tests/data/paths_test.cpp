// Fields at several times as channels of one: what goes in comes out again, marginals are those of single
// times, and the covariance between times is that of the paths.
#include "mno/data/paths.hpp"

#include <doctest/doctest.h>

#include "law/support.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/quantile.hpp"
#include "mno/law/sample.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
/// Two initial fields of two channels at three times, with four members each.
Ensemble<double, 1> three_times() {
  const std::vector<Index> counts(6, 4);
  auto data = make_ensemble<double, 1>(std::span<const Index>(counts), Grid<1>{{5}}, 2, {.members = true});
  for (Index i = 0; i < 6; ++i) {
    Field<double, 1> initial(1, data.grid(), 2), members(4, data.grid(), 2);
    fill_normal(initial, std::uint64_t(i / 3));
    fill_normal(members, std::uint64_t(100 + i));
    set_condition<double, 1>(data, i, std::as_const(initial).view(), 0.1 * double(i % 3 + 1), i / 3,
                             std::as_const(members).view());
  }
  return data;
}
}  // namespace

TEST_CASE("a path has its fields in the order of times; u_0 is repeated, the time is the last") {
  const auto data = three_times();
  const auto paths = paths_of(data, 3, {.members = true});
  REQUIRE(paths.size() == 2);
  REQUIRE(paths.channels() == 6);
  for (Index i = 0; i < 2; ++i) {
    CHECK(paths.times[std::size_t(i)] == doctest::Approx(0.3));
    CHECK(paths.origins[std::size_t(i)] == i);
    for (Index k = 0; k < 3; ++k)
      for (Index p = 0; p < 5; ++p)
        for (Index c = 0; c < 2; ++c) {
          CHECK(paths.initial(i, p, k * 2 + c) == data.initial(3 * i, p, c));
          CHECK(paths.mean(i, p, k * 2 + c) == data.mean(3 * i + k, p, c));
          for (Index j = 0; j < 4; ++j)
            CHECK(paths.members_of(i)(j, p, k * 2 + c) == data.members_of(3 * i + k)(j, p, c));
        }
  }
}

TEST_CASE("conditions that are no paths are refused") {
  auto data = three_times();
  CHECK_THROWS_AS(paths_of(data, 4), Error);
  data.origins[1] = 7;
  CHECK_THROWS_AS(paths_of(data, 3), Error);
  data = three_times();
  data.times[4] = 0.25;
  CHECK_THROWS_AS(paths_of(data, 3), Error);
  data.members = {};
  CHECK_THROWS_AS(paths_of(data, 3), Error);
}

TEST_CASE("the law at one time is the marginal of the law of paths") {
  const auto paths = with_nugget(random_law<double, 1>(2, Grid<1>{{4}}, 6, 3, 8), 4, 0.2);
  for (Index k = 0; k < 3; ++k) {
    const auto one = at_time(paths, k, 3);
    REQUIRE(one.channels() == 2);
    REQUIRE(one.rank() == 3);
    const Eigen::MatrixXd whole = covariance(paths, 1).dense(), gamma = covariance(one, 1).dense();
    for (Index i = 0; i < 8; ++i)
      for (Index j = 0; j < 8; ++j)
        CHECK(gamma(i, j) == doctest::Approx(whole(i / 2 * 6 + k * 2 + i % 2, j / 2 * 6 + k * 2 + j % 2)));
    CHECK(quantile(one, 0.9)(1, 3, 1) == doctest::Approx(quantile(paths, 0.9)(1, 3, k * 2 + 1)));
  }
  CHECK_THROWS_AS(at_time(paths, 3, 3), Error);
  CHECK_THROWS_AS(at_time(paths, 0, 4), Error);
}

TEST_CASE("paths become frames of trajectories again") {
  const auto data = three_times();
  const auto paths = paths_of(data, 3, {.members = true});
  const auto frames = frames_of<double, 1>(paths.members.view(), 3);
  REQUIRE(frames.batch() == 2 * 4 * 3);
  REQUIRE(frames.channels() == 2);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 4; ++j)
      for (Index k = 0; k < 3; ++k)
        for (Index p = 0; p < 5; ++p)
          CHECK(frames((4 * i + j) * 3 + k, p, 1) == data.members_of(3 * i + k)(j, p, 1));
  CHECK_THROWS_AS((frames_of<double, 1>(paths.members.view(), 4)), Error);
}

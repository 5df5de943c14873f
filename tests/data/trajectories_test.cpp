#include "mno/data/trajectories.hpp"

#include <doctest/doctest.h>

#include <set>

#include "mno/data/split.hpp"

using namespace mno;

TEST_CASE("trajectories become pairs, and a split deals out trajectories") {
  // [trajectories]
  const Index trajectories = 10;
  const std::vector<double> times{0, 0.1, 0.2, 0.3};  // of the frames
  const mno::Grid<1> grid{{16}, mno::Domain<1>{{1.0}}};
  mno::Field<float, 1> frames(trajectories * Index(times.size()), grid,
                              /*channels=*/1);  // (trajectory·frame, x, 1)
  frames.fill([](Index frame, std::array<double, 1> x, Index) { return double(frame) + x[0]; });

  const auto data =
      mno::ensemble_of_trajectories<float, 1>(std::as_const(frames).view(), times, {.lags = {1, 3}});
  const mno::Split split = mno::split_by_origin(data.origins, /*validation=*/0.2, /*test=*/0, /*seed=*/1);
  // [trajectories] end
  REQUIRE(data.size() == 10 * 4);  // (0,1) (0,3) (1,2) (2,3) of each
  CHECK(data.counts == std::vector<Index>(40, 1));
  for (Index i = 0; i < data.size(); ++i) {
    const Index trajectory = i / 4, from = std::array{0, 0, 1, 2}[std::size_t(i % 4)],
                to = std::array{1, 3, 2, 3}[std::size_t(i % 4)];
    CHECK(data.origins[std::size_t(i)] == trajectory);
    CHECK(data.initial(i, 0, 0) == float(4 * trajectory + from));
    CHECK(data.members(i, 15, 0) == frames(4 * trajectory + to, 15, 0));
    CHECK(data.times[std::size_t(i)] == doctest::Approx(0.1 * double(to - from)));
  }
  CHECK(split.validation.size() == 8);
  std::set<Index> held_back;
  for (const Index i : split.validation) held_back.insert(data.origins[std::size_t(i)]);
  CHECK(held_back.size() == 2);
  for (const Index i : split.train) CHECK_FALSE(held_back.contains(data.origins[std::size_t(i)]));
}

TEST_CASE("one long trajectory in pieces has an origin for each") {
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) times.push_back(i);
  Field<double, 2> frames(12, Grid<2>{{4, 4}}, 2);
  frames.fill([](Index frame, std::array<double, 2>, Index) { return double(frame); });
  const auto data = ensemble_of_trajectories<double, 2>(std::as_const(frames).view(), times, {.pieces = 3});
  CHECK(data.size() == 9);
  CHECK(data.origins == std::vector<Index>{0, 0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("frames that are no whole trajectories are refused") {
  const std::vector<double> times{0, 1, 2};
  const Field<float, 1> frames(7, Grid<1>{{8}}, 1);
  CHECK_THROWS_AS((ensemble_of_trajectories<float, 1>(frames.view(), times)), Error);
  const Field<float, 1> six(6, Grid<1>{{8}}, 1);
  CHECK_THROWS_AS((ensemble_of_trajectories<float, 1>(six.view(), times, {.lags = {3}})), Error);
}

TEST_CASE("the frames before u_s are known fields, the nearest first") {
  const std::vector<double> times{0, 1, 2, 3, 4};
  Field<double, 1> frames(10, Grid<1>{{4}}, 2);
  frames.fill([](Index frame, std::array<double, 1>, Index c) { return double(10 * frame + c); });
  const auto data =
      ensemble_of_trajectories<double, 1>(std::as_const(frames).view(), times, {.lags = {2}, .history = 3});
  REQUIRE(data.size() == 2);  // (2, 4) of each
  REQUIRE(data.known.batch() == 2);
  REQUIRE(data.known.channels() == 4);
  for (Index i = 0; i < 2; ++i)
    for (Index p = 0; p < 4; ++p)
      for (Index c = 0; c < 2; ++c) {
        CHECK(data.initial(i, p, c) == double(10 * (5 * i + 2) + c));
        CHECK(data.known(i, p, c) == double(10 * (5 * i + 1) + c));
        CHECK(data.known(i, p, 2 + c) == double(10 * (5 * i) + c));
        CHECK(data.mean(i, p, c) == double(10 * (5 * i + 4) + c));
      }
  CHECK(ensemble_of_trajectories<double, 1>(std::as_const(frames).view(), times).known.size() == 0);
}

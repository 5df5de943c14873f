#include "mno/data/frame_pairs.hpp"

#include <doctest/doctest.h>

using namespace mno;

namespace {
std::vector<std::pair<Index, Index>> frames(const std::vector<FramePair>& pairs) {
  std::vector<std::pair<Index, Index>> out;
  for (const FramePair& pair : pairs) out.emplace_back(pair.from, pair.to);
  return out;
}
using Frames = std::vector<std::pair<Index, Index>>;
}  // namespace

TEST_CASE("neighbouring frames are pairs, and several lags are pairs with several times") {
  const std::vector<double> times{0, 0.5, 1, 1.5};
  CHECK(frames(frame_pairs(times)) == Frames{{0, 1}, {1, 2}, {2, 3}});
  const auto pairs = frame_pairs(times, {.lags = {1, 3}});
  CHECK(frames(pairs) == Frames{{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  CHECK(pairs[0].time == 0.5);
  CHECK(pairs[1].time == 1.5);
  CHECK(frame_pairs(times, {.lags = {4}}).empty());
  CHECK(frame_pairs(std::vector<double>{0}).empty());
}

TEST_CASE("equal lags of rounded times are equal numbers") {
  std::vector<double> times;
  for (int i = 0; i < 201; ++i)
    times.push_back(double(0.01f * float(i)));  // as files in single precision have them
  const auto pairs = frame_pairs(times, {.lags = {1, 5}});
  for (const FramePair& pair : pairs) CHECK(pair.time == pairs[pair.to - pair.from == 1 ? 0 : 1].time);
}

TEST_CASE("frames are left out, and lags count those that are kept") {
  const std::vector<double> times{0, 1, 2, 3, 4, 5, 6};
  CHECK(frames(frame_pairs(times, {.every = 2})) == Frames{{0, 2}, {2, 4}, {4, 6}});
  CHECK(frames(frame_pairs(times, {.lags = {2}, .every = 3})) == Frames{{0, 6}});
  CHECK(frames(frame_pairs(times, {.lags = {1, 6}, .first_only = true})) == Frames{{0, 1}, {0, 6}});
}

TEST_CASE("lags in units of time find frames at irregular times, up to a tolerance") {
  const std::vector<double> months{0, 31, 59, 90, 120, 151};
  CHECK(frames(frame_pairs(months, {.lag_times = {30}, .tolerance = 0.05})) ==
        Frames{{0, 1}, {2, 3}, {3, 4}, {4, 5}});
  const auto pairs = frame_pairs(months, {.lag_times = {59, 30}, .tolerance = 0});
  CHECK(frames(pairs) == Frames{{0, 2}, {1, 3}, {3, 4}});
  CHECK(pairs[0].time == 59);
  CHECK(frame_pairs(months, {.lag_times = {1000}}).empty());
}

TEST_CASE("no pair reaches over a cut") {
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) times.push_back(i);
  const auto pairs = frame_pairs(times, {.lags = {1, 2}, .pieces = 2});
  for (const FramePair& pair : pairs) {
    CHECK((pair.from < 5) == (pair.to < 5));
    CHECK(pair.piece == (pair.from < 5 ? 0 : 1));
  }
  CHECK(pairs.size() == 2 * (4 + 3));
}

TEST_CASE("what cannot be is refused with a sentence") {
  const std::vector<double> times{0, 1, 2}, back{0, 2, 1};
  CHECK_THROWS_WITH_AS(
      frame_pairs(back),
      "mno::frame_pairs: argument 'times': expected finite times that increase, got 1 at frame 2.", Error);
  CHECK_THROWS_AS(frame_pairs(times, {.lags = {0}}), Error);
  CHECK_THROWS_AS(frame_pairs(times, {.lags = {}}), Error);
  CHECK_THROWS_AS(frame_pairs(times, {.lag_times = {-1}}), Error);
  CHECK_THROWS_AS(frame_pairs(times, {.every = 0}), Error);
  CHECK_THROWS_AS(frame_pairs(times, {.pieces = 0}), Error);
}

TEST_CASE("a history is there before a pair starts, in the same piece, at the same distances") {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) times.push_back(0.1 * i);
  const PairOptions three{.lags = {1, 4}, .history = 3};
  const auto pairs = frame_pairs(times, three);
  CHECK(frames(pairs) == Frames{{2, 3}, {2, 6}, {3, 4}, {3, 7}, {4, 5}, {4, 8}, {5, 6}, {6, 7}, {7, 8}});
  CHECK(frame_before(pairs[0], 2, three) == 0);
  const PairOptions thinned{.every = 2, .history = 2};
  const auto few = frame_pairs(times, thinned);
  CHECK(frames(few) == Frames{{2, 4}, {4, 6}, {6, 8}});
  CHECK(frame_before(few[1], 1, thinned) == 2);
  CHECK(frames(frame_pairs(times, {.first_only = true, .history = 3})) == Frames{{2, 3}});
  CHECK(frames(frame_pairs(times, {.pieces = 3, .history = 2})) == Frames{{1, 2}, {4, 5}, {7, 8}});
  CHECK(frame_pairs(times, {.history = 9}).empty());
  CHECK_THROWS_AS(frame_pairs(times, {.history = 0}), Error);
  times[4] += 0.05;
  CHECK_THROWS_AS(frame_pairs(times, {.history = 2}), Error);
  CHECK_FALSE(frame_pairs(times).empty());  // without a history any distances are
}

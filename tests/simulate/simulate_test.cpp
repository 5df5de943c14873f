#include "mno/simulate/simulate.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <set>

#include "mno/simulate/toy.hpp"

using namespace mno;
using namespace mno::spde;

TEST_CASE("the sink sees every sample and time once, with its initial field and all members") {
  const DriftAndNoise field = brownian_field();
  Cpu device(4);
  const Sampling sampling{.samples = 11, .members = 6, .seed = 3, .times = {0.25, 0.5, 1}};
  const auto all = collect<float>(field, sampling, device);
  std::vector<std::atomic<int>> seen(33);
  std::atomic<int> wrong = 0;
  simulate<float>(
      field, sampling,
      [&](const SimulatedCondition<float, 1>& condition, View<const float, 1> members) {
        ++seen[std::size_t(condition.index)];
        wrong += condition.index != condition.sample * 3 + condition.query;
        wrong += condition.time != sampling.times[std::size_t(condition.query)];
        wrong += members.batch != 6 || members.points() != 64 || members.channels != 1;
        for (Index p = 0; p < 64; ++p) {
          wrong += condition.initial(0, p, 0) != all.initial(condition.index, p, 0);
          for (Index m = 0; m < 6; ++m)
            wrong += members(m, p, 0) != all.members(condition.index * 6 + m, p, 0);
        }
      },
      device);
  CHECK(wrong == 0);
  for (const auto& count : seen) CHECK(count == 1);
  CHECK(all.conditions() == 33);
  CHECK(all.times[4] == 0.5);
}

TEST_CASE("progress counts up to the number of samples, one call at a time") {
  std::vector<Index> counts;
  std::atomic<int> inside = 0, together = 0;
  Cpu device(4);
  Sampling sampling{.samples = 20, .members = 2};
  sampling.progress = [&](Index done, Index total) {
    together += ++inside > 1;
    counts.push_back(done);
    if (total != 20) counts.push_back(-1);
    --inside;
  };
  simulate<double>(
      brownian_field(), sampling, [](const auto&, auto) {}, device);
  std::vector<Index> expected(20);
  std::iota(expected.begin(), expected.end(), 1);
  CHECK(counts == expected);
  CHECK(together == 0);
}

TEST_CASE("a later first sample continues the seed's sequence") {
  const auto all = collect<double>(brownian_field(), {.samples = 5, .members = 3, .seed = 2});
  const auto tail =
      collect<double>(brownian_field(), {.samples = 2, .members = 3, .seed = 2, .first_sample = 3});
  for (Index row = 0; row < 2; ++row)
    for (Index p = 0; p < 64; ++p) {
      CHECK(tail.initial(row, p, 0) == all.initial(row + 3, p, 0));
      CHECK(tail.of(row)(2, p, 0) == all.of(row + 3)(2, p, 0));
    }
}

TEST_CASE("samples and members are all different") {
  const auto all = collect<double>(brownian_field(), {.samples = 6, .members = 50, .seed = 2});
  std::set<double> values;
  for (Index r = 0; r < 300; ++r) values.insert(all.members(r, 5, 0));
  CHECK(values.size() == 300);
}

TEST_CASE("what a sink throws reaches the caller") {
  CHECK_THROWS_WITH(simulate<double>(brownian_field(), {.samples = 3, .members = 2},
                                     [](const SimulatedCondition<double, 1>& c, auto) {
                                       if (c.sample == 1) throw std::runtime_error("the disk is full");
                                     }),
                    "the disk is full");
}

TEST_CASE("subsampling keeps the values at common points") {
  Field<double, 1> fine(2, Grid<1>{{12}}, 2);
  std::iota(fine.data(), fine.data() + fine.size(), 0.);
  const auto coarse = subsample(fine, 4);
  CHECK(coarse(1, 2, 1) == fine(1, 6, 1));
  CHECK_THROWS_WITH(subsample(fine, 5),
                    "mno::subsample: argument 'points': expected a divisor of 12, got 5.");
}

TEST_CASE("bad requests are refused with a sentence") {
  const auto run = [](Sampling sampling) { collect<double>(brownian_field(), sampling); };
  CHECK_THROWS_WITH(run({.samples = 0}), "mno::simulate: argument 'samples': expected at least one, got 0.");
  CHECK_THROWS_WITH(run({.members = 0}), "mno::simulate: argument 'members': expected at least one, got 0.");
  CHECK_THROWS_WITH(run({.first_sample = -1}), doctest::Contains("'first_sample'"));
  CHECK_THROWS_WITH(run({.times = {0.5, 0.25}}),
                    "mno::simulate: argument 'times': expected increasing values, got 0.25 after 0.5.");
  CHECK_THROWS_WITH(run({.samples = 3, .times = {0.5}, .one_time_per_sample = true}),
                    "mno::simulate: argument 'times': expected one per sample, 3, got 1 values.");
}

TEST_CASE("a square is subsampled on both axes, all channels") {
  Field<float, 2> fine(2, Grid<2>{{4, 6}, {{2, 3}}}, 2);
  for (std::size_t i = 0; i < fine.size(); ++i) fine.data()[i] = float(i);
  const auto coarse = subsample(fine, 2);
  CHECK(coarse.grid() == Grid<2>{{2, 2}, {{2, 3}}});
  for (Index b = 0; b < 2; ++b)
    for (Index x = 0; x < 2; ++x)
      for (Index y = 0; y < 2; ++y)
        for (Index c = 0; c < 2; ++c) CHECK(coarse(b, 2 * x + y, c) == fine(b, 2 * x * 6 + 3 * y, c));
  CHECK_THROWS_WITH(subsample(fine, 4), "mno::subsample: argument 'points': expected a divisor of 6, got 4.");
}

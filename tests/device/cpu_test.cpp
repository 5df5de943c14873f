// Lanes, workspaces and what happens when something throws.
#include "mno/device/cpu.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>

using namespace mno;

TEST_CASE("every lane runs once, for any number of threads") {
  for (const int threads : {1, 2, 3, 4, 16}) {
    Cpu device(threads);
    CHECK(device.threads() == threads);
    std::atomic<int> runs[Cpu::most_lanes] = {};
    for (Index lanes = 1; lanes <= Cpu::most_lanes; ++lanes) {
      for (auto& r : runs) r = 0;
      device.for_each_lane(lanes, [&](Index lane, Workspace&) { ++runs[lane]; });
      for (Index lane = 0; lane < Cpu::most_lanes; ++lane) CHECK(runs[lane] == (lane < lanes ? 1 : 0));
    }
  }
}

TEST_CASE("an exception in a lane reaches the caller: the first in lane order") {
  Cpu device(2);
  std::string seen;
  try {
    device.for_each_lane(8, [](Index lane, Workspace&) {
      if (lane >= 3) throw std::runtime_error("lane " + std::to_string(lane));
    });
  } catch (const std::runtime_error& error) {
    seen = error.what();
  }
  CHECK(seen == "lane 3");
}

TEST_CASE("lane sums are added in order, in the ranges that are asked for") {
  Cpu device(2);
  const std::vector<Cpu::Range> ranges{{0, 300}, {400, 1000}};
  const auto inside = [](std::size_t i) { return i < 300 || i >= 400; };
  std::vector<double> total(1000, 0.5);
  for (Index lane = 0; lane < 3; ++lane) {
    double* const sum = device.lane_sum<double>(lane, total.size(), ranges);
    for (std::size_t i = 0; i < total.size(); ++i) {
      if (inside(i)) CHECK(sum[i] == 0);
      sum[i] = double(lane + 1) * double(i);
    }
  }
  device.add_lane_sums<double>(3, total.data(), ranges);
  for (std::size_t i = 0; i < total.size(); ++i) CHECK(total[i] == (inside(i) ? 0.5 + 6 * double(i) : 0.5));
}

TEST_CASE("a device keeps an object of every kind") {
  Cpu device(1);
  device.own<std::vector<int>>().push_back(3);
  CHECK(device.own<std::vector<int>>().size() == 1);
  CHECK(device.own<std::vector<double>>().empty());
}

TEST_CASE("a device without threads is refused with a sentence") {
  CHECK_THROWS_WITH_AS(Cpu(0), "mno::Cpu: argument 'threads': expected at least one, got 0.", Error);
}

TEST_CASE("an arena gives aligned, separate pieces and takes them back") {
  Arena arena;
  std::set<void*> pieces;
  for (int i = 0; i < 100; ++i) {
    auto* const piece = arena.take<float>(std::size_t(i + 1));
    CHECK(reinterpret_cast<std::uintptr_t>(piece) % alignment == 0);
    CHECK(pieces.insert(piece).second);
  }
  arena.take<double>(1 << 20);  // larger than a chunk
  const auto mark = arena.mark();
  auto* const first = arena.take<double>(10);
  {
    ArenaScope scope(arena);
    arena.take<double>(1000);
  }
  CHECK(arena.take<double>(10) != first);
  arena.release(mark);
  CHECK(arena.take<double>(10) == first);
  const std::size_t capacity = arena.capacity();
  for (int round = 0; round < 3; ++round) {
    arena.release();
    for (int i = 0; i < 100; ++i) arena.take<float>(std::size_t(i + 1));
    arena.take<double>(1 << 20);
  }
  CHECK(arena.capacity() == capacity);
}

TEST_CASE("a cache makes a thing once per key") {
  static int made = 0;
  struct Thing {
    explicit Thing(int k) : key(k) { ++made; }
    bool matches(int k) const { return k == key; }
    int key;
  };
  detail::Cache cache;
  const Thing& one = cache.get<Thing>(1);
  for (int i = 2; i < 50; ++i) cache.get<Thing>(i);
  CHECK(&cache.get<Thing>(1) == &one);
  CHECK(made == 49);
}

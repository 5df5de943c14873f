// Items, runs, workspaces and what happens when something throws.
#include "mno/device/cpu.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>

using namespace mno;

TEST_CASE("every item runs once, for any number of threads, and a thread has a run of neighbours") {
  for (const int threads : {1, 2, 3, 4, 16, 64}) {
    Cpu device(threads);
    CHECK(device.threads() == threads);
    for (const Index items : {1, 2, 7, 16, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(items));
      device.for_each(items, [&](Index item, Workspace&) { ++runs[std::size_t(item)]; });
      for (const auto& r : runs) CHECK(r == 1);
      std::vector<Index> owner(static_cast<std::size_t>(items), -1);
      device.for_each_run(items, [&](const Cpu::Run& run, Workspace&) {
        for (Index item = run.begin; item < run.end; ++item) owner[std::size_t(item)] = run.thread;
      });
      CHECK(std::is_sorted(owner.begin(), owner.end()));
      CHECK(owner.front() == 0);
      CHECK(owner.back() == std::min<Index>(threads, items) - 1);
    }
  }
}

TEST_CASE("an exception reaches the caller: the first in the order of items, and none is left behind") {
  for (const int threads : {1, 2, 3, 8}) {
    Cpu device(threads);
    std::string seen;
    try {
      device.for_each(8, [](Index item, Workspace&) {
        if (item >= 3) throw std::runtime_error("item " + std::to_string(item));
      });
    } catch (const std::runtime_error& error) {
      seen = error.what();
    }
    CHECK(seen == "item 3");
    CHECK_NOTHROW(device.for_each(8, [](Index, Workspace&) {}));
  }
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

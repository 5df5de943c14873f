// Data in files: used like any other, gone when it is not needed any more, and never more of it in memory
// than asked for.
#include "mno/io/disk_memory.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "io/scratch.hpp"
#include "mno/data/ensemble.hpp"

using namespace mno;

namespace {

/// Fields lie in a folder while it lives.
struct OnDisk {
  Scratch folder;
  explicit OnDisk(io::DiskMemoryOptions options = {.least = 1}) {
    options.folder = folder.path();
    io::use_disk_memory(options);
  }
  ~OnDisk() { io::use_disk_memory({}); }
};

std::size_t file_bytes_in_memory() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0, of_files = 0;
  statm >> all >> resident >> of_files;
  return of_files * std::size_t(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("a field on a disk is zero at first, aligned, copied, moved, and leaves nothing behind") {
  const std::size_t before = io::DiskMemory::one().bytes();
  {
    const OnDisk disk;
    Field<float, 1> field(4, Grid<1>{{256}}, 2);
    CHECK(field.large());
    CHECK(reinterpret_cast<std::uintptr_t>(field.data()) % alignment == 0);
    CHECK(std::ranges::all_of(field.span(), [](float x) { return x == 0; }));
    std::iota(field.span().begin(), field.span().end(), 1.0f);

    Field<float, 1> copy = field;
    CHECK(copy.large());
    CHECK(std::ranges::equal(copy.span(), field.span()));
    copy.data()[7] = -1;
    CHECK(field.data()[7] == 8);
    const float* const place = copy.data();
    const Field<float, 1> moved = std::move(copy);
    CHECK(moved.data() == place);
    CHECK(io::DiskMemory::one().bytes() >= before + 2 * 2048 * sizeof(float));
    CHECK(std::filesystem::is_empty(disk.folder.path()));  // its files have no names
    CHECK_FALSE(Buffer<float>(4096).large());              // weights and the like stay in memory
  }
  CHECK(io::DiskMemory::one().bytes() == before);
  CHECK_FALSE(Field<float, 1>(4, Grid<1>{{256}}, 2).large());
}

TEST_CASE("small fields stay in memory") {
  const OnDisk disk;
  const std::filesystem::path& folder = disk.folder.path();
  // [use]
  io::use_disk_memory({.folder = folder, .resident = std::size_t(1) << 30});
  // [use] end
  CHECK_FALSE(Field<float, 1>(1, Grid<1>{{64}}, 1).large());
  CHECK(Field<float, 1>(64, Grid<1>{{4096}}, 1).large());
}

TEST_CASE("of data that is written and read no more is in memory than was asked for, about") {
  constexpr std::size_t resident = std::size_t(48) << 20;
  const OnDisk disk({.resident = resident});
  constexpr Index rows = 256, points = 1 << 18;  // 1 MB each
  Field<float, 1> field(rows, Grid<1>{{points}}, 1);
  const std::size_t allowed = resident + (std::size_t(128) << 20);  // what is touched in a helper's pause
  std::size_t most = 0;
  for (Index r = 0; r < rows; ++r) {
    for (Index p = 0; p < points; ++p) field.data()[r * points + p] = float(r + p % 7);
    most = std::max(most, file_bytes_in_memory());
    if (r % 16 == 15) std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  bool same = true;
  for (Index r = 0; r < rows; ++r) {
    for (Index p = 0; p < points; ++p) same = same && field.data()[r * points + p] == float(r + p % 7);
    most = std::max(most, file_bytes_in_memory());
    if (r % 16 == 15) std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  MESSAGE("at most ", most >> 20, " MB of ", field.size() * sizeof(float) >> 20, " in memory");
  CHECK(same);
  CHECK(most < allowed);
}

TEST_CASE("fields are made and dropped by several threads, each of which may have the last one") {
  const OnDisk disk;
  const std::size_t before = io::DiskMemory::one().bytes();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) Field<float, 1>(1, Grid<1>{{256}}, 1).data()[0] = 1;
    });
  for (std::thread& one : threads) one.join();
  CHECK(io::DiskMemory::one().bytes() == before);
}

TEST_CASE("conditions that come next are announced, and are what they were") {
  const OnDisk disk;
  auto data = make_ensemble<float, 1>(std::vector<Index>(8, 3), Grid<1>{{512}}, 1, {.members = true});
  std::iota(data.members.span().begin(), data.members.span().end(), 0.0f);
  const std::vector<Index> next{5, 0, 7};
  read_ahead(data, next);
  const auto some = subset(data, next);
  CHECK(some.members.large());
  CHECK(some.members(3, 17, 0) == data.members(0, 17, 0));
  CHECK(some.members(8, 511, 0) == data.members(23, 511, 0));
}

TEST_CASE("a folder that is not there, or has no room, is a sentence") {
  const OnDisk disk;
  const auto make = [](Index rows) { return Field<float, 1>(rows, Grid<1>{{64}}, 1); };
  io::use_disk_memory({.folder = disk.folder / "nowhere", .least = 1});
  CHECK_THROWS_WITH_AS(make(1), doctest::Contains("cannot hold data"), io::CannotWrite);
  io::use_disk_memory({.folder = disk.folder.path(), .least = 1});
  CHECK_THROWS_WITH_AS(make(Index(1) << 40), doctest::Contains("has no room for"), io::CannotWrite);
  CHECK(io::DiskMemory::one().bytes() == 0);
}

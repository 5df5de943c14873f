#include "mno/io/zip/npz.hpp"

#include <doctest/doctest.h>

#include "io/samples.hpp"
#include "io/scratch.hpp"

using namespace mno::io;

namespace {
/// Little-endian bytes in place of others.
template <class T> void poke(Bytes& file, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) file[at + i] = std::byte((value >> (8 * i)) & 0xff);
}
std::size_t position(const Bytes& file, std::string_view signature) {
  const std::size_t at = characters(file).find(signature);
  REQUIRE(at != std::string_view::npos);
  return at;
}
Array read(const Bytes& file, const std::string& name) {
  return NpzReader(std::make_shared<Memory>(file)).read(name);
}
Bytes archive(Compression compression, const Array& array) {
  const Scratch scratch;
  NpzWriter writer(scratch / "a.npz", compression);
  writer.write("a", array);
  writer.commit();
  return read_file(scratch / "a.npz");
}
Array counting(mno::Index rows, mno::Index columns) {
  Array array(Type::f32, {rows, columns});
  for (std::size_t i = 0; i < array.size(); ++i) array.values<float>()[i] = float(i);
  return array;
}
constexpr std::string_view directory_entry = "PK\1\2", directory_end = "PK\5\6";
}  // namespace

TEST_CASE("arrays of every type and shape come back, stored and deflated") {
  const Scratch scratch;
  for (Compression compression : {Compression::none, Compression::deflate}) {
    NpzWriter writer(scratch / "all.npz", compression);
    for (const Sample& sample : samples()) writer.write(sample.name, sample.array);
    writer.commit();
    const NpzReader reader(scratch / "all.npz");
    CHECK(reader.names().size() == samples().size());
    for (const Sample& sample : samples())
      CHECK_MESSAGE(reader.read(sample.name) == sample.array, sample.name);
    CHECK(reader.contains("f32_2_3"));
    CHECK_FALSE(reader.contains("f32_2_4"));
    CHECK(says(refusal([&] { reader.read("nothing"); }), "expected an array 'nothing', found 'f32, f32_0"));
  }
}

TEST_CASE("an archive without members is one") {
  const Scratch scratch;
  NpzWriter(scratch / "none.npz").commit();
  CHECK(NpzReader(scratch / "none.npz").names().empty());
}

TEST_CASE("arrays are written in pieces and read by rows") {
  const Scratch scratch;
  const Array whole = counting(1000, 100);
  for (Compression compression : {Compression::none, Compression::deflate}) {
    NpzWriter writer(scratch / "rows.npz", compression);
    writer.begin("members", whole.layout());
    for (std::size_t row = 0; row < 1000; ++row) writer.append(whole.values<float>().subspan(row * 100, 100));
    writer.end();
    writer.write("after", counting(2, 2));
    writer.commit();

    const auto rows = NpzReader(scratch / "rows.npz").open("members");  // outlives the archive
    CHECK(rows->layout() == whole.layout());
    for (mno::Index first : {0, 1, 500, 997, 3, 0}) {  // forwards, and back again
      const Array some = rows->read_rows(first, 3);
      CHECK(std::ranges::equal(some.bytes(), whole.bytes().subspan(std::size_t(first) * 400, 1200)));
    }
    CHECK(rows->read() == whole);
    CHECK(NpzReader(scratch / "rows.npz").read("after") == counting(2, 2));
  }
}

TEST_CASE("the same arrays give the same file") {
  CHECK(archive(Compression::deflate, counting(5, 5)) == archive(Compression::deflate, counting(5, 5)));
}

TEST_CASE("a writer refuses what would make a wrong file") {
  const Scratch scratch;
  NpzWriter writer(scratch / "a.npz");
  writer.begin("a", {Type::f32, {2}});
  const std::vector<float> one{1}, three{1, 2, 3};
  const std::vector<double> wide{1};
  CHECK_THROWS_AS(writer.append(std::span<const double>(wide)), mno::Error);
  CHECK_THROWS_AS(writer.append(std::span<const float>(three)), mno::Error);
  writer.append(std::span<const float>(one));
  CHECK(says(refusal([&] { writer.end(); }), "expected all bytes of f32 (2,), got 4 missing"));
  CHECK_THROWS_AS(writer.begin("b", {Type::f32, {2}}), mno::Error);
  CHECK_THROWS_AS(writer.commit(), mno::Error);
  writer.append(std::span<const float>(one));
  writer.end();
  CHECK(says(refusal([&] { writer.write("a", counting(1, 1)); }), "expected a name that is not taken"));
  writer.commit();
  CHECK(NpzReader(scratch / "a.npz").read("a").size() == 2);
}

TEST_CASE("a byte that changed is seen by the checksum, whole or by rows") {
  for (Compression compression : {Compression::none, Compression::deflate}) {
    Bytes file = archive(compression, counting(4, 100));
    poke(file, position(file, directory_entry) + 16, std::uint32_t(12345));
    CHECK(says(refusal([&] { read(file, "a"); }), "found a checksum that does not match"));
    const auto rows = NpzReader(std::make_shared<Memory>(file)).open("a");
    for (mno::Index i = 0; i < 3; ++i) CHECK(refusal([&] { rows->read_rows(i, 1); }).empty());
    CHECK(says(refusal([&] { rows->read_rows(3, 1); }), "found a checksum that does not match"));
    const Zip zip(std::make_shared<Memory>(file));
    CHECK(
        says(refusal([&] { zip.open(zip.members()[0])->verify(); }), "found a checksum that does not match"));
  }
  const Bytes good = archive(Compression::deflate, counting(400, 100));
  const Zip zip(std::make_shared<Memory>(good));
  CHECK(refusal([&] { zip.open(zip.members()[0])->verify(); }).empty());
}

TEST_CASE("what a directory claims is compared with the file") {
  const Bytes stored = archive(Compression::none, counting(4, 4)),
              deflated = archive(Compression::deflate, counting(4, 4));
  const std::size_t entry = position(stored, directory_entry), end = position(stored, directory_end);
  const auto refused = [](Bytes file, std::size_t at, auto value) {
    poke(file, at, value);
    return refusal([&] { read(file, "a"); });
  };
  CHECK(says(refused(stored, entry + 20, std::uint32_t(1'000'000)),
             "that claims 192 bytes in 1000000 stored ones"));
  CHECK(says(refused(deflated, position(deflated, directory_entry) + 24, std::uint32_t(4'000'000'000u)),
             "claims 4000000000 bytes in"));
  CHECK(says(refused(stored, entry + 42, std::uint32_t(5000)), "but what follows starts at"));
  CHECK(says(refused(stored, entry + 8, std::uint16_t(1)), "encrypted"));
  CHECK(says(refused(stored, entry + 10, std::uint16_t(12)),
             "by method 12; accepted are 0 (stored) and 8 (deflate)"));
  CHECK(says(refused(stored, entry + 28, std::uint16_t(60000)), "leaves its directory"));
  CHECK(
      says(refused(stored, end + 16, std::uint32_t(0xFFFFFFF0u)), "found a directory that claims 1 members"));
  CHECK(says(refused(stored, end + 4, std::uint16_t(1)), "several parts"));
  CHECK(says(refused(stored, 0, std::uint32_t(0)), "found no local header"));
  CHECK(says(refused(stored, 30, std::uint8_t('x')), "differs from the directory"));
  Bytes many = stored;
  poke(many, end + 8, std::uint16_t(0xFFFE));
  poke(many, end + 10, std::uint16_t(0xFFFE));
  CHECK(says(refusal([&] { read(many, "a"); }), "found a directory that claims 65534 members"));
  CHECK(says(refusal([] { read(bytes("not a zip file at all, though long enough"), "a"); }),
             "expected a zip archive"));
}

TEST_CASE("members that share bytes or names are refused") {
  const Scratch scratch;
  NpzWriter writer(scratch / "two.npz");
  writer.write("a", counting(2, 2));
  writer.write("b", counting(2, 2));
  writer.commit();
  const Bytes two = read_file(scratch / "two.npz");
  const std::size_t first = position(two, directory_entry);
  const std::size_t second =
      first + 1 + position(Bytes(two.begin() + std::ptrdiff_t(first) + 1, two.end()), directory_entry);
  Bytes shared = two;
  poke(shared, second + 42, std::uint32_t(0));
  CHECK(says(refusal([&] { read(shared, "a"); }), "but what follows starts at 0"));
  Bytes twice = two;
  poke(twice, second + 46, std::uint8_t('a'));
  CHECK(says(refusal([&] { read(twice, "a"); }), "found member 'a.npy' twice"));
}

TEST_CASE("a member beyond 4 GiB is written and read in pieces" *
          doctest::skip()) {  // 20 s: run with --no-skip
  const Scratch scratch;
  const mno::Index rows = 1040, columns = mno::Index{1} << 22;  // 4.06 GiB of u8
  {
    NpzWriter writer(scratch / "big.npz", Compression::deflate);
    writer.begin("big", {Type::u8, {rows, columns}});
    std::vector<std::uint8_t> row(std::size_t(columns), 0);
    for (mno::Index i = 0; i < rows; ++i) {
      row[0] = std::uint8_t(i % 251);
      writer.append(std::span<const std::uint8_t>(row));
    }
    writer.end();
    writer.commit();
  }
  const auto big = NpzReader(scratch / "big.npz").open("big");
  CHECK(big->layout() == Layout{Type::u8, {rows, columns}});
  CHECK(numbers_of(big->read_rows(rows - 1, 1))[0] == (rows - 1) % 251);  // to the end: checksum too
}

TEST_CASE("offsets and sizes beyond 4 GiB are understood") {
  // A file with a hole: 5 GiB of zeros that take no room on the disk.
  const Scratch scratch;
  const auto path = scratch / "wide.npz";
  const Layout layout{Type::f64, {mno::Index{5} << 20, 128}};
  const Bytes header = npy_header(layout), small = npy_header({Type::u8, {0}});
  const auto crc = std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(small.data()), small.size()));
  const std::uint64_t size = header.size() + layout.bytes();
  const ZipEntry wide{"wide.npy", false, 0, size, size, 0};
  Bytes start = zip_local_header(wide);
  const ZipEntry after{"after.npy", false, crc, small.size(), small.size(), start.size() + size};
  start.insert(start.end(), header.begin(), header.end());
  spoil(path, start);
  std::filesystem::resize_file(path, after.offset);
  Bytes rest = zip_local_header(after);
  rest.insert(rest.end(), small.begin(), small.end());
  const std::uint64_t directory = after.offset + rest.size();
  for (const ZipEntry& entry : {wide, after}) {
    const Bytes record = zip_directory_entry(entry);
    rest.insert(rest.end(), record.begin(), record.end());
  }
  const Bytes end = zip_directory_end(2, directory, after.offset + rest.size() - directory);
  rest.insert(rest.end(), end.begin(), end.end());
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(rest.data()), std::streamsize(rest.size()));

  const NpzReader reader(path);
  CHECK(reader.names() == std::vector<std::string>{"wide", "after"});
  CHECK(reader.read("after").layout() == Layout{Type::u8, {0}});
  const auto rows = reader.open("wide");
  CHECK(rows->layout() == layout);
  CHECK(numbers_of(rows->read_rows(layout.shape[0] - 1, 1))[127] == 0);
}

// test program: capped (allocation_cap.hpp replaces operator new)
// Files that are not what they say, of every format: they load or are refused, quickly and with little
// memory.
#include "damage.hpp"

#include <chrono>

#include "allocation_cap.hpp"
#include "mno/io/safetensors/writer.hpp"
#include "mno/io/zip/npz.hpp"
#include "scratch.hpp"

using namespace mno::io;

namespace {
Array small_array(Type type) {
  Array array(type, {3, 2});
  for (std::size_t i = 0; i < array.bytes().size(); ++i) array.bytes()[i] = std::byte(i % 2);
  return array;
}
Bytes npy_file() {
  const Array array = small_array(Type::f32);
  Bytes file = npy_header(array.layout());
  file.insert(file.end(), array.bytes().begin(), array.bytes().end());
  return file;
}
Bytes npz_file(Compression compression) {
  const Scratch scratch;
  NpzWriter writer(scratch / "a.npz", compression);
  writer.write("a", small_array(Type::f64));
  writer.write("b", small_array(Type::boolean));
  writer.commit();
  return read_file(scratch / "a.npz");
}
void load_npz(const Bytes& file) {
  const NpzReader reader(std::make_shared<Memory>(file));
  for (const auto& name : reader.names()) reader.read(name);
}
Bytes safetensors_file() {
  const Scratch scratch;
  const Array a = small_array(Type::i64), b = small_array(Type::boolean);
  write_safetensors(scratch / "a", {NamedArray("a", a), NamedArray("b", b)}, {{"step", "1"}});
  return read_file(scratch / "a");
}
void load_safetensors(const Bytes& file) {
  const SafetensorsReader reader(std::make_shared<Memory>(file));
  for (const auto& name : reader.names()) reader.read(name);
}
}  // namespace

TEST_CASE("damaged .npy files load or are refused") {
  allocation::largest = 0;
  const Damage seen =
      damage(npy_file(), [](const Bytes& file) { NpyReader(std::make_shared<Memory>(file)).read(); });
  CHECK(seen.refused > 1000);
  CHECK(allocation::largest < allocation::cap);
}

TEST_CASE("damaged .npz files load or are refused") {
  for (Compression compression : {Compression::none, Compression::deflate}) {
    allocation::largest = 0;
    const Damage seen = damage(npz_file(compression), load_npz);
    CHECK(seen.refused > 5000);
    CHECK(allocation::largest < allocation::cap);
  }
}

TEST_CASE("damaged elements of an .npz never load as if they were right") {
  const Bytes good = npz_file(Compression::none);
  const Array whole = NpzReader(std::make_shared<Memory>(good)).read("a");
  const std::size_t data = characters(good).find(characters(whole.bytes()));
  REQUIRE(data != std::string_view::npos);
  for (std::size_t i = 0; i < whole.bytes().size(); ++i) {
    Bytes file = good;
    file[data + i] ^= std::byte{1};
    CHECK_THROWS_AS(load_npz(file), mno::Error);
  }
}

TEST_CASE("damaged safetensors load or are refused") {
  allocation::largest = 0;
  const Damage seen = damage(safetensors_file(), load_safetensors);
  CHECK(seen.refused > 5000);
  CHECK(allocation::largest < allocation::cap);
}

TEST_CASE("an array that memory does not hold is refused with a sentence") {
  const Layout large{Type::u8, {mno::Index(allocation::cap) + 1}};
  CHECK(says(refusal([&] { Array array(large); }), "no memory for 67108865 bytes of u8 (67108865,)"));
}

TEST_CASE("a file of a kilobyte that claims 10^9 samples is refused within milliseconds") {
  const Scratch scratch;
  const Layout huge{Type::f32, {1'000'000'000, 64}};
  Bytes npy = npy_header(huge);
  npy.resize(1024);
  spoil(scratch / "huge.npy", npy);

  const ZipEntry entry{"a.npy", true, 0, npy.size(), npy_header(huge).size() + huge.bytes(), 0};
  Bytes npz = zip_local_header(entry);
  npz.insert(npz.end(), npy.begin(), npy.end());
  const std::size_t directory = npz.size();
  const Bytes record = zip_directory_entry(entry);
  npz.insert(npz.end(), record.begin(), record.end());
  const Bytes end = zip_directory_end(1, directory, record.size());
  npz.insert(npz.end(), end.begin(), end.end());
  spoil(scratch / "huge.npz", npz);

  std::string header = R"({"a":{"dtype":"F32","shape":[1000000000,64],"data_offsets":[0,256000000000]}})";
  Bytes safetensors;
  append(safetensors, std::uint64_t(header.size()));
  append(safetensors, header);
  safetensors.resize(1024);
  spoil(scratch / "huge.safetensors", safetensors);

  allocation::largest = 0;
  const auto start = std::chrono::steady_clock::now();
  CHECK(says(refusal([&] { NpyReader reader(scratch / "huge.npy"); }), "expected 256000000000 bytes"));
  CHECK(says(refusal([&] { NpzReader reader(scratch / "huge.npz"); }),
             "claims 256000000128 bytes in 1024 deflated ones"));
  CHECK(says(refusal([&] { SafetensorsReader reader(scratch / "huge.safetensors"); }),
             "expected 256000000000 bytes of data"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
  CHECK(allocation::largest < (1u << 20));
}

#include "mno/io/hdf5/reader.hpp"

#include <doctest/doctest.h>

#include <random>
#include <tuple>

#include "io/samples.hpp"
#include "io/scratch.hpp"
#include "io/size_limit.hpp"
#include "mno/io/hdf5/writer.hpp"

using namespace mno::io;

namespace {
/// A file made with the C library itself: what our writer would not write.
class Raw {
 public:
  explicit Raw(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        list_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {}
  hid_t file() const { return file_.get(); }
  hid_t list() const { return list_.get(); }
  void dataset(const char* name, hid_t type, const std::vector<hsize_t>& shape, bool write = true) const {
    const Hdf5Handle space(H5Screate_simple(int(shape.size()), shape.data(), nullptr), H5Sclose);
    const Hdf5Handle set(H5Dcreate2(file(), name, type, space.get(), H5P_DEFAULT, list(), H5P_DEFAULT),
                         H5Dclose);
    REQUIRE(bool(set));
    const std::vector<std::byte> zeros(4096);
    if (write) REQUIRE(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()) >= 0);
  }

 private:
  Hdf5Handle file_, list_;
};
std::string refused(const std::filesystem::path& path, const std::string& name) {
  return refusal([&] { Hdf5Reader(path).read(name); });
}
}  // namespace

TEST_CASE("datasets of every type and shape come back, plain and deflated") {
  const Scratch scratch;
  for (bool deflate : {false, true}) {
    Hdf5Writer writer(scratch / "all.h5");
    for (const Sample& sample : samples()) writer.write("group/" + sample.name, sample.array, deflate);
    writer.commit();
    const Hdf5Reader reader(scratch / "all.h5");
    CHECK(reader.names().size() == samples().size());
    CHECK(reader.names()[0].starts_with("group/"));
    for (const Sample& sample : samples()) {
      CHECK(reader.open("group/" + sample.name)->layout() == sample.array.layout());
      CHECK_MESSAGE(reader.read("/group/" + sample.name) == sample.array, sample.name);
    }
  }
  CHECK(files_in(scratch.path()) == std::vector<std::string>{"all.h5", "all.h5.previous"});
}

TEST_CASE("datasets are written by rows and read by blocks") {
  const Scratch scratch;
  for (bool deflate : {false, true}) {
    Hdf5Writer writer(scratch / "a.h5");
    writer.create("a", {Type::i32, {10, 4}}, deflate);
    for (std::int32_t row = 0; row < 10; ++row)
      writer.write_rows(
          "a", row,
          Array::of<std::int32_t>({1, 4}, std::vector<std::int32_t>{row, row + 10, row + 20, row + 30}));
    CHECK_THROWS_AS(writer.write_rows("a", 10, Array(Type::i32, {1, 4})), mno::Error);
    CHECK_THROWS_AS(writer.write_rows("a", 0, Array(Type::i32, {1, 5})), mno::Error);
    CHECK_THROWS_AS(writer.write_rows("a", 0, Array(Type::i64, {1, 4})), mno::Error);
    CHECK_THROWS_AS(writer.write_rows("b", 0, Array(Type::i32, {1, 4})), mno::Error);
    CHECK_THROWS_AS(writer.create("a", {Type::i32, {1}}), mno::Error);
    writer.commit();
    const auto set = Hdf5Reader(scratch / "a.h5").open("a");  // outlives the reader
    CHECK(set->read({3, 1}, {2, 2}) ==
          Array::of<std::int32_t>({2, 2}, std::vector<std::int32_t>{13, 23, 14, 24}));
    CHECK(set->read_rows(9, 1) == Array::of<std::int32_t>({1, 4}, std::vector<std::int32_t>{9, 19, 29, 39}));
    CHECK(set->read_rows(10, 0).size() == 0);
    CHECK(says(refusal([&] {
                 set->read({9, 0}, {2, 4});
               }),
               "expected a block within (10, 4), got (2, 4) from (9, 0)"));
    CHECK_THROWS_AS(set->read({0}, {1}), mno::Error);
    CHECK_THROWS_AS(set->read({-1, 0}, {1, 1}), mno::Error);
  }
}

TEST_CASE("a writer that is given up leaves the old file") {
  const Scratch scratch;
  {
    Hdf5Writer writer(scratch / "a.h5");
    writer.write("a", Array(Type::f32, {2}));
    writer.commit();
  }
  const Bytes before = read_file(scratch / "a.h5");
  { Hdf5Writer(scratch / "a.h5").write("b", Array(Type::f32, {3})); }
  CHECK(read_file(scratch / "a.h5") == before);
  CHECK(files_in(scratch.path()) == std::vector<std::string>{"a.h5"});
}

TEST_CASE("a disk that is full is an error, the old file stays, and the library lives on") {
  const Scratch scratch;
  spoil(scratch / "a.h5", bytes("as it was"));
  for (const rlim_t room : {1000u, 10'000u, 100'000u})
    for (bool deflate : {false, true}) {
      const std::string told = refusal([&] {
        const SizeLimit full(room);
        Hdf5Writer writer(scratch / "a.h5");
        Array noise(Type::f64, {100, 500});
        std::mt19937_64 random(1);
        for (double& value : noise.values<double>()) value = double(random());
        writer.write("a", noise, deflate);
        writer.write("b", Array(Type::f32, {3}));
        writer.commit();
      });
      CHECK(told == "mno: file '" + (scratch / "a.h5").string() +
                        "': cannot be written: File too large; the file itself is unchanged.");
      CHECK(files_in(scratch.path()) == std::vector<std::string>{"a.h5"});
    }
  CHECK(read_file(scratch / "a.h5") == bytes("as it was"));
  Hdf5Writer writer(scratch / "b.h5");
  writer.write("b", Array(Type::f32, {3}));
  writer.commit();
  CHECK(Hdf5Reader(scratch / "b.h5").read("b").size() == 3);
}

TEST_CASE("what is not there or not HDF5 is refused with a sentence") {
  const Scratch scratch;
  spoil(scratch / "text.h5", bytes("this is not HDF5"));
  CHECK(says(refused(scratch / "text.h5", "a"), "text.h5': cannot be opened as HDF5"));
  CHECK(says(refused(scratch / "absent.h5", "a"), "No such file or directory"));
  CHECK_THROWS_AS(Hdf5Reader(std::span<const std::byte>()), mno::Error);
  { Raw(scratch / "a.h5").dataset("a", H5T_IEEE_F32LE, {2}); }
  CHECK(refused(scratch / "a.h5", "a").empty());
  for (const char* name : {"b", "", ".", "/", "a/b", "b/a"})
    CHECK_MESSAGE(says(refused(scratch / "a.h5", name), std::string("a.h5', dataset '") + name + "'"), name);
}

TEST_CASE("numbers of other widths and byte orders are read as the smallest type of ours that holds them") {
  const Scratch scratch;
  const std::vector<std::tuple<const char*, hid_t, Type>> types{
      {"big", H5T_IEEE_F64BE, Type::f64},      {"short", H5T_STD_I16LE, Type::i32},
      {"big_short", H5T_STD_I16BE, Type::i32}, {"byte", H5T_STD_I8LE, Type::i32},
      {"u16", H5T_STD_U16LE, Type::i32},       {"u32", H5T_STD_U32BE, Type::i64},
      {"u64", H5T_STD_U64LE, Type::f64}};
  {
    const Raw raw(scratch / "a.h5");
    const hsize_t size[] = {2};
    for (const auto& [name, type, as] : types) {
      const Hdf5Handle space(H5Screate_simple(1, size, nullptr), H5Sclose);
      const Hdf5Handle set(
          H5Dcreate2(raw.file(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
      const double values[] = {3, 100};
      REQUIRE(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    raw.dataset("text", H5T_C_S1, {2});
  }
  const Hdf5Reader reader(scratch / "a.h5");
  for (const auto& [name, type, as] : types) {
    const Array array = reader.read(name);
    CHECK(array.type() == as);
    CHECK(numbers_of(array) == std::vector<double>{3, 100});
  }
  CHECK(says(refused(scratch / "a.h5", "text"), "neither numbers of at most 64 bits nor bools"));
}

TEST_CASE("groups and attributes are read, and groups that contain each other are listed once") {
  const Scratch scratch;
  const Hdf5Lock quiet;
  {
    const Raw raw(scratch / "a.h5");
    const Hdf5Handle group(H5Gcreate2(raw.file(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    raw.dataset("g/a", H5T_IEEE_F32LE, {2});
    REQUIRE(H5Lcreate_hard(raw.file(), "/g", group.get(), "again", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    const Hdf5Handle one(H5Screate(H5S_SCALAR), H5Sclose), type(hdf5_type(Type::boolean));
    const Hdf5Handle attribute(
        H5Acreate2(group.get(), "sample_varying", type.get(), one.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const signed char yes = 1;
    REQUIRE(H5Awrite(attribute.get(), type.get(), &yes) >= 0);
  }
  const Hdf5Reader reader(scratch / "a.h5");
  CHECK(reader.names() == std::vector<std::string>{"g/a"});
  CHECK(reader.describe("g").numbers("sample_varying") == std::vector<double>{1});
  CHECK(reader.describe("").attributes.empty());
  CHECK(says(refusal([&] { reader.describe("h"); }), "object 'h'"));
}

TEST_CASE("claims without bytes are refused: contiguous, chunked, and chunks themselves") {
  const Scratch scratch;
  { Raw(scratch / "contiguous.h5").dataset("a", H5T_IEEE_F32LE, {1'000'000'000, 64}, false); }
  CHECK(says(refused(scratch / "contiguous.h5", "a"),
             "claims 256000000000 bytes for f32 (1000000000, 64), found 0 stored"));
  {
    const Raw raw(scratch / "chunked.h5");
    const hsize_t chunk[] = {1000, 64};
    H5Pset_chunk(raw.list(), 2, chunk);
    H5Pset_deflate(raw.list(), 6);
    raw.dataset("a", H5T_IEEE_F32LE, {1'000'000'000, 64}, false);
  }
  CHECK(says(refused(scratch / "chunked.h5", "a"), "found 0 stored"));
  {
    const Raw raw(scratch / "chunk.h5");
    const hsize_t chunk[] = {500'000'000};
    H5Pset_chunk(raw.list(), 1, chunk);
    const hsize_t size[] = {1}, most[] = {H5S_UNLIMITED};
    const Hdf5Handle space(H5Screate_simple(1, size, most), H5Sclose);
    const Hdf5Handle set(
        H5Dcreate2(raw.file(), "a", H5T_STD_U8LE, space.get(), H5P_DEFAULT, raw.list(), H5P_DEFAULT),
        H5Dclose);
    REQUIRE(bool(set));
  }
  CHECK(says(refused(scratch / "chunk.h5", "a"), "found 0 stored"));
}

TEST_CASE("links and storage that reach into other files are refused") {
  const Scratch scratch;
  const Hdf5Lock quiet;
  { Raw(scratch / "other.h5").dataset("a", H5T_IEEE_F32LE, {2}); }
  spoil(scratch / "raw", bytes("12345678"));
  {
    const Raw raw(scratch / "a.h5");
    raw.dataset("real", H5T_IEEE_F32LE, {2});
    H5Lcreate_soft("/real", raw.file(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external((scratch / "other.h5").c_str(), "/a", raw.file(), "external", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Lcreate_external((scratch / "other.h5").c_str(), "/", raw.file(), "elsewhere", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Pset_external(raw.list(), (scratch / "raw").c_str(), 0, 8);
    raw.dataset("outside", H5T_IEEE_F32LE, {2}, false);
  }
  CHECK(refused(scratch / "a.h5", "real").empty());
  for (const char* name : {"soft", "external", "elsewhere/a"})
    CHECK(says(refused(scratch / "a.h5", name), "found a soft or external link"));
  CHECK(says(refused(scratch / "a.h5", "outside"), "found its data in other files"));
  {
    const Raw raw(scratch / "virtual.h5");
    const hsize_t size[] = {2};
    const Hdf5Handle space(H5Screate_simple(1, size, nullptr), H5Sclose);
    H5Pset_virtual(raw.list(), space.get(), (scratch / "other.h5").c_str(), "/a", space.get());
    raw.dataset("a", H5T_IEEE_F32LE, {2}, false);
  }
  CHECK(says(refused(scratch / "virtual.h5", "a"), "found virtual storage"));
}

TEST_CASE("filters that are not accepted are refused by number") {
  const Scratch scratch;
  {
    const Raw raw(scratch / "a.h5");
    const hsize_t chunk[] = {2};
    H5Pset_chunk(raw.list(), 1, chunk);
    H5Pset_nbit(raw.list());
    raw.dataset("a", H5T_IEEE_F32LE, {2});
  }
  CHECK(says(refused(scratch / "a.h5", "a"),
             "found filter 5; accepted are deflate, shuffle, fletcher32 and LZF"));
}

TEST_CASE("the caller's own error report stays as it was") {
  const Scratch scratch;
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  { Hdf5Writer(scratch / "a.h5").commit(); }
  CHECK_THROWS_AS(Hdf5Reader(bytes("no")), mno::Error);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  CHECK(bool(before != nullptr));
  CHECK(bool(before == after));
}

TEST_CASE("damaged files load or are refused, whatever happens to the library") {
  const Scratch scratch;
  {
    Hdf5Writer writer(scratch / "a.h5");
    writer.write("a", Array(Type::f64, {8, 4}), true);
    writer.write("b", Array(Type::boolean, {3}));
    writer.commit();
  }
  const Bytes good = read_file(scratch / "a.h5");
  int loaded = 0, refused = 0;
  const auto attempt = [&](const Bytes& file) {
    try {
      const Hdf5Reader reader(file, std::chrono::seconds(5));
      for (const auto& name : reader.names()) reader.read(name);
      ++loaded;
    } catch (const mno::Error&) {
      ++refused;
    }
  };
  attempt(good);
  CHECK(loaded == 1);
  for (std::size_t n = 0; n < good.size(); n += 1 + good.size() / 200)
    attempt(Bytes(good.begin(), good.begin() + std::ptrdiff_t(n)));
  CHECK(loaded == 1);
  std::mt19937 random(5);
  for (int trial = 0; trial < 600; ++trial) {
    Bytes file = good;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
      file[random() % file.size()] = std::byte(random() & 0xff);
    attempt(file);
  }
  CHECK(refused > 200);
}

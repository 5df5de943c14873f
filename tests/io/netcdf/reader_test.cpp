#include "mno/io/netcdf/reader.hpp"

#include <doctest/doctest.h>

#include <random>

#include "io/scratch.hpp"

using namespace mno::io;

namespace {
/// A file made with the C library itself.
class Raw {
 public:
  Raw(const std::filesystem::path& path, int mode) {
    REQUIRE(nc_create(path.c_str(), mode | NC_CLOBBER, &file_) == NC_NOERR);
  }
  ~Raw() { nc_close(file_); }
  int file() const { return file_; }
  int variable(const char* name, nc_type type, const std::vector<std::pair<const char*, std::size_t>>& axes) {
    std::vector<int> dimensions;
    for (const auto& [axis, length] : axes) {
      int dimension = -1;
      if (nc_inq_dimid(file_, axis, &dimension) != NC_NOERR)
        REQUIRE(nc_def_dim(file_, axis, length, &dimension) == NC_NOERR);
      dimensions.push_back(dimension);
    }
    int variable = -1;
    REQUIRE(nc_def_var(file_, name, type, int(dimensions.size()), dimensions.data(), &variable) == NC_NOERR);
    return variable;
  }
  void data(int variable, const std::vector<double>& values) {
    nc_enddef(file_);
    REQUIRE(nc_put_var_double(file_, variable, values.data()) == NC_NOERR);
    nc_redef(file_);
  }

 private:
  int file_ = -1;
};
void write_example(const std::filesystem::path& path, int mode) {
  Raw raw(path, mode);
  const int u = raw.variable("u", NC_FLOAT, {{"time", NC_UNLIMITED}, {"x", 3}});
  const double scale = 0.5;
  const short fill = -99;
  REQUIRE(nc_put_att_text(raw.file(), u, "units", 3, "m/s") == NC_NOERR);
  const int packed = raw.variable("packed", NC_SHORT, {{"x", 3}});
  REQUIRE(nc_put_att_double(raw.file(), packed, "scale_factor", NC_DOUBLE, 1, &scale) == NC_NOERR);
  REQUIRE(nc_put_att_short(raw.file(), packed, "_FillValue", NC_SHORT, 1, &fill) == NC_NOERR);
  raw.variable("text", NC_CHAR, {{"x", 3}});
  raw.variable("never", NC_FLOAT, {{"x", 3}});
  REQUIRE(nc_put_att_text(raw.file(), NC_GLOBAL, "title", 7, "example") == NC_NOERR);
  nc_enddef(raw.file());
  const std::size_t start[] = {0, 0}, count[] = {2, 3};
  const float rows[] = {1, 2, 3, 4, 5, 6};
  REQUIRE(nc_put_vara_float(raw.file(), u, start, count, rows) == NC_NOERR);
  const short shorts[] = {2, -99, 7};
  REQUIRE(nc_put_var_short(raw.file(), packed, shorts) == NC_NOERR);
}
constexpr int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4};
}  // namespace

TEST_CASE("variables, axes and attributes come back from every format") {
  const Scratch scratch;
  for (const int mode : formats) {
    CAPTURE(mode);
    write_example(scratch / "a.nc", mode);
    const NetcdfReader reader(scratch / "a.nc");
    CHECK(reader.names() == std::vector<std::string>{"u", "packed", "text", "never"});
    CHECK(reader.read("u") == Array::of({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}));
    CHECK(reader.open("u")->read({1, 1}, {1, 2}) == Array::of({1, 2}, std::vector<float>{5, 6}));
    CHECK(reader.open("u")->read_rows(0, 1).shape() == Extents{1, 3});
    CHECK(reader.read("packed") == Array::of({3}, std::vector<std::int32_t>{2, -99, 7}));
    CHECK(reader.describe("u").axes == std::vector<std::string>{"time", "x"});
    CHECK(reader.describe("u").text("units") == "m/s");
    CHECK(reader.describe("packed").numbers("scale_factor") == std::vector<double>{0.5});
    CHECK(reader.describe("packed").numbers("_FillValue") == std::vector<double>{-99});
    CHECK(reader.describe("never").numbers("_FillValue") == std::vector<double>{double(NC_FILL_FLOAT)});
    CHECK(reader.describe("").text("title") == "example");
    CHECK(
        says(refusal([&] { reader.open("text"); }), "variable 'text': found elements that are not numbers"));
    CHECK(says(refusal([&] { reader.open("v"); }), "variable 'v': is not in the file"));
  }
}

TEST_CASE("every kind of number is read as the smallest type of ours that holds it") {
  const Scratch scratch;
  const std::vector<std::pair<nc_type, Type>> types{
      {NC_BYTE, Type::i32},  {NC_UBYTE, Type::u8},  {NC_SHORT, Type::i32}, {NC_USHORT, Type::i32},
      {NC_INT, Type::i32},   {NC_UINT, Type::i64},  {NC_INT64, Type::i64}, {NC_UINT64, Type::f64},
      {NC_FLOAT, Type::f32}, {NC_DOUBLE, Type::f64}};
  {
    Raw raw(scratch / "a.nc", NC_NETCDF4);
    for (const auto& [type, as] : types)
      raw.data(raw.variable(("v" + std::to_string(type)).c_str(), type, {{"x", 2}}), {3, 100});
  }
  const NetcdfReader reader(scratch / "a.nc");
  for (const auto& [type, as] : types) {
    const Array array = reader.read("v" + std::to_string(type));
    CHECK(array.type() == as);
    CHECK(numbers_of(array) == std::vector<double>{3, 100});
  }
}

TEST_CASE("variables in groups have the group's name before theirs") {
  const Scratch scratch;
  {
    Raw raw(scratch / "a.nc", NC_NETCDF4);
    raw.variable("here", NC_INT, {{"x", 2}});
    int group = -1, x = -1, variable = -1;
    REQUIRE(nc_def_grp(raw.file(), "inner", &group) == NC_NOERR);
    REQUIRE(nc_inq_dimid(raw.file(), "x", &x) == NC_NOERR);
    REQUIRE(nc_def_var(group, "there", NC_INT, 1, &x, &variable) == NC_NOERR);
    raw.data(0, {1, 2});
    const int values[] = {3, 4};
    REQUIRE(nc_put_var_int(group, variable, values) == NC_NOERR);
  }
  const NetcdfReader reader(scratch / "a.nc");
  CHECK(reader.names() == std::vector<std::string>{"here", "inner/there"});
  CHECK(numbers_of(reader.read("inner/there")) == std::vector<double>{3, 4});
}

TEST_CASE("what is not there or not NetCDF, and claims without bytes, are refused with a sentence") {
  const Scratch scratch;
  spoil(scratch / "text.nc", bytes("this is not NetCDF"));
  CHECK(says(refusal([&] { NetcdfReader reader(scratch / "text.nc"); }), "cannot be opened as NetCDF"));
  CHECK(says(refusal([&] { NetcdfReader reader(scratch / "absent.nc"); }), "No such file or directory"));
  CHECK(says(refusal([&] { NetcdfReader reader("http://localhost/a.nc"); }), "No such file or directory"));
  {
    Raw raw(scratch / "huge.nc", NC_NETCDF4);
    raw.variable("u", NC_DOUBLE, {{"x", 1'000'000'000}, {"y", 1000}});
  }
  CHECK(says(refusal([&] { NetcdfReader(scratch / "huge.nc").read("u"); }),
             "claims 8000000000000 bytes for f64 (1000000000, 1000), found a file that can hold at most"));
}

TEST_CASE("damaged files load or are refused, whatever happens to the library") {
  const Scratch scratch;
  std::mt19937 random(5);
  for (const int mode : {0, NC_NETCDF4}) {
    write_example(scratch / "good.nc", mode);
    const Bytes good = read_file(scratch / "good.nc");
    int loaded = 0, refused = 0;
    const auto attempt = [&](const Bytes& file) {
      spoil(scratch / "bad.nc", file);
      try {
        const NetcdfReader reader(scratch / "bad.nc", std::chrono::seconds(5));
        for (const auto& name : reader.names())
          if (name != "text") reader.read(name);
        ++loaded;
      } catch (const mno::Error&) {
        ++refused;
      }
    };
    attempt(good);
    CHECK(loaded == 1);
    for (std::size_t n = 0; n < good.size(); n += 1 + good.size() / 40)
      attempt(Bytes(good.begin(), good.begin() + std::ptrdiff_t(n)));
    for (int trial = 0; trial < 100; ++trial) {
      Bytes file = good;
      for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
        file[random() % std::min<std::size_t>(file.size(), 2000)] = std::byte(random() & 0xff);
      attempt(file);
    }
    CHECK(refused > 20);
  }
}

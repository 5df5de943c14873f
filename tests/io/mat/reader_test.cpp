#include "mno/io/mat/reader.hpp"

#include <doctest/doctest.h>

#include <random>

#include "io/scratch.hpp"

using namespace mno::io;

namespace {
/// A file made with the library itself: a (2, 3) is i + 2 j, columns first, as double and as bytes.
void write_example(const std::filesystem::path& path, mat_ft version, matio_compression packed) {
  const std::unique_ptr<mat_t, detail::MatClose> file(Mat_CreateVer(path.c_str(), nullptr, version));
  REQUIRE(file);
  const auto put = [&](const char* name, matio_classes kind, matio_types type, std::vector<std::size_t> shape,
                       void* data) {
    const std::unique_ptr<matvar_t, detail::MatClose> variable(
        Mat_VarCreate(name, kind, type, int(shape.size()), shape.data(), data, 0));
    REQUIRE(variable);
    REQUIRE(Mat_VarWrite(file.get(), variable.get(), packed) == 0);
  };
  double a[] = {0, 1, 2, 3, 4, 5};
  put("a", MAT_C_DOUBLE, MAT_T_DOUBLE, {2, 3}, a);
  std::vector<float> cube(2 * 3 * 4);
  for (std::size_t e = 0; e < cube.size(); ++e) cube[e] = float(e);
  put("cube", MAT_C_SINGLE, MAT_T_SINGLE, {2, 3, 4}, cube.data());
  std::int16_t shorts[] = {-5, 7};
  put("shorts", MAT_C_INT16, MAT_T_INT16, {1, 2}, shorts);
  char text[] = "hello";
  put("text", MAT_C_CHAR, MAT_T_UTF8, {1, 5}, text);
}
}  // namespace

TEST_CASE("matrices come back with MATLAB's axes, from version 5, packed or not, and 7.3") {
  const Scratch scratch;
  for (const auto& [version, packed] :
       {std::pair(MAT_FT_MAT5, MAT_COMPRESSION_NONE), std::pair(MAT_FT_MAT5, MAT_COMPRESSION_ZLIB),
        std::pair(MAT_FT_MAT73, MAT_COMPRESSION_NONE)}) {
    std::filesystem::remove(scratch / "a.mat");
    write_example(scratch / "a.mat", version, packed);
    const MatReader reader(scratch / "a.mat");
    CHECK(reader.names() == std::vector<std::string>{"a", "cube", "shorts", "text"});
    CHECK(reader.read("a") == Array::of({2, 3}, std::vector<double>{0, 2, 4, 1, 3, 5}));
    CHECK(reader.read("shorts") == Array::of({1, 2}, std::vector<std::int32_t>{-5, 7}));
    const auto cube = reader.open("cube");
    CHECK(cube->layout() == Layout{Type::f32, {2, 3, 4}});
    const Array block = cube->read({1, 1, 0}, {1, 2, 3});  // i + 2 j + 6 k
    CHECK(numbers_of(block) == std::vector<double>{3, 9, 15, 5, 11, 17});
    CHECK(numbers_of(cube->read_rows(1, 1))[11] == 1 + 2 * 2 + 6 * 3);
    CHECK(says(refusal([&] { reader.open("text"); }), "expected numbers"));
    CHECK(says(refusal([&] { reader.open("b"); }), "variable 'b': is not in the file"));
    CHECK(reader.describe("a").attributes.empty());
  }
}

TEST_CASE("what is not a MATLAB file is refused with a sentence") {
  const Scratch scratch;
  spoil(scratch / "text.mat",
        bytes("this is not a MATLAB file, and it has more than 128 bytes, so that a header "
              "could stand before what follows it, which is nothing but words"));
  CHECK(!refusal([&] { MatReader reader(scratch / "text.mat"); }).empty());
  CHECK(says(refusal([&] { MatReader reader(scratch / "absent.mat"); }), "No such file or directory"));
}

TEST_CASE("damaged files load or are refused, whatever happens to the library") {
  const Scratch scratch;
  std::mt19937 random(5);
  for (const auto version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    std::filesystem::remove(scratch / "good.mat");
    write_example(scratch / "good.mat", version,
                  version == MAT_FT_MAT5 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE);
    const Bytes good = read_file(scratch / "good.mat");
    int loaded = 0, refused = 0;
    const auto attempt = [&](const Bytes& file) {
      spoil(scratch / "bad.mat", file);
      try {
        const MatReader reader(scratch / "bad.mat", std::chrono::seconds(5));
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
        file[random() % file.size()] = std::byte(random() & 0xff);
      attempt(file);
    }
    CHECK(refused > 10);
  }
}

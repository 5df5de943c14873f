#include "mno/io/npy/file.hpp"

#include <doctest/doctest.h>

#include "io/samples.hpp"
#include "io/scratch.hpp"

using namespace mno::io;

namespace {
Bytes npy(const std::string& dictionary, int version = 1, std::string_view data = "") {
  Bytes out = bytes("\x93NUMPY");
  append(out, std::uint8_t(version));
  append(out, std::uint8_t(0));
  if (version == 1)
    append(out, std::uint16_t(dictionary.size()));
  else
    append(out, std::uint32_t(dictionary.size()));
  append(out, dictionary);
  append(out, data);
  return out;
}
Array read(const Bytes& file) { return NpyReader(std::make_shared<Memory>(file)).read(); }
std::string refused(const std::string& dictionary, std::string_view data = "") {
  return refusal([&] { read(npy(dictionary, 1, data)); });
}
}  // namespace

TEST_CASE("arrays of every type and shape come back, in every version") {
  const Scratch scratch;
  for (const Sample& sample : samples())
    for (int version : {1, 2, 3}) {
      write_npy(scratch / sample.name, sample.array, Keep::nothing, version);
      CHECK_MESSAGE(read_npy(scratch / sample.name) == sample.array, sample.name);
    }
}

TEST_CASE("a header is byte for byte NumPy's") {
  const std::string expected = std::string("\x93NUMPY\1\0v\0", 10) +
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                               std::string(58, ' ') + "\n";
  CHECK(characters(npy_header({Type::f32, {2, 3}})) == expected);
  for (int version : {1, 2, 3})
    for (mno::Index n = 1; n < 1'000'000'000; n *= 10)
      CHECK(npy_header({Type::u8, {n, n}}, version).size() % 64 == 0);
  CHECK_THROWS_AS(npy_header({Type::u8, {1}}, 4), mno::Error);
  CHECK_THROWS_AS(npy_header({Type::u8, {-1}}), mno::Error);
}

TEST_CASE("rows are read without the rest") {
  const Scratch scratch;
  Array array(Type::f64, {100, 3});
  for (std::size_t i = 0; i < 300; ++i) array.values<double>()[i] = double(i);
  write_npy(scratch / "a.npy", array);
  NpyReader reader(scratch / "a.npy");
  CHECK(reader.layout() == Layout{Type::f64, {100, 3}});
  const Array rows = reader.read_rows(41, 2);
  CHECK(rows.shape() == Extents{2, 3});
  CHECK(rows.values<double>()[0] == 123);
  CHECK(numbers_of(reader.read_rows(99, 1)) == std::vector<double>{297, 298, 299});
  CHECK(numbers_of(reader.read({7, 1}, {2, 2})) == std::vector<double>{22, 23, 25, 26});
  CHECK(reader.read_rows(100, 0).size() == 0);
  CHECK(says(refusal([&] { reader.read_rows(99, 2); }),
             "expected a block within (100, 3), got (2, 3) from (99, 0)"));
  CHECK_THROWS_AS(reader.read_rows(-1, 1), mno::Error);
  CHECK_THROWS_AS(reader.read_rows(std::numeric_limits<mno::Index>::max(), 1), mno::Error);
}

TEST_CASE("Fortran order, big-endian numbers and numbers of other widths are read as ours are") {
  const auto numbers = [](const std::string& descr, const std::string& order, const std::string& shape,
                          std::string_view data) {
    const Bytes file =
        npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + "}", 1, data);
    return numbers_of(read(file));
  };
  CHECK(numbers("|u1", "True", "(2, 3)", "ABCDEF") == std::vector<double>{65, 67, 69, 66, 68, 70});
  CHECK(numbers(">i2", "False", "(2,)", std::string_view("\1\2\xff\xff", 4)) == std::vector<double>{258, -1});
  CHECK(numbers("<u2", "False", "(1,)", "\xff\xff") == std::vector<double>{65535});
  CHECK(numbers("<f2", "False", "(4,)", std::string_view("\0\x3c\0\xc0\1\0\0\x7b", 8)) ==
        std::vector<double>{1, -2, std::ldexp(1.0, -24), 57344});
  CHECK(numbers(">f4", "True", "(1, 1)", std::string_view("\x40\x49\x0f\xdb", 4))[0] ==
        doctest::Approx(3.14159265).epsilon(1e-7));
  CHECK(numbers("<u8", "False", "(1,)", std::string_view("\0\0\0\0\0\0\0\x80", 8))[0] == std::ldexp(1.0, 63));

  // Blocks of a large array in Fortran order, against the formula: element (i, j, k) is i + 40 j + 12000 k.
  const mno::Index n = 40, m = 300, l = 50;
  std::string data;
  for (mno::Index e = 0; e < n * m * l; ++e) {
    const auto value = std::int32_t(e);
    data.append(reinterpret_cast<const char*>(&value), 4);
  }
  const Bytes file = npy("{'descr': '<i4', 'fortran_order': True, 'shape': (40, 300, 50)}", 1, data);
  NpyReader reader(std::make_shared<Memory>(file));
  for (const auto& [start, count] : std::vector<std::pair<Extents, Extents>>{{{0, 0, 0}, {40, 300, 50}},
                                                                             {{7, 0, 0}, {2, 300, 50}},
                                                                             {{39, 299, 49}, {1, 1, 1}},
                                                                             {{3, 5, 7}, {4, 6, 8}}}) {
    const Array block = reader.read(start, count);
    REQUIRE(block.shape() == count);
    std::size_t e = 0;
    bool same = true;
    for (mno::Index i = start[0]; i < start[0] + count[0]; ++i)
      for (mno::Index j = start[1]; j < start[1] + count[1]; ++j)
        for (mno::Index k = start[2]; k < start[2] + count[2]; ++k)
          same = same && block.values<std::int32_t>()[e++] == i + n * j + n * m * k;
    CHECK(same);
  }
}

TEST_CASE("keys come in any order, strings with either quote, with or without commas at the end") {
  CHECK(read(npy("{\"shape\": (2,), 'fortran_order':False,'descr':'|u1'}  \n", 1, "ab")).shape() ==
        Extents{2});
  CHECK(read(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2,), }", 3, "ab")).shape() ==
        Extents{1, 2});
  CHECK(read(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 2, "a")).shape().empty());
}

TEST_CASE("what is not accepted is named, and what is accepted too") {
  const auto with_type = [](const std::string& descr) {
    return refused("{'descr': " + descr + ", 'fortran_order': False, 'shape': (0,), }");
  };
  CHECK(with_type("'<f4'").empty());
  for (const char* good : {"'>f8'", "'<f2'", "'>i2'", "'|i1'", "'<u8'", "'|b1'"})
    CHECK(with_type(good).empty());
  for (const char* bad : {"'f8'", "'|f8'", "'=f8'", "'<i1'", "''", "'<'", "'<f16'"})
    CHECK_MESSAGE(says(with_type(bad), "accepted are numbers f2, f4, f8, i1 to i8, u1 to u8 and bools b1"),
                  bad);
  CHECK(says(with_type("'|O'"), "found Python objects '|O'"));
  CHECK(says(with_type("[('x', '<f4')]"), "found a structured type"));
  CHECK(says(with_type("'<c16'"), "found elements of type '<c16'"));
  CHECK(says(with_type("'<f4\\''"), "without escapes"));
  CHECK(says(refusal([] { read(npy("{}", 4)); }), "found .npy version 4.0; accepted are 1.0, 2.0 and 3.0"));
  CHECK(says(refusal([] { read(bytes("PK\3\4 and so on")); }), "expected a .npy array"));
}

TEST_CASE("headers that are not quite dictionaries are refused") {
  const std::string begin = "{'descr': '|u1', 'fortran_order': False, 'shape': ";
  for (const char* shape : {"(3)",
                            "(,)",
                            "(3,,)",
                            "(3 3)",
                            "3",
                            "[3]",
                            "(-3,)",
                            "(+3,)",
                            "(3.0,)",
                            "(0x3,)",
                            "(3L,)",
                            "(",
                            "(3,",
                            "()x",
                            "(99999999999999999999,)",
                            "('3',)",
                            "(3,), 'shape': (3,)",
                            "(3,), 'more': 1",
                            "(3,)} x",
                            "(3,)}{"})
    CHECK_MESSAGE(!refused(begin + shape + ", }", "abc").empty(), shape);
  CHECK(refused(begin + "(3,), }", "abc").empty());
  for (const char* header : {"", "{", "{}", "x", "{'descr': '|u1', 'shape': (3,)}", "{'descr' '|u1'}",
                             "{'descr", "{,}", "{'descr': '|u1', 'fortran_order': 0, 'shape': (3,), }"})
    CHECK_MESSAGE(!refused(header, "abc").empty(), header);
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  CHECK(says(refused(begin + many + "), }", "a"), "at most 64 axes"));
}

TEST_CASE("sizes must be those of the file") {
  const std::string begin = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  CHECK(says(refused(begin + "(1000000000, 64), }", "0123"),
             "expected 512000000000 bytes of elements for f64 (1000000000, 64), found 4"));
  CHECK(says(refused(begin + "(4294967296, 4294967296), }"), "no memory can hold"));
  CHECK(says(refused(begin + "(1,), }", "0123456789"), "expected 8 bytes"));  // too many is wrong as well
  Bytes long_header = npy("", 2);
  long_header[8] = long_header[9] = long_header[10] = long_header[11] = std::byte{0xff};
  CHECK(says(refusal([&] { read(long_header); }),
             "found a header that claims 4294967295 bytes in a file of 12"));
  CHECK(says(refused("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\2"),
             "expected 0 or 1 for every bool"));
}

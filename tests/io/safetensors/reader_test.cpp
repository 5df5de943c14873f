#include "mno/io/safetensors/reader.hpp"

#include <doctest/doctest.h>

#include "io/samples.hpp"
#include "io/scratch.hpp"
#include "mno/io/safetensors/writer.hpp"

using namespace mno::io;

namespace {
Bytes safetensors(const std::string& header, std::string_view data = "") {
  Bytes out;
  append(out, std::uint64_t(header.size()));
  append(out, header);
  append(out, data);
  return out;
}
std::string refused(const Bytes& file) {
  return refusal([&] {
    const SafetensorsReader reader(std::make_shared<Memory>(file));
    for (const auto& name : reader.names()) reader.read(name);
  });
}
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}
}  // namespace

TEST_CASE("arrays of every type and shape come back, with their metadata") {
  const Scratch scratch;
  const auto all = samples();
  std::vector<NamedArray> arrays;
  for (const Sample& sample : all) arrays.emplace_back(sample.name, sample.array);
  const std::map<std::string, std::string> metadata{{"step", "17"}, {"quote\"", "é\n"}};
  write_safetensors(scratch / "all", arrays, metadata);
  const SafetensorsReader reader(scratch / "all");
  CHECK(reader.metadata() == metadata);
  CHECK(reader.names().size() == all.size());
  for (const Sample& sample : all) {
    CHECK(reader.layout(sample.name) == sample.array.layout());
    CHECK_MESSAGE(reader.read(sample.name) == sample.array, sample.name);
  }
  CHECK(reader.contains("f32"));
  CHECK_FALSE(reader.contains("f16"));
  CHECK(says(refusal([&] { reader.read("f16"); }), "expected a tensor 'f16'"));
}

TEST_CASE("a file may hold nothing") {
  const Scratch scratch;
  write_safetensors(scratch / "none", {});
  CHECK(SafetensorsReader(scratch / "none").names().empty());
}

TEST_CASE("data goes between memory and file without an array") {
  const Scratch scratch;
  const std::vector<float> weights{1, 2, 3, 4, 5, 6};
  const bool flags[] = {true, false};
  write_safetensors(scratch / "w", {NamedArray("w", {2, 3}, std::span<const float>(weights)),
                                    NamedArray("flags", {2}, std::span<const bool>(flags))});
  const SafetensorsReader reader(scratch / "w");
  std::vector<float> out(6);
  reader.read("w", std::span(out));
  CHECK(out == weights);
  bool again[2] = {};
  reader.read("flags", std::span<bool>(again));
  CHECK(again[0]);
  std::vector<double> wide(6);
  CHECK(says(refusal([&] { reader.read("w", std::span(wide)); }),
             "expected tensor 'w' of 6 elements of type f64, found f32 (2, 3)"));
  CHECK_THROWS_AS(reader.read("w", std::span(out).first(5)), mno::Error);
}

TEST_CASE("elements are aligned, wide ones first") {
  const Scratch scratch;
  const Array u8(Type::u8, {3}), f64(Type::f64, {2}), f32(Type::f32, {1});
  write_safetensors(scratch / "a", {NamedArray("a", u8), NamedArray("b", f32), NamedArray("c", f64)});
  CHECK(SafetensorsReader(scratch / "a").names() == std::vector<std::string>{"c", "b", "a"});
  CHECK((load<std::uint64_t>(read_file(scratch / "a"), 0) + 8) % 8 == 0);
}

TEST_CASE("a writer refuses what would make a wrong file, and leaves the old one") {
  const Scratch scratch;
  const std::vector<float> three(3);
  const Array array(Type::f32, {1});
  write_safetensors(scratch / "a", {NamedArray("w", array)});
  const Bytes before = read_file(scratch / "a");
  const auto write = [&](std::vector<NamedArray> arrays) {
    return refusal([&] { write_safetensors(scratch / "a", arrays); });
  };
  CHECK(says(write({NamedArray("w", {4}, std::span<const float>(three))}),
             "expected data for f32 (4,), got 12 bytes"));
  CHECK(says(write({NamedArray("w", array), NamedArray("w", array)}), "expected every name once, got w"));
  CHECK(says(write({NamedArray("__metadata__", array)}), "reserved"));
  CHECK(says(write({NamedArray("\xff", array)}), "expected valid UTF-8"));
  CHECK(read_file(scratch / "a") == before);
}

TEST_CASE("types are refused by name") {
  for (const std::string type : {"F16", "BF16", "I8", "U16", "U64", "F8_E5M2", "f32", ""})
    CHECK(says(
        refused(safetensors("{\"w\":" + tensor(type, "[0]", "[0,0]") + "}")),
        "tensor 'w': found elements of type '" + type + "'; accepted are F32, F64, I32, I64, U8 and BOOL"));
  CHECK(says(refused(safetensors("{\"w\":" + tensor("BOOL", "[1]", "[0,1]") + "}", "\2")),
             "expected 0 or 1 for every bool"));
}

TEST_CASE("offsets must fill the data, without holes and without sharing") {
  const auto two = [](const std::string& a, const std::string& b, std::string_view data) {
    return refused(
        safetensors("{\"a\":" + tensor("U8", "[2]", a) + ",\"b\":" + tensor("U8", "[2]", b) + "}", data));
  };
  CHECK(two("[0,2]", "[2,4]", "0123").empty());
  CHECK(two("[2,4]", "[0,2]", "0123").empty());
  CHECK(says(two("[0,2]", "[1,3]", "012"), "it overlaps with another"));
  CHECK(says(two("[0,2]", "[0,2]", "01"), "it overlaps with another"));
  CHECK(says(two("[0,2]", "[3,5]", "01234"), "there is a hole before it"));
  CHECK(says(two("[1,3]", "[3,5]", "01234"), "there is a hole before it"));
  CHECK(says(two("[0,2]", "[2,4]", "01234"), "expected 4 bytes of data, found 5"));
  CHECK(says(two("[0,2]", "[2,4]", "012"), "expected 4 bytes of data, found 3"));
  CHECK(says(two("[0,2]", "[4,2]", "0123"), "expected data_offsets [begin, end]"));
  CHECK(says(two("[0,2]", "[2,5]", "01234"), "expected 2 bytes for u8 (2,)"));
  CHECK(says(two("[0,2]", "[2]", "01"), "expected data_offsets [begin, end]"));
  CHECK(says(two("[0,2]", "[-2,0]", "01"), "integers from 0"));
  CHECK(says(two("[0,2]", "[2.0,4]", "0123"), "integers from 0"));
}

TEST_CASE("claims beyond the file are refused before anything is allocated") {
  CHECK(says(refused(safetensors("{\"w\":" + tensor("F64", "[1000000000,64]", "[0,512000000000]") + "}")),
             "expected 512000000000 bytes of data, found 0"));
  CHECK(says(refused(safetensors("{\"w\":" + tensor("F64", "[4294967296,4294967296]", "[0,0]") + "}")),
             "no memory can hold"));
  CHECK(says(refused(safetensors("{\"w\":" + tensor("U8", "[9223372036854775808]", "[0,0]") + "}")),
             "integers from 0"));
  Bytes long_header = safetensors("{}");
  for (std::size_t i = 0; i < 8; ++i) long_header[i] = std::byte{0xff};
  CHECK(says(refused(long_header), "found a header that claims 18446744073709551615 bytes in a file of 10"));
  CHECK(says(refused(bytes("1234")), "found a file of 4 bytes"));
}

TEST_CASE("headers of another form are refused") {
  for (const char* header : {"", " {}", "[]", "{", "{}x", "{\"w\":1}", "{\"w\":{}}", "{\"__metadata__\":[]}",
                             "{\"__metadata__\":{\"a\":1}}",
                             "{\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"more\":1}}",
                             "{\"w\":{\"dtype\":1,\"shape\":[0],\"data_offsets\":[0,0]}}",
                             "{\"w\":{\"dtype\":\"U8\",\"shape\":0,\"data_offsets\":[0,0]}}"})
    CHECK_MESSAGE(!refused(safetensors(header)).empty(), header);
  CHECK(refused(safetensors("{}      ")).empty());
  const std::string w = "\"w\":" + tensor("U8", "[0]", "[0,0]");
  CHECK(says(refused(safetensors("{" + w + "," + w + "}")), "found the key 'w' twice"));
}

TEST_CASE("a checksum is written where the metadata asks for one, and verified when somebody asks") {
  const Scratch scratch;
  const std::vector<float> w{1, 2, 3};
  const std::map<std::string, std::string> metadata{{"checksum", "whatever"},
                                                    {"a\"checksum", "crc64-xz 0123456789abcdef"},
                                                    {"b", R"({"checksum":"crc64-xz 0123456789abcdef"})"}};
  write_safetensors(scratch / "a", {NamedArray("w", {3}, std::span<const float>(w))}, metadata);
  const Bytes good = read_file(scratch / "a");
  const SafetensorsReader reader(std::make_shared<Memory>(good));
  reader.verify();
  const std::string found = reader.metadata().at("checksum");

  // The definition: over all bytes, with zeros for its own digits.
  Bytes zeroed = good;
  const std::size_t at = characters(good).find(found) + std::string_view("crc64-xz ").size();
  std::fill_n(zeroed.begin() + std::ptrdiff_t(at), 16, std::byte('0'));
  Crc64 sum;
  sum.add(zeroed);
  CHECK(found == "crc64-xz " + sum.str());

  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= std::byte{4};
    CHECK_FALSE(refusal([&] { SafetensorsReader(std::make_shared<Memory>(bad)).verify(); }).empty());
  }
  Bytes data = good;
  data.back() ^= std::byte{1};
  CHECK(says(
      refusal([&] { SafetensorsReader(std::make_shared<Memory>(data)).verify(); }),
      "is damaged, or was changed without its checksum: expected '" + found + "', as it says itself, found"));
}

TEST_CASE("files of others have no checksum, and are read all the same") {
  const Bytes file = safetensors("{\"w\":" + tensor("U8", "[2]", "[0,2]") + "}", "ab");
  CHECK(refused(file).empty());
  CHECK(says(refusal([&] { SafetensorsReader(std::make_shared<Memory>(file)).verify(); }),
             "expected metadata 'checksum': 'crc64-xz ' and 16 digits, found none"));
  const Bytes other = safetensors(R"({"__metadata__":{"checksum":"md5 0123"}})");
  CHECK(refused(other).empty());
  CHECK(says(refusal([&] { SafetensorsReader(std::make_shared<Memory>(other)).verify(); }),
             "found 'md5 0123'"));
}

#include "mno/io/stored_type.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"

using namespace mno::io;

namespace {
template <class T> std::vector<double> widened(Stored stored, std::vector<T> values, bool big_endian) {
  Bytes raw;
  for (T value : values) {
    std::array<std::byte, sizeof(T)> one = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    if (big_endian) std::ranges::reverse(one);
    raw.insert(raw.end(), one.begin(), one.end());
  }
  Array out(read_as(stored), {mno::Index(values.size())});
  widen(stored, raw, big_endian, out);
  return numbers_of(out);
}
template <class T> void check(Stored stored, std::vector<T> values) {
  REQUIRE(size_of(stored) == sizeof(T));
  const std::vector<double> expected(values.begin(), values.end());
  for (bool big_endian : {false, true}) CHECK(widened(stored, values, big_endian) == expected);
}
}  // namespace

TEST_CASE("every kind of number becomes itself, in either byte order") {
  check<float>(Stored::f32, {1.5f, -0.1f, 3e38f});
  check<double>(Stored::f64, {1.5, -0.1, 1e300});
  check<std::int8_t>(Stored::i8, {-128, 0, 127});
  check<std::int16_t>(Stored::i16, {-32768, 1, 32767});
  check<std::int32_t>(Stored::i32, {-2147483647, 1});
  check<std::int64_t>(Stored::i64, {-9007199254740992, 1});
  check<std::uint8_t>(Stored::u8, {0, 255});
  check<std::uint16_t>(Stored::u16, {0, 65535});
  check<std::uint32_t>(Stored::u32, {0, 4294967295});
  check<std::uint64_t>(Stored::u64, {0, 18446744073709551615u});
}

TEST_CASE("numbers of 16 bits: normal, subnormal, zero of either sign, infinity and not a number") {
  CHECK(half(0x3c00) == 1);
  CHECK(half(0xc000) == -2);
  CHECK(half(0x3555) == doctest::Approx(1.0 / 3).epsilon(1e-3));
  CHECK(half(0x7bff) == 65504);
  CHECK(half(0x0001) == std::ldexp(1.0f, -24));
  CHECK(half(0x03ff) == doctest::Approx(std::ldexp(1023.0, -24)));
  CHECK(std::signbit(half(0x8000)));
  CHECK(half(0xfc00) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(half(0x7e00)));
}

TEST_CASE("an array of another type or size is refused") {
  Array out(Type::f32, {2});
  CHECK(says(refusal([&] { widen(Stored::i16, Bytes(4), false, out); }), "expected 2 elements of type i32"));
  CHECK_THROWS_AS(widen(Stored::f32, Bytes(4), false, out), mno::Error);
}

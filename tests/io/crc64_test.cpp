// The checksum against the published check value, against the definition bit by bit, and its promise.
#include "mno/io/crc64.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace mno::io;

namespace {

std::uint64_t crc64(std::span<const std::byte> bytes) {
  Crc64 sum;
  sum.add(bytes);
  return sum.value();
}
/// The remainder as it is defined, one bit at a time.
std::uint64_t by_definition(std::span<const std::byte> bytes) {
  std::uint64_t rest = ~std::uint64_t(0);
  for (const std::byte b : bytes) {
    rest ^= std::to_integer<std::uint64_t>(b);
    for (int bit = 0; bit < 8; ++bit) rest = rest & 1 ? (rest >> 1) ^ 0xC96C5795D7870F42 : rest >> 1;
  }
  return ~rest;
}
Bytes some_bytes(std::size_t count) {
  std::mt19937 random(unsigned(count) + 3);
  Bytes out(count);
  for (std::byte& b : out) b = std::byte(random() & 0xff);
  return out;
}

}  // namespace

TEST_CASE("the published check value") {
  CHECK(crc64(bytes_of(std::string_view("123456789"))) == 0x995DC9BBDF1939FA);
  Crc64 sum;
  CHECK(sum.str() == "0000000000000000");
  sum.add(bytes_of(std::string_view("123456789")));
  CHECK(sum.str() == "995dc9bbdf1939fa");
}

TEST_CASE("any length, in any pieces, is as defined") {
  for (std::size_t size = 0; size < 70; ++size) {
    const Bytes all = some_bytes(size);
    const std::uint64_t expected = by_definition(all);
    CHECK(crc64(all) == expected);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      Crc64 sum;
      sum.add(std::span(all).first(cut));
      sum.add(std::span(all).subspan(cut));
      CHECK(sum.value() == expected);
    }
  }
}

TEST_CASE("damage within 64 bits always shows") {
  const Bytes good = some_bytes(1000);
  const std::uint64_t sum = crc64(good);
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    Bytes bad = good;
    const std::size_t at = random() % (good.size() - 8);
    const std::uint64_t damage = trial < 64 ? std::uint64_t(1) << trial : random() | 1;
    for (std::size_t i = 0; i < 8; ++i) bad[at + i] ^= std::byte((damage >> (8 * i)) & 0xff);
    CHECK(crc64(bad) != sum);
  }
}

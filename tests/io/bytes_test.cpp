#include "mno/io/bytes.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using namespace mno::io;

TEST_CASE("numbers are little-endian") {
  Bytes out;
  append(out, std::uint16_t(0x0102));
  append(out, std::uint32_t(0x03040506));
  append(out, std::uint64_t(0x0708090a0b0c0d0e));
  const unsigned char expected[] = {2, 1, 6, 5, 4, 3, 14, 13, 12, 11, 10, 9, 8, 7};
  CHECK(std::ranges::equal(out, std::as_bytes(std::span(expected))));
  CHECK(load<std::uint16_t>(out, 0) == 0x0102);
  CHECK(load<std::uint32_t>(out, 2) == 0x03040506);
  CHECK(load<std::uint64_t>(out, 6) == 0x0708090a0b0c0d0e);
}

TEST_CASE("sizes that 64 bits do not hold are seen") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  CHECK(checked_sum(most - 1, 1) == most);
  CHECK_FALSE(checked_sum(most, 1));
  CHECK(checked_product(most / 3, 3) == most);
  CHECK_FALSE(checked_product(most / 3 + 1, 3));
  CHECK(checked_product(most, 0) == 0);
  CHECK(within(3, 4, 7));
  CHECK_FALSE(within(3, 5, 7));
  CHECK_FALSE(within(8, 0, 7));
  CHECK_FALSE(within(1, most, most));
}

TEST_CASE("a source refuses ranges that it does not have, and says so") {
  const Bytes content = bytes("0123456789");
  Memory memory(content, "test");
  CHECK(characters(memory.read(3, 4)) == "3456");
  CHECK(memory.read(10, 0).empty());
  CHECK(says(refusal([&] { memory.read(3, 8); }), "mno: test: expected 8 bytes at offset 3, found only 10"));
  CHECK_THROWS_AS(memory.read(~std::uint64_t{0}, 2), mno::Error);
  CHECK_THROWS_AS(memory.read(0, ~std::uint64_t{0}), mno::Error);
}

TEST_CASE("what a file says is shown short and without control characters") {
  CHECK(shown("a\x1b[31m\n") == "'a?[31m '");
  CHECK(shown(std::string(1000, 'x')).size() < 100);
}

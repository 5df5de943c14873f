#include "mno/io/hdf5/lzf.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"

using mno::io::detail::lzf_unpacked;

TEST_CASE("bytes that stand for themselves, pieces from before, and pieces that overlap themselves") {
  CHECK(lzf_unpacked(bytes("\2abc")) == bytes("abc"));
  CHECK(lzf_unpacked(bytes(std::string_view("\2abc\x20\2", 6))) == bytes("abcabc"));  // 3 bytes from 3 before
  CHECK(lzf_unpacked(bytes(std::string_view("\0a\xe0\xf7\0", 5))) == bytes(std::string(1 + 9 + 247, 'a')));
  CHECK(lzf_unpacked({}) == mno::io::Bytes());
}

TEST_CASE("what is damaged is nothing") {
  CHECK_FALSE(lzf_unpacked(bytes("\3abc")));                           // ends too early
  CHECK_FALSE(lzf_unpacked(bytes(std::string_view("\0a\x20\1", 4))));  // from before the beginning
  CHECK_FALSE(lzf_unpacked(bytes("\x40")));
  CHECK_FALSE(lzf_unpacked(bytes("\xe0")));
}

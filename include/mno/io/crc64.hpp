#pragma once
// CRC-64/XZ, the checksum of .xz files: bytes as a polynomial over GF(2), modulo that of ECMA-182. It detects
// every change that lies within 64 bits, whatever the length; other damage goes unnoticed once in 2^64.
//   https://reveng.sourceforge.io/crc-catalogue/17plus.htm#crc.cat.crc-64-xz
#include <array>

#include "mno/io/bytes.hpp"

namespace mno::io {

namespace detail {
/// [d][b]: what a byte b leaves when d more bytes, all of them zero, have passed.
inline const auto& crc64_tables() {
  static const auto all = [] {
    std::array<std::array<std::uint64_t, 256>, 8> tables{};
    for (std::size_t b = 0; b < 256; ++b) {
      std::uint64_t rest = b;
      for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? 0xC96C5795D7870F42 : 0);
      tables[0][b] = rest;
    }
    for (std::size_t d = 1; d < 8; ++d)
      for (std::size_t b = 0; b < 256; ++b)
        tables[d][b] = tables[0][tables[d - 1][b] & 0xff] ^ (tables[d - 1][b] >> 8);
    return tables;
  }();
  return all;
}
}  // namespace detail

class Crc64 {
 public:
  void add(std::span<const std::byte> bytes) {
    const auto& tables = detail::crc64_tables();
    std::uint64_t state = state_;
    std::size_t at = 0;
    for (; bytes.size() - at >= 8; at += 8) {  // eight bytes at a time, each by the table of its distance
      state ^= load<std::uint64_t>(bytes, at);
      std::uint64_t next = 0;
      for (std::size_t d = 0; d < 8; ++d) next ^= tables[7 - d][(state >> (8 * d)) & 0xff];
      state = next;
    }
    for (; at < bytes.size(); ++at)
      state = tables[0][(state ^ std::to_integer<std::uint64_t>(bytes[at])) & 0xff] ^ (state >> 8);
    state_ = state;
  }
  std::uint64_t value() const { return ~state_; }

  /// Sixteen digits, 0 to 9 and a to f.
  std::string str() const {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(value() >> shift) & 0xf];
    return digits;
  }

 private:
  std::uint64_t state_ = ~std::uint64_t(0);
};

}  // namespace mno::io

#pragma once
// SHA-256 (FIPS 180-4): nobody knows two texts with the same digits, so these tell what a file holds even
// where somebody would have it changed. Against chance alone crc64.hpp is enough, and takes less time.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "mno/io/bytes.hpp"

namespace mno::io {

namespace detail {
/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
inline constexpr std::array<std::uint32_t, 64> sha256_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
}  // namespace detail

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes) {
    const std::size_t there = std::size_t(size_ % 64);
    size_ += bytes.size();
    if (there > 0) {
      const std::size_t more = std::min(bytes.size(), 64 - there);
      std::copy_n(bytes.begin(), more, rest_.begin() + std::ptrdiff_t(there));
      bytes = bytes.subspan(more);
      if (there + more < 64) return;
      block(rest_);
    }
    for (; bytes.size() >= 64; bytes = bytes.subspan(64)) block(bytes.first<64>());
    std::ranges::copy(bytes, rest_.begin());
  }
  void add(std::string_view text) { add(bytes_of(text)); }
  /// A text and its length, so that no two lists of texts give the same bytes.
  void add_part(std::string_view text) {
    add(std::to_string(text.size()) + ":");
    add(text);
  }

  /// 64 digits, 0 to 9 and a to f. Nothing can be added afterwards.
  std::string digits() {
    const std::uint64_t bits = 8 * size_;
    constexpr std::array zeros{std::byte(0x80), std::byte(0)};  // a bit that is one, then zeros
    add(std::span(zeros).first(1));
    while (size_ % 64 != 56) add(std::span(zeros).last(1));
    std::array<std::byte, 8> length;
    for (std::size_t i = 0; i < 8; ++i) length[i] = std::byte(bits >> (56 - 8 * i) & 0xff);
    add(length);
    std::string out;
    for (const std::uint32_t word : state_)
      for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
    return out;
  }

 private:
  void block(std::span<const std::byte, 64> bytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) {  // the first byte of four is the highest
      w[i] = 0;
      for (std::size_t j = 0; j < 4; ++j) w[i] = w[i] << 8 | std::to_integer<std::uint32_t>(bytes[4 * i + j]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3),
                          s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25),
                          t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::sha256_constants[i] + w[i],
                          s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22),
                          t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::uint32_t sums[] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += sums[i];
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};
  std::uint64_t size_ = 0;
};

inline std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.digits();
}
/// Of all bytes of a source, which pass by in pieces.
inline std::string sha256(Source& source) {
  Sha256 hash;
  Bytes piece(std::size_t(std::min<std::uint64_t>(source.size(), std::uint64_t{1} << 20)));
  for (std::uint64_t at = 0; at < source.size(); at += piece.size()) {
    piece.resize(std::size_t(std::min<std::uint64_t>(piece.size(), source.size() - at)));
    source.read(at, std::span(piece));
    hash.add(piece);
  }
  return hash.digits();
}

}  // namespace mno::io

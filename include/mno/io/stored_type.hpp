#pragma once
// Numbers as other programs store them, and what they are read as: the smallest type of ours that holds them
// all. A u64 becomes an f64, exact up to 2^53.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "mno/io/array.hpp"

namespace mno::io {

enum class Stored : std::uint8_t { f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

constexpr std::size_t size_of(Stored stored) {
  constexpr std::uint8_t sizes[] = {2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  return sizes[std::size_t(stored)];
}
constexpr Type read_as(Stored stored) {
  constexpr Type types[] = {Type::f32, Type::f32, Type::f64, Type::i32, Type::i32, Type::i32,
                            Type::i64, Type::u8,  Type::i32, Type::i64, Type::f64, Type::boolean};
  return types[std::size_t(stored)];
}
/// Whether the bytes stay as they are.
constexpr bool as_stored(Stored stored) {
  return size_of(stored) == size_of(read_as(stored)) && stored != Stored::u64;
}

/// A number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
inline float half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = 0;
  if (exponent == 31)
    value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    value = std::ldexp(float(fraction), -24);
  else
    value = std::ldexp(float(1024 + fraction), exponent - 25);
  return bits >> 15 ? -value : value;
}

namespace detail {
template <class From, class To>
void widen_each(std::span<const std::byte> from, bool big_endian, std::span<To> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::array<std::byte, sizeof(From)> bytes;
    std::memcpy(bytes.data(), from.data() + i * sizeof(From), sizeof(From));
    if (big_endian) std::ranges::reverse(bytes);
    to[i] = To(std::bit_cast<From>(bytes));
  }
}
}  // namespace detail

/// The elements of `from`, one after the other, into an array of type read_as(stored) with as many.
inline void widen(Stored stored, std::span<const std::byte> from, bool big_endian, Array& to) {
  require(to.type() == read_as(stored) && from.size() == to.size() * size_of(stored), "io::widen", "to",
          Text(from.size() / size_of(stored), " elements of type ", name_of(read_as(stored))),
          Text(to.layout().str()));
  switch (stored) {
    case Stored::f16: {
      std::vector<std::int32_t> bits(to.size());
      detail::widen_each<std::uint16_t>(from, big_endian, std::span(bits));
      std::ranges::transform(bits, to.values<float>().begin(),
                             [](std::int32_t b) { return half(std::uint16_t(b)); });
      return;
    }
    case Stored::f32:
      return detail::widen_each<float>(from, big_endian, to.values<float>());
    case Stored::f64:
      return detail::widen_each<double>(from, big_endian, to.values<double>());
    case Stored::i8:
      return detail::widen_each<std::int8_t>(from, big_endian, to.values<std::int32_t>());
    case Stored::i16:
      return detail::widen_each<std::int16_t>(from, big_endian, to.values<std::int32_t>());
    case Stored::i32:
      return detail::widen_each<std::int32_t>(from, big_endian, to.values<std::int32_t>());
    case Stored::i64:
      return detail::widen_each<std::int64_t>(from, big_endian, to.values<std::int64_t>());
    case Stored::u16:
      return detail::widen_each<std::uint16_t>(from, big_endian, to.values<std::int32_t>());
    case Stored::u32:
      return detail::widen_each<std::uint32_t>(from, big_endian, to.values<std::int64_t>());
    case Stored::u64:
      return detail::widen_each<std::uint64_t>(from, big_endian, to.values<double>());
    case Stored::u8:
    case Stored::boolean:
      std::ranges::copy(from, to.bytes().begin());
  }
}

}  // namespace mno::io

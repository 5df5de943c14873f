#pragma once
// UTF-8, as far as text in files needs it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mno::io {

/// The length of the UTF-8 sequence at the start, or 0: no overlong forms, no surrogates, at most U+10FFFF.
inline std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
  const unsigned lead = at(0), next = at(1);
  if (lead < 0x80) return s.empty() ? 0 : 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool fits = tail(1) && (lead != 0xE0 || next >= 0xA0) && (lead != 0xED || next <= 0x9F);
    return fits && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool fits = tail(1) && (lead != 0xF0 || next >= 0x90) && (lead != 0xF4 || next <= 0x8F);
    return fits && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

/// Appends one code point.
inline void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

}  // namespace mno::io

#pragma once
// The checksum of a safetensors file, as its metadata has it: "crc64-xz 0123456789abcdef", over every byte of
// the file, with zeros where its own sixteen digits stand.
#include "mno/io/crc64.hpp"

namespace mno::io {

inline constexpr const char* checksum_key = "checksum";

namespace detail {

inline constexpr std::string_view checksum_kind = "crc64-xz ", checksum_zeros = "0000000000000000";

inline std::string checksum_text(std::string_view digits) {
  return std::string(checksum_kind) + std::string(digits);
}

/// Where the digits begin in a header that is valid JSON, or npos. Within a string of JSON a quote has a
/// backslash before it, so what is found is the key itself.
inline std::size_t checksum_digits(std::string_view header) {
  for (const char* before : {"{\"", ",\""}) {
    const std::string start = before + std::string(checksum_key) + "\":\"" + std::string(checksum_kind);
    const std::size_t at = header.find(start);
    if (at != header.npos && within(at + start.size(), checksum_zeros.size(), header.size()))
      return at + start.size();
  }
  return header.npos;
}

}  // namespace detail
}  // namespace mno::io

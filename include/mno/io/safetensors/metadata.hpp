#pragma once
// What a file says about itself: texts by their names, and numbers that survive the way through text.
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "mno/io/bytes.hpp"

namespace mno::io {

using Metadata = std::map<std::string, std::string>;

namespace detail {

/// With 17 digits, which tell every double from every other.
inline std::string number(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr};
}
template <class Numbers> std::string numbers(const Numbers& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + number(value);
  return out;
}
inline std::vector<double> parse_numbers(const std::string& file, const std::string& key,
                                         const std::string& text) {
  std::vector<double> values;
  const char *place = text.data(), *const end = place + text.size();
  while (place != end) {
    const auto read = std::from_chars(place, end, values.emplace_back());
    if (read.ec != std::errc()) refuse(file, "expected numbers in metadata '", key, "', found ", shown(text));
    for (place = read.ptr; place != end && *place == ' ';) ++place;
  }
  return values;
}

}  // namespace detail

/// Of a metadata map: the value, or a sentence about what is missing.
inline const std::string& wanted(const std::string& file, const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse(file, "expected metadata '", key, "', found none");
  return found->second;
}
inline std::vector<double> wanted_numbers(const std::string& file, const Metadata& metadata,
                                          const std::string& key) {
  return detail::parse_numbers(file, key, wanted(file, metadata, key));
}
inline double wanted_number(const std::string& file, const Metadata& metadata, const std::string& key) {
  const auto values = wanted_numbers(file, metadata, key);
  if (values.size() != 1) refuse(file, "expected one number in metadata '", key, "', found ", values.size());
  return values[0];
}
/// A count: of epochs, steps, points.
inline std::int64_t wanted_count(const std::string& file, const Metadata& metadata, const std::string& key,
                                 std::int64_t least, std::int64_t most) {
  const std::string& text = wanted(file, metadata, key);
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < least || value > most)
    refuse(file, "expected ", key, " from ", least, " to ", most, ", found ", shown(text));
  return value;
}

}  // namespace mno::io

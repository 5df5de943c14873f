#pragma once
// Words and numbers as HTML text. Numbers do not depend on the locale; one that is not finite is "–".
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace mno::report {

inline std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      out += "\xef\xbf\xbd";  // U+FFFD, as HTML has no control characters
    else
      out += c;
  }
  return out;
}

/// `decimals` digits after the point: for coordinates and for ticks. `x` is finite and of moderate size.
inline std::string fixed(double x, int decimals) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, x, std::chars_format::fixed, decimals);
  const std::string out = end.ec == std::errc() ? std::string(digits, end.ptr) : "0";
  return out.find_first_not_of("-0.") == out.npos && out[0] == '-' ? out.substr(1) : out;
}

/// With the minus sign of print instead of a hyphen.
inline std::string with_minus(std::string number) {
  for (std::size_t at; (at = number.find('-')) != number.npos;) number.replace(at, 1, "−");
  return number;
}

/// 10 with a raised exponent.
inline std::string power_of_ten(int exponent) {
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) out += raised[digit - '0'];
  return out;
}

/// As a person would write it, with so many significant digits: 0.0123, 1234, 1.5×10⁻⁷.
inline std::string shown(double x, int significant = 4) {
  if (!std::isfinite(x)) return "–";
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, x, std::chars_format::scientific, significant - 1);
  const std::string_view all(digits, std::size_t(end.ptr - digits));
  const std::size_t e = all.find('e');
  int exponent = 0;
  std::from_chars(all.data() + e + (all[e + 1] == '+' ? 2 : 1), end.ptr, exponent);
  if (x == 0) return "0";
  std::string number = exponent < -4 || exponent > 5 ? std::string(all.substr(0, e))
                                                     : fixed(x, std::max(0, significant - 1 - exponent));
  if (number.find('.') != number.npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  if (exponent < -4 || exponent > 5) number += "×" + power_of_ten(exponent);
  return with_minus(number);
}

}  // namespace mno::report

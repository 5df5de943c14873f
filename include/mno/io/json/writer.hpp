#pragma once
// JSON as text, without spaces. What is written reads back equal.
#include <charconv>
#include <cmath>

#include "mno/io/json/parser.hpp"

namespace mno::io {

inline void append_json(std::string& out, std::string_view s) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  while (!s.empty()) {
    const std::size_t length = utf8_length(s);
    require(length > 0, "io::write_json", "string", Text("valid UTF-8"), Text(shown(s)));
    const char c = s[0];
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      ((out += "\\u00") += digits[std::size_t(c) >> 4]) += digits[std::size_t(c) & 15];
    else
      out += s.substr(0, length);
    s.remove_prefix(length);
  }
  out += '"';
}

inline void append_json(std::string& out, double x) {
  require(std::isfinite(x), "io::write_json", "number", Text("a finite one, as JSON has no other"), Text(x));
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, x).ptr;
  const std::string_view shortest(digits, std::size_t(end - digits));
  out += shortest;
  if (shortest.find_first_of(".e") == shortest.npos) out += ".0";  // stays a double when read
}

template <std::same_as<Json> J> void append_json(std::string& out, const J& json) {
  const auto join = [&](char open, const auto& items, char close, auto&& write) {
    out += open;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i) out += ',';
      write(items[i]);
    }
    out += close;
  };
  if (json.template get<std::nullptr_t>()) out += "null";
  if (const auto* b = json.template get<bool>()) out += *b ? "true" : "false";
  if (const auto* n = json.template get<std::int64_t>()) out += std::to_string(*n);
  if (const auto* x = json.template get<double>()) append_json(out, *x);
  if (const auto* s = json.template get<std::string>()) append_json(out, std::string_view(*s));
  if (const auto* l = json.template get<JsonList>())
    join('[', *l, ']', [&](const Json& item) { append_json(out, item); });
  if (const auto* o = json.template get<JsonObject>())
    join('{', *o, '}', [&](const JsonMember& member) {
      append_json(out, std::string_view(member.key));
      out += ':';
      append_json(out, member.value());
    });
}

template <class = void> std::string write_json(const Json& json) {
  std::string out;
  append_json(out, json);
  return out;
}

}  // namespace mno::io

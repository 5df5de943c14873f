#pragma once
// JSON as RFC 8259 has it, strictly: one value, valid UTF-8, no key twice, limits on depth and number of
// values, so that a hostile text costs little.
//
// The functions that read and write files are templates only so that a program that does not call them does
// not compile them (docs/decisions/compile-time.md).
#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mno/io/bytes.hpp"
#include "mno/io/json/utf8.hpp"

namespace mno::io {

struct Json;
using JsonList = std::vector<Json>;

/// A name and its value, which is kept in a list of one: nvcc wants the types of a pair to be complete here.
struct JsonMember {
  template <std::same_as<Json> J> JsonMember(std::string name, J json);
  const Json& value() const;
  template <std::same_as<JsonMember> M> friend bool operator==(const M& a, const M& b) {
    return a.key == b.key && a.content == b.content;
  }

  std::string key;
  JsonList content;
};
using JsonObject = std::vector<JsonMember>;  // in the order of the text

/// A number without point or exponent that 64 bits hold is an integer; every other number is a double.
struct Json {
  using List = JsonList;
  using Object = JsonObject;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, JsonList, JsonObject> value = nullptr;

  /// The value as T, or null if it is something else.
  template <class T> const T* get() const { return std::get_if<T>(&value); }
  template <std::same_as<Json> J> friend bool operator==(const J& a, const J& b) {
    return a.value == b.value;
  }
};

template <std::same_as<Json> J> JsonMember::JsonMember(std::string name, J json) : key(std::move(name)) {
  content.push_back(std::move(json));
}
inline const Json& JsonMember::value() const { return content.front(); }

/// The member of an object, or null.
inline const Json* find(const Json& json, std::string_view name) {
  if (const auto* object = json.get<JsonObject>())
    for (const JsonMember& member : *object)
      if (member.key == name) return &member.value();
  return nullptr;
}

struct JsonLimits {
  std::size_t depth = 64, values = std::size_t{1} << 20;
};

namespace detail {

template <class Json = io::Json> class JsonParser {
  using JsonList = typename Json::List;
  using JsonObject = typename Json::Object;

 public:
  JsonParser(std::string_view text, const std::string& name, JsonLimits limits)
      : text_(text), name_(name), limits_(limits) {}

  Json parse() {
    Json json = value(0);
    skip_space();
    if (at_ != text_.size()) fail("nothing after the value");
    return json;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    refuse(name_, "expected ", expected, " at byte ", at_, " of its JSON, found ",
           at_ < text_.size() ? shown(text_.substr(at_, 10)) : std::string("its end"));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  Json value(std::size_t depth) {
    if (depth > limits_.depth) fail(Text("at most ", limits_.depth, " levels").str());
    if (++values_ > limits_.values) fail(Text("at most ", limits_.values, " values").str());
    skip_space();
    if (peek() == '{') return {object(depth)};
    if (peek() == '[') return {list(depth)};
    if (peek() == '"') return {string()};
    if (accept("true")) return {true};
    if (accept("false")) return {false};
    if (accept("null")) return {nullptr};
    return number();
  }

  JsonList list(std::size_t depth) {
    JsonList items;
    ++at_;
    skip_space();
    if (accept("]")) return items;
    for (;;) {
      items.push_back(value(depth + 1));
      skip_space();
      if (accept("]")) return items;
      if (!accept(",")) fail("',' or ']'");
    }
  }

  JsonObject object(std::size_t depth) {
    JsonObject members;
    ++at_;
    skip_space();
    if (accept("}")) return members;
    for (;;) {
      skip_space();
      if (peek() != '"') fail("a key");
      std::string key = string();
      skip_space();
      if (!accept(":")) fail("':'");
      members.emplace_back(std::move(key), value(depth + 1));
      skip_space();
      if (accept("}")) break;
      if (!accept(",")) fail("',' or '}'");
    }
    std::vector<std::string_view> keys;
    for (const auto& [key, ignored] : members) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) refuse(name_, "found the key ", shown(*twice), " twice in its JSON");
    return members;
  }

  Json number() {
    const std::size_t start = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      at_ = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      if (at_ == first) fail("a digit");
    };
    bool integer = true;
    accept("-");
    if (!accept("0")) {
      if (peek() < '1' || peek() > '9') fail("a value");
      digits();
    }
    if (accept(".")) integer = false, digits();
    if (accept("e") || accept("E")) {
      integer = false;
      if (!accept("+")) accept("-");
      digits();
    }
    const char *first = text_.data() + start, *last = text_.data() + at_;
    if (std::int64_t n = 0; integer && std::from_chars(first, last, n).ec == std::errc()) return {n};
    double x = 0;
    if (std::from_chars(first, last, x).ec != std::errc())
      refuse(name_, "found the number ", shown({first, last}), " in its JSON, which a double cannot hold");
    return {x};
  }

  std::string string() {
    std::string out;
    ++at_;
    for (;;) {
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0 || static_cast<unsigned char>(peek()) < 0x20) fail("a string of valid UTF-8 that ends");
      if (accept("\"")) return out;
      if (accept("\\")) {
        escape(out);
      } else {
        out.append(text_, at_, length);
        at_ += length;
      }
    }
  }
  void escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (accept("u")) {
      std::uint32_t code = hex();
      if (code >= 0xD800 && code <= 0xDBFF) {  // the first half of a pair
        const std::uint32_t low = accept("\\u") ? hex() : 0;
        if (low < 0xDC00 || low > 0xDFFF) fail("the second half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else if (code >= 0xDC00 && code <= 0xDFFF) {
        fail("the first half of a surrogate pair before its second");
      }
      append_utf8(out, code);
      return;
    }
    const std::size_t which = at_ < text_.size() ? letters.find(text_[at_]) : letters.npos;
    if (which == letters.npos) fail("an escape that JSON knows");
    out += meanings[which];
    ++at_;
  }
  std::uint32_t hex() {
    std::uint32_t code = 0;
    const std::string_view four = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(four.data(), four.data() + four.size(), code, 16);
    if (error != std::errc() || four.size() != 4 || end != four.data() + 4) fail("four hexadecimal digits");
    at_ += 4;
    return code;
  }
  std::string_view text_;
  const std::string& name_;
  JsonLimits limits_;
  std::size_t at_ = 0, values_ = 0;
};

}  // namespace detail

/// The value of a text; `name` is what a sentence calls it.
template <class Json = io::Json>
Json parse_json(std::string_view text, const std::string& name = "text", JsonLimits limits = {}) {
  return detail::JsonParser<Json>(text, name, limits).parse();
}

}  // namespace mno::io

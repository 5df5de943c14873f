#pragma once
// Structs to JSON and back by one list of their members:
//   template <class Visit, Is<Curve> S> void members(Visit& visit, S& s) { visit("name", s.name); … }
// Reading is strict. A member that is missing, unknown or of the wrong kind gives a sentence that names the
// file and the member, such as: file 'run.json': member 'rows[2].value': expected a number, found string.
// JSON has only finite numbers: others are written as null, and null reads as NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace mno::report {

using Json = nlohmann::ordered_json;

/// A place in a file, for sentences.
struct Place {
  std::string file, member;
  Place operator/(const std::string& name) const {
    return {file, member.empty() ? name : member + "." + name};
  }
  Place operator[](std::size_t i) const { return {file, member + "[" + std::to_string(i) + "]"}; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error("file '" + file + "': " + (member.empty() ? "" : "member '" + member + "': ") +
                             why + ".");
  }
  void expect(bool ok, const char* kind, const Json& found) const {
    if (!ok) refuse(std::string("expected ") + kind + ", found " + found.type_name());
  }
};

inline Json json_of(const std::string& value) { return value; }
inline Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
inline Json json_of(int value) { return value; }
inline Json json_of(bool value) { return value; }
inline Json json_of(const std::variant<double, std::string>& value) {
  return std::visit([](const auto& one) { return json_of(one); }, value);
}
template <class T> Json json_of(const std::map<std::string, T>& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out[name] = json_of(value);
  return out;
}
template <class T> Json json_of(const std::vector<T>& values);
template <class Struct> Json json_of(const Struct& value);

/// Is the value that of an optional member that is left out?
template <class T> bool left_out(const T&) { return false; }
template <class T> bool left_out(const std::optional<T>& value) { return !value; }
template <class T> bool left_out(const std::map<std::string, T>& values) { return values.empty(); }
template <class T> constexpr bool may_be_left_out = false;
template <class T> constexpr bool may_be_left_out<std::optional<T>> = true;
template <class T> constexpr bool may_be_left_out<std::map<std::string, T>> = true;

struct Writer {
  Json out = Json::object();
  template <class T> void operator()(const char* name, const T& value) {
    if (!left_out(value)) out[name] = json_of(value);
  }
  template <class T> void operator()(const char* name, const std::optional<T>& value) {
    if (value) out[name] = json_of(*value);
  }
};

template <class T> Json json_of(const std::vector<T>& values) {
  Json out = Json::array();
  for (const T& value : values) out.push_back(json_of(value));
  return out;
}
template <class Struct> Json json_of(const Struct& value) {
  Writer writer;
  members(writer, value);
  return std::move(writer.out);
}

inline void read_json(const Json& in, const Place& place, std::string& value) {
  place.expect(in.is_string(), "a string", in);
  value = in.get<std::string>();
}
inline void read_json(const Json& in, const Place& place, double& value) {
  place.expect(in.is_number() || in.is_null(), "a number", in);
  value = in.is_null() ? std::numeric_limits<double>::quiet_NaN() : in.get<double>();
}
inline void read_json(const Json& in, const Place& place, bool& value) {
  place.expect(in.is_boolean(), "true or false", in);
  value = in.get<bool>();
}
inline void read_json(const Json& in, const Place& place, std::variant<double, std::string>& value) {
  place.expect(in.is_number() || in.is_string(), "a number or a string", in);
  if (in.is_string())
    value = in.get<std::string>();
  else
    value = in.get<double>();
}
inline void read_json(const Json& in, const Place& place, int& value) {
  place.expect(in.is_number_integer(), "a whole number", in);
  const double wide = in.get<double>();  // exact where it matters: an int fits a double
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    place.refuse("expected a whole number of 32 bits, found " + in.dump());
  value = in.get<int>();
}
template <class T> void read_json(const Json& in, const Place& place, std::optional<T>& value) {
  read_json(in, place, value.emplace());
}
template <class T> void read_json(const Json& in, const Place& place, std::map<std::string, T>& values) {
  place.expect(in.is_object(), "an object", in);
  for (const auto& [name, value] : in.items()) read_json(value, place / name, values[name]);
}
template <class T> void read_json(const Json& in, const Place& place, std::vector<T>& values);
template <class Struct> void read_json(const Json& in, const Place& place, Struct& value);

struct Reader {
  const Json& in;
  const Place& place;
  std::vector<std::string> known = {};
  template <class T> void operator()(const char* name, T& value) {
    known.emplace_back(name);
    const auto found = in.find(name);
    if (found != in.end())
      read_json(*found, place / name, value);
    else if (!may_be_left_out<T>)
      (place / name).refuse("missing");
  }
};

template <class T> void read_json(const Json& in, const Place& place, std::vector<T>& values) {
  place.expect(in.is_array(), "a list", in);
  values.resize(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) read_json(in[i], place[i], values[i]);
}
template <class Struct> void read_json(const Json& in, const Place& place, Struct& value) {
  place.expect(in.is_object(), "an object", in);
  Reader reader{in, place};
  members(reader, value);
  for (const auto& [name, unused] : in.items())
    if (std::find(reader.known.begin(), reader.known.end(), name) == reader.known.end())
      (place / name).refuse("not a member of the format");
}

}  // namespace mno::report

#pragma once
// A plain n-dimensional array in row-major order, as files hold it: element type, shape, bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "mno/core/buffer.hpp"
#include "mno/core/grid.hpp"
#include "mno/io/bytes.hpp"

namespace mno::io {

static_assert(std::endian::native == std::endian::little,
              "mno: files are little-endian and are read without swapping bytes");

enum class Type : std::uint8_t { f32, f64, i32, i64, u8, boolean };

constexpr std::size_t size_of(Type type) {
  switch (type) {
    case Type::f32:
    case Type::i32:
      return 4;
    case Type::f64:
    case Type::i64:
      return 8;
    case Type::u8:
    case Type::boolean:
      return 1;
  }
  return 0;
}
constexpr const char* name_of(Type type) {
  constexpr const char* names[] = {"f32", "f64", "i32", "i64", "u8", "bool"};
  return names[std::size_t(type)];
}

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t> || std::same_as<T, bool>;

template <Element T> constexpr Type type_of() {
  if constexpr (std::same_as<T, float>) return Type::f32;
  if constexpr (std::same_as<T, double>) return Type::f64;
  if constexpr (std::same_as<T, std::int32_t>) return Type::i32;
  if constexpr (std::same_as<T, std::int64_t>) return Type::i64;
  if constexpr (std::same_as<T, std::uint8_t>) return Type::u8;
  if constexpr (std::same_as<T, bool>) return Type::boolean;
}

using Extents = std::vector<Index>;

/// (2, 3, 4), as a sentence shows it.
inline std::string to_string(std::span<const Index> extents) {
  std::string out = "(";
  for (std::size_t d = 0; d < extents.size(); ++d) out += (d ? ", " : "") + std::to_string(extents[d]);
  return out + (extents.size() == 1 ? ",)" : ")");
}

/// What an array is, without its data: known before anything is allocated.
struct Layout {
  Type type = Type::f64;
  Extents shape{};

  static constexpr std::size_t most_axes = 64;  // as NumPy

  /// Whether sizes are not negative and every product of them, in bytes, fits 63 bits.
  bool representable() const {
    std::uint64_t bytes = size_of(type);
    for (Index n : shape) {
      if (n < 0) return false;
      const auto product = checked_product(bytes, std::uint64_t(std::max<Index>(n, 1)));
      if (!product || *product > std::uint64_t(std::numeric_limits<std::int64_t>::max())) return false;
      bytes = *product;
    }
    return shape.size() <= most_axes;
  }
  /// The numbers below hold for representable layouts.
  std::uint64_t elements() const {
    std::uint64_t product = 1;
    for (Index n : shape) product *= std::uint64_t(n);
    return product;
  }
  std::uint64_t bytes() const { return elements() * size_of(type); }

  /// Rows go along the first axis; an array without axes is one row.
  Index rows() const { return shape.empty() ? 1 : shape.front(); }
  std::uint64_t row_elements() const {
    std::uint64_t product = 1;
    for (std::size_t d = 1; d < shape.size(); ++d) product *= std::uint64_t(shape[d]);
    return product;
  }
  std::uint64_t row_bytes() const { return row_elements() * size_of(type); }
  /// The layout of some rows of this one.
  Layout with_rows(Index rows) const {
    Layout some = *this;
    if (!some.shape.empty()) some.shape.front() = rows;
    return some;
  }

  std::string str() const { return std::string(name_of(type)) + " " + to_string(shape); }
  bool operator==(const Layout&) const = default;
};

class Array {
 public:
  Array() : Array(Layout{Type::f64, {0}}) {}
  explicit Array(Layout layout) : layout_(std::move(layout)) {
    require(layout_.representable(), "io::Array", "shape",
            Text("at most ", Layout::most_axes, " sizes >= 0 whose bytes fit 63 bits"), Text(layout_.str()));
    try {
      bytes_ = Buffer<std::byte>(static_cast<std::size_t>(layout_.bytes()));
    } catch (const std::bad_alloc&) {
      throw Error(
          Text("mno::io::Array: no memory for ", layout_.bytes(), " bytes of ", layout_.str(), ".").str());
    }
  }
  Array(Type type, Extents shape) : Array(Layout{type, std::move(shape)}) {}

  template <Element T> static Array of(Extents shape, std::span<const T> values) {
    Array array(type_of<T>(), std::move(shape));
    require(values.size() == array.size(), "io::Array::of", "values",
            Text(array.size(), " for shape ", to_string(array.shape())), Text(values.size()));
    std::copy(values.begin(), values.end(), array.values<T>().begin());
    return array;
  }
  template <Element T>
  static Array of(Extents shape, const std::vector<T>& values) requires(!std::same_as<T, bool>) {
    return of(std::move(shape), std::span<const T>(values));
  }

  const Layout& layout() const { return layout_; }
  Type type() const { return layout_.type; }
  const Extents& shape() const { return layout_.shape; }
  std::size_t size() const { return std::size_t(layout_.elements()); }

  /// The elements as what they are; any other type is refused. They are the array's own, so a temporary array
  /// has none to give: numbers_of(file.read("u0")) copies them.
  template <Element T> std::span<T> values() & {
    check_type<T>();
    return {reinterpret_cast<T*>(bytes_.data()), size()};
  }
  template <Element T> std::span<const T> values() const& {
    check_type<T>();
    return {reinterpret_cast<const T*>(bytes_.data()), size()};
  }
  template <Element T> void values() && = delete;
  std::span<std::byte> bytes() { return bytes_.span(); }
  std::span<const std::byte> bytes() const { return bytes_.span(); }

  /// The same array, or its float <-> double conversion. A finite number that float cannot hold is refused.
  template <std::floating_point T> Array as() const {
    if (type() == type_of<T>()) return *this;
    Array out(type_of<T>(), shape());
    if (type() == Type::f32)
      std::ranges::transform(values<float>(), out.values<T>().begin(), [](float x) { return T(x); });
    else
      std::ranges::transform(values<double>(), out.values<T>().begin(), narrow<T>);
    return out;
  }

  bool operator==(const Array& other) const {
    return layout_ == other.layout_ &&
           std::equal(bytes().begin(), bytes().end(), other.bytes().begin(), other.bytes().end());
  }

 private:
  template <Element T> void check_type() const {
    require(type() == type_of<T>(), "io::Array::values", "T", Text("elements of type ", name_of(type())),
            Text(name_of(type_of<T>())));
  }
  template <class T> static T narrow(double x) {
    require(!std::isfinite(x) || std::abs(x) <= double(std::numeric_limits<T>::max()), "io::Array::as", "T",
            Text("a type that holds ", x), Text(name_of(type_of<T>())));
    return T(x);
  }

  Layout layout_;
  Buffer<std::byte> bytes_;
};

/// The elements as doubles.
inline std::vector<double> numbers_of(const Array& array) {
  std::vector<double> out;
  out.reserve(array.size());
  const auto take = [&]<class T>(std::span<const T> all) {
    for (const T value : all) out.push_back(double(value));
  };
  switch (array.type()) {
    case Type::f32:
      take(array.values<float>());
      break;
    case Type::f64:
      take(array.values<double>());
      break;
    case Type::i32:
      take(array.values<std::int32_t>());
      break;
    case Type::i64:
      take(array.values<std::int64_t>());
      break;
    case Type::u8:
      take(array.values<std::uint8_t>());
      break;
    case Type::boolean:
      take(array.values<bool>());
  }
  return out;
}

/// A bool in memory is 0 or 1; any other byte is undefined behaviour in C++, so it stops here.
inline void check_elements(Type type, std::span<const std::byte> bytes, const std::string& name) {
  if (type != Type::boolean) return;
  for (const std::byte b : bytes)
    if (b > std::byte{1}) refuse(name, "expected 0 or 1 for every bool, found ", std::to_integer<int>(b));
}

}  // namespace mno::io

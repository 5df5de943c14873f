#pragma once
// What stands at the start of a .npy array: a magic string, a version, and a Python dictionary as text.
//   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "mno/io/stored_type.hpp"

namespace mno::io {

/// What a .npy array is, and how its elements lie in the file.
struct NpyHeader {
  Layout layout{};  // as it is read
  Stored stored = Stored::f64;
  bool big_endian = false;
  bool columns = false;  // Fortran order: the first axis runs fastest

  std::uint64_t bytes() const { return layout.elements() * size_of(stored); }  // in the file
};

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::array<std::string_view, 6> npy_types{"<f4", "<f8", "<i4",
                                                           "<i8", "|u1", "|b1"};  // as Type
inline constexpr std::array<std::string_view, 12> npy_stored{"f2", "f4", "f8", "i1", "i2", "i4", "i8",
                                                             "u1", "u2", "u4", "u8", "b1"};  // as Stored

/// The dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, each key once, in any order.
template <class = void> class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool typed = false;
    std::optional<bool> fortran;
    std::optional<Extents> shape;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !typed)
        typed = descr(header);
      else if (key == "fortran_order" && !fortran)
        fortran = boolean();
      else if (key == "shape" && !shape)
        shape = tuple();
      else
        refuse(name_, "expected the keys descr, fortran_order and shape, each once, found ", shown(key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("nothing after the dictionary");
    if (!typed || !fortran || !shape)
      refuse(name_, "expected the keys descr, fortran_order and shape in its header");
    header.columns = *fortran;
    header.layout = {read_as(header.stored), std::move(*shape)};
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    refuse(name_, "expected ", expected, " in its header, found ",
           rest_.empty() ? std::string("its end") : shown(rest_.substr(0, 20)));
  }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }
  void expect(char token) {
    if (!accept(token)) fail(shown({&token, 1}));
  }

  std::string_view string() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail("a string");
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) fail("a string that ends");
    const std::string_view content = rest_.substr(1, end - 1);
    if (content.find('\\') != content.npos) fail("a string without escapes");
    rest_.remove_prefix(end + 1);
    return content;
  }

  /// '<f4': byte order, kind and bytes. One byte has no order, and NumPy writes '|' for it.
  bool descr(NpyHeader& header) {
    constexpr std::string_view accepted =
        "; accepted are numbers f2, f4, f8, i1 to i8, u1 to u8 and bools b1, in either byte order";
    skip_space();
    if (rest_.starts_with('[')) refuse(name_, "found a structured type", accepted);
    const std::string_view found = string();
    if (found.starts_with("|O")) refuse(name_, "found Python objects ", shown(found), accepted);
    const auto kind = std::ranges::find(npy_stored, found.substr(std::min<std::size_t>(1, found.size())));
    if (kind != npy_stored.end()) {
      header.stored = Stored(kind - npy_stored.begin());
      header.big_endian = found[0] == '>';
      if (size_of(header.stored) == 1 ? found[0] == '|' : found[0] == '<' || found[0] == '>') return true;
    }
    refuse(name_, "found elements of type ", shown(found), accepted);
  }
  bool boolean() {
    if (accept("True")) return true;
    if (!accept("False")) fail("True or False");
    return false;
  }
  Extents tuple() {
    Extents extents;
    expect('(');
    bool closed = accept(')');
    while (!closed) {
      skip_space();
      Index n = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc() || n < 0) fail("a size from 0 to 2^63 - 1");
      if (extents.size() == Layout::most_axes) refuse(name_, "expected at most ", Layout::most_axes, " axes");
      rest_.remove_prefix(std::size_t(end - rest_.data()));
      extents.push_back(n);
      const bool comma = accept(',');
      closed = accept(')');
      if (closed && !comma && extents.size() == 1) fail("a comma in a tuple of one");
      if (!closed && !comma) fail("',' or ')'");
    }
    return extents;
  }

  std::string_view rest_;
  const std::string& name_;
};

}  // namespace detail

/// What stands before the elements. Version 1 serves every layout; 2 and 3 differ in the width of a length.
template <class = void> Bytes npy_header(const Layout& layout, int version = 1) {
  require(version >= 1 && version <= 3, "io::npy_header", "version", Text("1, 2 or 3"), Text(version));
  require(layout.representable(), "io::npy_header", "layout", Text("a representable shape"),
          Text(layout.str()));
  std::string dictionary = "{'descr': '" + std::string(detail::npy_types[std::size_t(layout.type)]) +
                           "', 'fortran_order': False, 'shape': " + to_string(layout.shape) + ", }";
  const std::size_t before = detail::npy_magic.size() + 2 + (version == 1 ? 2u : 4u);
  dictionary.append(63 - (before + dictionary.size()) % 64, ' ');  // elements start at a multiple of 64
  dictionary += '\n';
  Bytes bytes;
  append(bytes, detail::npy_magic);
  append(bytes, std::uint8_t(version));
  append(bytes, std::uint8_t(0));
  if (version == 1)
    append(bytes, std::uint16_t(dictionary.size()));
  else
    append(bytes, std::uint32_t(dictionary.size()));
  append(bytes, dictionary);
  return bytes;
}

}  // namespace mno::io

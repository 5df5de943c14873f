#pragma once
// Bytes as files hold them: little-endian numbers, sizes with checks for overflow, and where bytes are read
// from. Every format is read from a Source, so that files, members of an archive and plain memory pass the
// same checks.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"

namespace mno::io {

using Bytes = std::vector<std::byte>;

/// a + b and a * b, or nothing where 64 bits do not hold them.
constexpr std::optional<std::uint64_t> checked_sum(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) return std::nullopt;
  return a + b;
}
constexpr std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}
/// Whether [offset, offset + size) lies within [0, whole).
constexpr bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

/// The unsigned number at `at`, little-endian on every machine. The caller has checked the range.
template <std::unsigned_integral T> constexpr T load(std::span<const std::byte> bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = T(value | T(T(std::to_integer<unsigned char>(bytes[at + i])) << (8 * i)));
  return value;
}
template <std::unsigned_integral T> void append(Bytes& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(std::byte((value >> (8 * i)) & 0xff));
}
inline void append(Bytes& bytes, std::string_view characters) {
  for (char c : characters) bytes.push_back(std::byte(c));
}

inline std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <class T> std::span<const std::byte> bytes_of(std::span<T> values) { return std::as_bytes(values); }
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Text from a file, safe to show in a sentence: short, and without control characters of a terminal.
inline std::string plain(std::string_view found, std::size_t longest) {
  std::string out;
  for (char c : found.substr(0, longest)) out += c == '\n' ? ' ' : (c < ' ' || c > '~') ? '?' : c;
  return out + (found.size() > longest ? "…" : "");
}
/// 'what a file says about itself'
inline std::string shown(std::string_view found) { return "'" + plain(found, 80) + "'"; }

/// refuse(source.name(), "expected …, found …"): the one sentence for a file that does not fit.
template <class... Parts> [[noreturn]] void refuse(const std::string& name, const Parts&... parts) {
  throw Error(Text("mno: ", name, ": ", Text(parts...).str(), ".").str());
}

/// Bytes at offsets: a file, a member of an archive, memory.
class Source {
 public:
  Source(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// For sentences: "file 'x.npz'", "file 'x.npz', member 'mean.npy'".
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }

  /// Fills all of `out` or throws.
  void read(std::uint64_t offset, std::span<std::byte> out) {
    if (!within(offset, out.size(), size_))
      refuse(name_, "expected ", out.size(), " bytes at offset ", offset, ", found only ", size_, " in all");
    if (!out.empty()) fetch(offset, out);
  }
  Bytes read(std::uint64_t offset, std::uint64_t size) {
    if (!within(offset, size, size_))
      refuse(name_, "expected ", size, " bytes at offset ", offset, ", found only ", size_, " in all");
    Bytes bytes(static_cast<std::size_t>(size));
    read(offset, std::span(bytes));
    return bytes;
  }

 private:
  virtual void fetch(std::uint64_t offset, std::span<std::byte> out) = 0;

  std::string name_;
  std::uint64_t size_;
};

/// Bytes that are in memory already, and stay there.
class Memory : public Source {
 public:
  explicit Memory(std::span<const std::byte> bytes, std::string name = "memory")
      : Source(std::move(name), bytes.size()), bytes_(bytes) {}

 private:
  void fetch(std::uint64_t offset, std::span<std::byte> out) override {
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  std::span<const std::byte> bytes_;
};

}  // namespace mno::io

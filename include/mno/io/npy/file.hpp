#pragma once
// Arrays in NumPy's .npy format, read whole or by rows, from a file or from a member of an archive.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "mno/io/file.hpp"
#include "mno/io/npy/header.hpp"
#include "mno/io/safe_file.hpp"

namespace mno::io {

/// An array in a file or in a member of an archive. Its layout is known at once, its rows come on request.
template <class = void> class BasicNpyReader {
 public:
  static constexpr std::uint32_t longest_header = 1 << 16;

  explicit BasicNpyReader(std::shared_ptr<Source> source) : source_(std::move(source)) {
    const std::string& name = source_->name();
    std::array<std::byte, 12> start{};
    const std::size_t known = std::size_t(std::min<std::uint64_t>(start.size(), source_->size()));
    source_->read(0, std::span(start).first(known));
    if (known < 10 || !characters(start).starts_with(detail::npy_magic))
      refuse(name, "expected a .npy array, found other bytes at its start");
    const auto version = load<std::uint8_t>(start, 6), minor = load<std::uint8_t>(start, 7);
    if (version < 1 || version > 3 || minor != 0)
      refuse(name, "found .npy version ", int(version), ".", int(minor), "; accepted are 1.0, 2.0 and 3.0");
    const std::uint64_t length = version == 1 ? load<std::uint16_t>(start, 8) : load<std::uint32_t>(start, 8);
    const std::uint64_t at = version == 1 ? 10 : 12;
    if (length > longest_header || !within(at, length, source_->size()))
      refuse(name, "found a header that claims ", length, " bytes in a file of ", source_->size(),
             "; accepted are up to ", longest_header);
    const Bytes header = source_->read(at, length);
    layout_ = detail::NpyDictionary<>(characters(header), name).parse();
    data_ = at + length;
    if (!layout_.representable()) refuse(name, "found a shape that no memory can hold: ", layout_.str());
    if (source_->size() - data_ != layout_.bytes())
      refuse(name, "expected ", layout_.bytes(), " bytes of elements for ", layout_.str(), ", found ",
             source_->size() - data_);
  }
  explicit BasicNpyReader(const std::filesystem::path& path) : BasicNpyReader(open_file(path)) {}

  const Layout& layout() const { return layout_; }

  /// `count` rows from row `first` on, along the first axis, into memory of theirs.
  template <Element T> void read_rows(Index first, Index count, std::span<T> out) {
    require(layout_.type == type_of<T>(), "io::NpyReader::read_rows", "T", Text(name_of(layout_.type)),
            Text(name_of(type_of<T>())));
    check_rows(first, count);
    require(out.size() == std::uint64_t(count) * layout_.row_elements(), "io::NpyReader::read_rows", "out",
            Text(std::uint64_t(count) * layout_.row_elements(), " elements"), Text(out.size()));
    if constexpr (std::same_as<T, bool>) {
      const Array rows = read_rows(first, count);  // looked at before they become bools
      std::ranges::copy(rows.values<bool>(), out.begin());
    } else {
      source_->read(offset(first), std::as_writable_bytes(out));
    }
  }
  Array read_rows(Index first, Index count) {
    check_rows(first, count);
    Array rows(layout_.with_rows(count));
    source_->read(offset(first), rows.bytes());
    check_elements(layout_.type, rows.bytes(), source_->name());
    return rows;
  }
  /// All of it.
  Array read() { return read_rows(0, layout_.rows()); }

 private:
  void check_rows(Index first, Index count) const {
    require(first >= 0 && count >= 0 && first <= layout_.rows() && count <= layout_.rows() - first,
            "io::NpyReader::read_rows", "rows", Text("a range within ", layout_.rows(), " rows"),
            Text(count, " from ", first));
  }
  std::uint64_t offset(Index row) const { return data_ + std::uint64_t(row) * layout_.row_bytes(); }

  std::shared_ptr<Source> source_;
  Layout layout_;
  std::uint64_t data_ = 0;
};
using NpyReader = BasicNpyReader<>;

template <class = void> Array read_npy(const std::filesystem::path& path) { return NpyReader(path).read(); }

template <class = void>
void write_npy(const std::filesystem::path& path, const Array& array, Keep keep = Keep::previous,
               int version = 1) {
  SafeFile file(path, keep);
  file.write(npy_header(array.layout(), version));
  file.write(array.bytes());
  file.commit();
}

}  // namespace mno::io

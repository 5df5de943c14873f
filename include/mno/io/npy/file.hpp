#pragma once
// Arrays in NumPy's .npy format, read whole or by blocks, from a file or from a member of an archive.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "mno/io/array_file.hpp"
#include "mno/io/file.hpp"
#include "mno/io/npy/block.hpp"
#include "mno/io/npy/header.hpp"
#include "mno/io/safe_file.hpp"

namespace mno::io {

/// An array in a file or in a member of an archive. Its layout is known at once, its elements come on
/// request.
template <class = void> class BasicNpyReader final : public StoredArray {
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
    header_ = detail::NpyDictionary<>(characters(header), name).parse();
    data_ = at + length;
    if (!layout().representable()) refuse(name, "found a shape that no memory can hold: ", layout().str());
    if (source_->size() - data_ != header_.bytes())
      refuse(name, "expected ", header_.bytes(), " bytes of elements for ", layout().str(), ", found ",
             source_->size() - data_);
  }
  explicit BasicNpyReader(const std::filesystem::path& path) : BasicNpyReader(open_file(path)) {}

  const Layout& layout() const override { return header_.layout; }

  Array read(const Extents& start, const Extents& count) override {
    require_block(layout(), start, count);
    Array block = detail::read_npy_block(*source_, data_, header_, start, count);
    check_elements(layout().type, block.bytes(), source_->name());
    return block;
  }
  using StoredArray::read;

 private:
  std::shared_ptr<Source> source_;
  NpyHeader header_;
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

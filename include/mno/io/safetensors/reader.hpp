#pragma once
// Named arrays with text about them, in the safetensors format: the length of a JSON header (8 bytes,
// little-endian), the header, the data. Nothing in it can be executed.
//   https://github.com/huggingface/safetensors#format
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mno/io/array.hpp"
#include "mno/io/file.hpp"
#include "mno/io/json/parser.hpp"
#include "mno/io/safetensors/checksum.hpp"

namespace mno::io {

namespace detail {
inline constexpr std::array<std::string_view, 6> safetensors_types{"F32", "F64", "I32",
                                                                   "I64", "U8",  "BOOL"};  // as Type
}

template <class Json = io::Json> class BasicSafetensorsReader {
 public:
  static constexpr std::uint64_t longest_header = 100'000'000;

  explicit BasicSafetensorsReader(std::shared_ptr<Source> source) : source_(std::move(source)) {
    std::array<std::byte, 8> start{};
    if (source_->size() < start.size())
      refuse(name(), "expected safetensors, found a file of ", source_->size(), " bytes");
    source_->read(0, start);
    const auto length = load<std::uint64_t>(start, 0);
    if (length > longest_header || !within(start.size(), length, source_->size()))
      refuse(name(), "found a header that claims ", length, " bytes in a file of ", source_->size(),
             "; accepted are up to ", longest_header);
    data_ = start.size() + length;
    const Bytes header = source_->read(start.size(), length);
    if (header.empty() || header[0] != std::byte('{'))
      refuse(name(), "expected a header that starts with '{'");
    const Json json = parse_json<Json>(characters(header), name());
    const std::size_t digits = detail::checksum_digits(characters(header));
    if (digits != std::string_view::npos) checksum_ = start.size() + digits;
    for (const JsonMember& member : *json.template get<JsonObject>()) {
      if (member.key == "__metadata__")
        read_metadata(member.value());
      else
        tensors_.push_back(entry(member.key, member.value()));
    }
    check_ranges();
  }
  explicit BasicSafetensorsReader(const std::filesystem::path& path)
      : BasicSafetensorsReader(open_file(path)) {}

  const std::string& name() const { return source_->name(); }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The names of the arrays, in the order of their data.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : tensors_) names.push_back(entry.name);
    return names;
  }
  /// Refuses a file that is not, byte for byte, what was written: it must have a checksum, and the right one.
  void verify() const {
    const auto found = metadata_.find(checksum_key);
    if (found == metadata_.end() || checksum_ == 0)
      refuse(name(), "expected metadata '", checksum_key, "': '", detail::checksum_kind,
             "' and 16 digits, found ", found == metadata_.end() ? "none" : shown(found->second));
    Crc64 sum;
    const std::uint64_t behind = checksum_ + detail::checksum_zeros.size();
    add_range(sum, 0, checksum_);
    sum.add(bytes_of(detail::checksum_zeros));
    add_range(sum, behind, source_->size());
    const std::string is = detail::checksum_text(sum.str());
    if (is != found->second)
      refuse(name(), "is damaged, or was changed without its checksum: expected ", shown(found->second),
             ", as it says itself, found ", shown(is));
  }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const Layout& layout(std::string_view name) const { return at(name).layout; }

  Array read(std::string_view name) const {
    const Entry& entry = at(name);
    Array array(entry.layout);
    source_->read(data_ + entry.begin, array.bytes());
    check_elements(entry.layout.type, array.bytes(), this->name() + ", tensor " + shown(name));
    return array;
  }
  /// Straight into memory of the right type and size.
  template <Element T> void read(std::string_view name, std::span<T> out) const {
    const Entry& entry = at(name);
    if (entry.layout.type != type_of<T>() || entry.layout.elements() != out.size())
      refuse(this->name(), "expected tensor ", shown(name), " of ", out.size(), " elements of type ",
             name_of(type_of<T>()), ", found ", entry.layout.str());
    if constexpr (std::same_as<T, bool>) {
      const Array array = read(name);
      std::ranges::copy(array.template values<bool>(), out.begin());
    } else {
      source_->read(data_ + entry.begin, std::as_writable_bytes(out));
    }
  }

 private:
  struct Entry {
    std::string name;
    Layout layout;
    std::uint64_t begin, end;
  };

  void read_metadata(const Json& value) {
    const auto* object = value.template get<JsonObject>();
    if (!object) refuse(name(), "expected __metadata__ to be an object");
    for (const JsonMember& member : *object) {
      const auto* string = member.value().template get<std::string>();
      if (!string) refuse(name(), "expected __metadata__ ", shown(member.key), " to be a string");
      metadata_[member.key] = *string;
    }
  }

  Entry entry(const std::string& key, const Json& value) const {
    const auto whose = [&] { return name() + ", tensor " + shown(key); };
    const auto* object = value.template get<JsonObject>();
    const Json *dtype = io::find(value, "dtype"), *shape = io::find(value, "shape"),
               *offsets = io::find(value, "data_offsets");
    if (!object || object->size() != 3 || !dtype || !shape || !offsets)
      refuse(whose(), "expected dtype, shape and data_offsets, and nothing else");

    const auto* type_name = dtype->template get<std::string>();
    if (!type_name) refuse(whose(), "expected dtype to be a string");
    const auto type = std::ranges::find(detail::safetensors_types, *type_name);
    if (type == detail::safetensors_types.end())
      refuse(whose(), "found elements of type ", shown(*type_name),
             "; accepted are F32, F64, I32, I64, U8 and BOOL");

    Layout layout{Type(type - detail::safetensors_types.begin()), integers(*shape, whose(), "shape")};
    if (!layout.representable()) refuse(whose(), "found a shape that no memory can hold: ", layout.str());
    const Extents range = integers(*offsets, whose(), "data_offsets");
    if (range.size() != 2 || range[0] > range[1])
      refuse(whose(), "expected data_offsets [begin, end], found ", to_string(range));
    const std::uint64_t begin = std::uint64_t(range[0]), end = std::uint64_t(range[1]);
    if (end - begin != layout.bytes())
      refuse(whose(), "expected ", layout.bytes(), " bytes for ", layout.str(), ", found data_offsets ",
             to_string(range));
    return {key, std::move(layout), begin, end};
  }

  static Extents integers(const Json& value, const std::string& whose, const char* what) {
    const auto* list = value.template get<JsonList>();
    if (!list) refuse(whose, "expected ", what, " to be a list");
    if (list->size() > Layout::most_axes)
      refuse(whose, "expected at most ", Layout::most_axes, " axes, found ", list->size());
    Extents out;
    for (const Json& item : *list) {
      const auto* n = item.template get<std::int64_t>();
      if (!n || *n < 0) refuse(whose, "expected ", what, " to hold integers from 0 to 2^63 - 1");
      out.push_back(Index(*n));
    }
    return out;
  }

  /// The tensors fill the data without holes and without sharing.
  void check_ranges() {
    std::ranges::sort(tensors_, [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t next = 0;
    for (const Entry& entry : tensors_) {
      if (entry.begin != next)
        refuse(name(), "expected the data of tensor ", shown(entry.name), " at offset ", next, ", found ",
               entry.begin,
               entry.begin < next ? ": it overlaps with another" : ": there is a hole before it");
      next = entry.end;
    }
    if (next != source_->size() - data_)
      refuse(name(), "expected ", next, " bytes of data, found ", source_->size() - data_);
  }

  void add_range(Crc64& sum, std::uint64_t from, std::uint64_t to) const {
    Bytes some(std::size_t(std::min<std::uint64_t>(to - from, 1 << 20)));
    while (from < to) {
      const auto part = std::span(some).first(std::size_t(std::min<std::uint64_t>(to - from, some.size())));
      source_->read(from, part);
      sum.add(part);
      from += part.size();
    }
  }

  const Entry* find(std::string_view name) const {
    const auto found = std::ranges::find(tensors_, name, &Entry::name);
    return found == tensors_.end() ? nullptr : &*found;
  }
  const Entry& at(std::string_view name) const {
    const Entry* entry = find(name);
    if (!entry)
      refuse(this->name(), "expected a tensor ", shown(name), ", found none of that name among ",
             tensors_.size());
    return *entry;
  }

  std::shared_ptr<Source> source_;
  std::uint64_t data_ = 0;
  std::uint64_t checksum_ = 0;  // where its digits begin; 0: there is none
  std::map<std::string, std::string> metadata_;
  std::vector<Entry> tensors_;
};
using SafetensorsReader = BasicSafetensorsReader<>;

}  // namespace mno::io

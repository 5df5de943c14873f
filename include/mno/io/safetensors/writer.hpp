#pragma once
// Writing safetensors. The arrays are not copied, so a model's flat buffer is written as it lies.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mno/io/json/writer.hpp"
#include "mno/io/safe_file.hpp"
#include "mno/io/safetensors/reader.hpp"

namespace mno::io {

/// A named array whose data lives elsewhere.
struct NamedArray {
  std::string name;
  Layout layout;
  std::span<const std::byte> bytes;

  template <Element T>
  NamedArray(std::string name, Extents shape, std::span<const T> values)
      : name(std::move(name)), layout{type_of<T>(), std::move(shape)}, bytes(std::as_bytes(values)) {}
  NamedArray(std::string name, const Array& array)
      : name(std::move(name)), layout(array.layout()), bytes(array.bytes()) {}
  NamedArray(std::string, Array&&) = delete;  // it would be gone before it is written
};

/// If the metadata has a `checksum`, whatever its value, the right one is written.
template <class = void>
void write_safetensors(const std::filesystem::path& path, std::vector<NamedArray> tensors,
                       const std::map<std::string, std::string>& metadata = {}, Keep keep = Keep::previous) {
  constexpr const char* function = "io::write_safetensors";
  // Wide elements first, so that all are aligned; then by name, as Python's package does.
  std::ranges::sort(tensors, [](const NamedArray& a, const NamedArray& b) {
    const std::size_t wide_a = size_of(a.layout.type), wide_b = size_of(b.layout.type);
    return wide_a != wide_b ? wide_a > wide_b : a.name < b.name;
  });

  // Written as text: a tree of values would be built only to be walked once.
  std::string json = "{";
  const auto key = [&](std::string_view name) {
    if (json.back() != '{') json += ',';
    append_json(json, name);
    json += ':';
  };
  if (!metadata.empty()) {
    key("__metadata__");
    json += '{';
    for (const auto& [name, value] : metadata) {
      key(name);
      const bool sum = name == checksum_key;
      append_json(json, sum ? detail::checksum_text(detail::checksum_zeros) : std::string_view(value));
    }
    json += '}';
  }
  std::vector<std::string_view> names;
  std::uint64_t offset = 0;
  for (const NamedArray& tensor : tensors) {
    require(tensor.layout.representable() && tensor.layout.bytes() == tensor.bytes.size(), function,
            tensor.name.c_str(), Text("data for ", tensor.layout.str()), Text(tensor.bytes.size(), " bytes"));
    require(tensor.name != "__metadata__", function, "name", Text("another name, as this is reserved"),
            Text(tensor.name));
    names.push_back(tensor.name);
    key(tensor.name);
    json += R"({"dtype":")";
    json += detail::safetensors_types[std::size_t(tensor.layout.type)];
    json += R"(","shape":[)";
    for (std::size_t d = 0; d < tensor.layout.shape.size(); ++d)
      json += (d ? "," : "") + std::to_string(tensor.layout.shape[d]);
    json += R"(],"data_offsets":[)" + std::to_string(offset);
    offset += tensor.bytes.size();
    json += "," + std::to_string(offset) + "]}";
  }
  json += '}';
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  require(twice == names.end(), function, "name", Text("every name once"),
          Text(twice == names.end() ? "" : *twice));

  json.append((8 - json.size() % 8) % 8, ' ');  // data starts at a multiple of 8
  require(json.size() <= SafetensorsReader::longest_header, function, "tensors",
          Text("a header of at most ", SafetensorsReader::longest_header, " bytes"), Text(json.size()));
  Bytes length;
  append(length, std::uint64_t(json.size()));

  const std::size_t digits = detail::checksum_digits(json);
  SafeFile file(path, keep);
  Crc64 sum;
  const auto write = [&](std::span<const std::byte> bytes) {
    if (digits != json.npos) sum.add(bytes);
    file.write(bytes);
  };
  write(length);
  write(bytes_of(json));
  for (const NamedArray& tensor : tensors) write(tensor.bytes);
  if (digits != json.npos) file.patch(length.size() + digits, bytes_of(sum.str()));
  file.commit();
}

}  // namespace mno::io

#pragma once
// Writing safetensors. The arrays are only looked at, so that a model's flat buffer is written as it lies.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mno/io/json_writer.hpp"
#include "mno/io/safe_file.hpp"
#include "mno/io/safetensors.hpp"

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

inline void write_safetensors(const std::filesystem::path& path, std::vector<NamedArray> tensors,
                              const std::map<std::string, std::string>& metadata = {},
                              Keep keep = Keep::previous) {
  constexpr const char* function = "io::write_safetensors";
  // Wide elements first, so that all are aligned; then by name, as Python's package does.
  std::ranges::sort(tensors, [](const NamedArray& a, const NamedArray& b) {
    const std::size_t wide_a = size_of(a.layout.type), wide_b = size_of(b.layout.type);
    return wide_a != wide_b ? wide_a > wide_b : a.name < b.name;
  });

  JsonObject header;
  if (!metadata.empty()) {
    JsonObject strings;
    for (const auto& [key, value] : metadata) strings.emplace_back(key, Json{value});
    header.emplace_back("__metadata__", Json{std::move(strings)});
  }
  std::vector<std::string_view> names;
  std::int64_t offset = 0;
  for (const NamedArray& tensor : tensors) {
    require(tensor.layout.representable() && tensor.layout.bytes() == tensor.bytes.size(), function,
            tensor.name.c_str(), text("data for ", tensor.layout.str()), text(tensor.bytes.size(), " bytes"));
    require(tensor.name != "__metadata__", function, "name", text("another name, as this is reserved"),
            text(tensor.name));
    names.push_back(tensor.name);
    JsonList shape;
    for (Index n : tensor.layout.shape) shape.push_back({std::int64_t(n)});
    const std::int64_t begin = offset;
    offset += std::int64_t(tensor.bytes.size());
    header.emplace_back(
        tensor.name,
        Json{JsonObject{{"dtype", {std::string(detail::safetensors_types[std::size_t(tensor.layout.type)])}},
                        {"shape", {std::move(shape)}},
                        {"data_offsets", {JsonList{{begin}, {offset}}}}}});
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  require(twice == names.end(), function, "name", text("every name once"),
          text(twice == names.end() ? "" : *twice));

  std::string json = write_json({std::move(header)});
  json.append((8 - json.size() % 8) % 8, ' ');  // data starts at a multiple of 8
  require(json.size() <= SafetensorsReader::longest_header, function, "tensors",
          text("a header of at most ", SafetensorsReader::longest_header, " bytes"), text(json.size()));
  Bytes length;
  append(length, std::uint64_t(json.size()));

  SafeFile file(path, keep);
  file.write(length);
  file.write(json);
  for (const NamedArray& tensor : tensors) file.write(tensor.bytes);
  file.commit();
}

}  // namespace mno::io

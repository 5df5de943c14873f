#pragma once
// The leaves of a model as tensors of a file, and which tensors a file has too many or too few.
#include <set>

#include "mno/core/parameter.hpp"
#include "mno/io/safetensors/writer.hpp"

namespace mno::io {

/// Named arrays of a flat buffer in the layout of the model's parameters: prefix + leaf.
template <class M, class T>
void append_leaves(std::vector<NamedArray>& arrays, const std::string& prefix, std::span<const T> values) {
  for (const NamedLeaf& leaf : M::leaves())
    arrays.emplace_back(prefix + leaf.name, Extents(leaf.shape.begin(), leaf.shape.end()),
                        values.subspan(leaf.offset, leaf.size()));
}
template <class M, class T>
void read_leaves(const SafetensorsReader& file, const std::string& prefix, std::span<T> values) {
  for (const NamedLeaf& leaf : M::leaves()) {
    const std::string name = prefix + leaf.name;
    const Extents shape(leaf.shape.begin(), leaf.shape.end());
    if (file.layout(name).shape != shape)
      refuse(file.name(), "expected tensor '", name, "' of shape ", to_string(shape), ", found ",
             to_string(file.layout(name).shape));
    file.read(name, values.subspan(leaf.offset, leaf.size()));
  }
}

/// Names that a file has and nobody expects, and names that are expected and not there.
struct TensorDifference {
  std::vector<std::string> extra, missing;

  template <class M>
  static TensorDifference of(const SafetensorsReader& file, const std::vector<std::string>& prefixes,
                             const std::vector<std::string>& beside = {}) {
    std::set<std::string> expected;
    for (const std::string& prefix : prefixes)
      for (const NamedLeaf& leaf : M::leaves()) expected.insert(prefix + leaf.name);
    TensorDifference difference;
    for (const std::string& name : file.names()) {
      const bool announced =
          std::ranges::any_of(beside, [&](const std::string& prefix) { return name.starts_with(prefix); });
      if (expected.erase(name) == 0 && name != "known_fields" && !announced) difference.extra.push_back(name);
    }
    difference.missing.assign(expected.begin(), expected.end());
    return difference;
  }

  bool none() const { return extra.empty() && missing.empty(); }
  /// "it lacks the tensor 'a', and has the unexpected tensors 'b', 'c', 'd' and 4 more"
  std::string str() const {
    std::string out;
    if (!missing.empty()) out = "it lacks the " + list(missing);
    if (!extra.empty())
      out += (out.empty() ? "it has the unexpected " : ", and has the unexpected ") + list(extra);
    return out;
  }

 private:
  static std::string list(const std::vector<std::string>& names) {
    const std::size_t most = 3;
    std::string out = names.size() == 1 ? "tensor " : "tensors ";
    for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i ? ", " : "") + shown(names[i]);
    if (names.size() > most) out += " and " + std::to_string(names.size() - most) + " more";
    return out;
  }
};

}  // namespace mno::io

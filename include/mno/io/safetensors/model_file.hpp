#pragma once
// A model as a safetensors file: its named leaves, and as metadata all that prediction needs beside them.
//
// Python's `safetensors` package reads it as it is. A spectral weight is real, (mode, re|im, input, output).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "mno/data/normaliser.hpp"
#include "mno/io/safetensors/writer.hpp"
#include "mno/model/model.hpp"

namespace mno::io {

/// What a model file says beside weights.
using Metadata = std::map<std::string, std::string>;

inline constexpr const char* model_format = "mno-model-1";

namespace detail {

/// Numbers that survive the way through text.
inline std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}
template <class Numbers> std::string numbers(const Numbers& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + number(value);
  return out;
}
inline std::vector<double> parse_numbers(const std::string& file, const std::string& key,
                                         const std::string& text) {
  std::vector<double> values;
  const char* place = text.c_str();
  while (*place) {
    char* end = nullptr;
    values.push_back(std::strtod(place, &end));
    if (end == place) refuse(file, "expected numbers in metadata '", key, "', found '", text, "'");
    for (place = end; *place == ' ';) ++place;
  }
  return values;
}

}  // namespace detail

/// The shape as text: "dimension=1 channels=1 rank=16 …".
template <Problem S> std::string shape_text() {
  std::string out;
  const auto add = [&](const char* name, int value) {
    out += (out.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(value);
  };
  add("dimension", S::dimension);
  add("channels", S::channels);
  add("rank", rank_of<S>());
  if constexpr (Shape<S>) {
    add("width", S::width);
    add("modes", S::modes);
    add("depth", S::depth);
    add("projection", projection_width<S>());
  }
  add("known", known_fields<S>());
  add("harmonics", coordinate_harmonics<S>());
  if constexpr (Shape<S>) add("shared_backbone", shared_backbone<S>());
  return out;
}

/// Of a metadata map: the value, or a sentence about what is missing.
inline const std::string& wanted(const std::string& file, const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse(file, "expected metadata '", key, "', found none");
  return found->second;
}
inline double wanted_number(const std::string& file, const Metadata& metadata, const std::string& key) {
  const auto values = detail::parse_numbers(file, key, wanted(file, metadata, key));
  if (values.size() != 1) refuse(file, "expected one number in metadata '", key, "', found ", values.size());
  return values[0];
}

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
    if (!file.contains(name)) refuse(file.name(), "expected a tensor '", name, "', found none");
    const Extents shape(leaf.shape.begin(), leaf.shape.end());
    if (file.layout(name).shape != shape)
      refuse(file.name(), "expected tensor '", name, "' of shape ", to_string(shape), ", found ",
             to_string(file.layout(name).shape));
    file.read(name, values.subspan(leaf.offset, leaf.size()));
  }
}

/// The metadata and arrays of a model, to be written alone or with more beside them.
template <class E, class S, class T>
void describe_model(const Model<E, S, T>& model, const Normaliser& normaliser,
                    std::vector<NamedArray>& arrays, Metadata& metadata) {
  append_leaves<Model<E, S, T>>(arrays, "", model.values());
  metadata["format"] = model_format;
  metadata["shape"] = shape_text<S>();
  metadata["domain"] = detail::numbers(model.domain().length);
  metadata["factor_scale"] = detail::number(double(model.factor_scale()));
  if (model.least_points() > 0) metadata["least_points"] = std::to_string(model.least_points());
  metadata["normaliser.shift"] = detail::numbers(normaliser.shift);
  metadata["normaliser.scale"] = detail::numbers(normaliser.scale);
  const auto& known = model.stored_known_fields();
  if (known.size() > 0) {
    Extents shape(known.grid().points.begin(), known.grid().points.end());
    shape.push_back(known.channels());
    arrays.emplace_back("known_fields", shape, known.span());
  }
}

template <class E, class S, class T>
void write_model(const std::filesystem::path& path, const Model<E, S, T>& model, const Normaliser& normaliser,
                 Metadata metadata = {}, Keep keep = Keep::previous) {
  std::vector<NamedArray> arrays;
  describe_model(model, normaliser, arrays, metadata);
  write_safetensors(path, std::move(arrays), metadata, keep);
}

template <class M> struct LoadedModel {
  M model;
  Normaliser normaliser;
  Metadata metadata;
};

/// A model of type M, or a sentence that says what was expected and what the file has.
template <class M> LoadedModel<M> read_model(const SafetensorsReader& file) {
  using S = typename M::ShapeType;
  using T = typename M::Scalar;
  constexpr int D = M::dimension;
  const Metadata& metadata = file.metadata();
  const std::string& format = wanted(file.name(), metadata, "format");
  if (format != model_format)
    refuse(file.name(), "expected format ", model_format, ", found ", shown(format));
  const std::string& shape = wanted(file.name(), metadata, "shape");
  if (shape != shape_text<S>())
    refuse(file.name(), "expected a model of shape ", shape_text<S>(), ", found ", shape);

  const auto lengths = detail::parse_numbers(file.name(), "domain", wanted(file.name(), metadata, "domain"));
  if (lengths.size() != std::size_t(D))
    refuse(file.name(), "expected ", D, " length(s) of the domain, found ", lengths.size());
  Domain<D> domain;
  std::copy(lengths.begin(), lengths.end(), domain.length.begin());
  LoadedModel<M> loaded{M(0, domain), {}, metadata};
  loaded.normaliser.shift = detail::parse_numbers(file.name(), "normaliser.shift",
                                                  wanted(file.name(), metadata, "normaliser.shift"));
  loaded.normaliser.scale = detail::parse_numbers(file.name(), "normaliser.scale",
                                                  wanted(file.name(), metadata, "normaliser.scale"));
  for (const auto* values : {&loaded.normaliser.shift, &loaded.normaliser.scale})
    if (values->size() != std::size_t(S::channels))
      refuse(file.name(), "expected a normaliser of ", int(S::channels), " channel(s), found ",
             values->size());
  for (const double scale : loaded.normaliser.scale)
    if (!(scale > 0)) refuse(file.name(), "expected a positive scale of the normaliser, found ", scale);
  loaded.model.set_factor_scale(T(wanted_number(file.name(), metadata, "factor_scale")));
  if (metadata.contains("least_points")) {
    const double points = wanted_number(file.name(), metadata, "least_points");
    if (!(points >= 0 && points <= double(M::most_least_points) && points == std::floor(points)))
      refuse(file.name(), "expected least_points from 0 to ", M::most_least_points, ", found ", points);
    loaded.model.set_least_points(Index(points));
  }
  read_leaves<M>(file, "", loaded.model.values());

  if (file.contains("known_fields")) {
    const Layout& layout = file.layout("known_fields");
    if (layout.shape.size() != std::size_t(D) + 1 || layout.shape.back() != known_fields<S>())
      refuse(file.name(), "expected known_fields (grid…, ", known_fields<S>(), "), found ", layout.str());
    Grid<D> grid{{}, domain};
    std::copy_n(layout.shape.begin(), D, grid.points.begin());
    Field<T, D> known(1, grid, known_fields<S>());
    file.read("known_fields", known.span());
    loaded.model.store_known_fields(std::move(known));
  }
  return loaded;
}
template <class M> LoadedModel<M> read_model(const std::filesystem::path& path) {
  return read_model<M>(SafetensorsReader(path));
}

}  // namespace mno::io

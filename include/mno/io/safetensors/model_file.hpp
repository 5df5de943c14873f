#pragma once
// A model as a safetensors file: its named leaves, and as metadata what it is and all that prediction needs
// beside them. Metadata says the format, the library, the expression, the shape, the law, the normaliser, and
// a checksum over the whole file (docs/files.md).
//
// Python's `safetensors` package reads it as it is. A spectral weight is real, (mode, re|im, input, output).
#include <sstream>

#include "mno/core/version.hpp"
#include "mno/data/normaliser.hpp"
#include "mno/expression/text.hpp"
#include "mno/io/safetensors/law_text.hpp"
#include "mno/io/safetensors/leaves.hpp"
#include "mno/model/model.hpp"

namespace mno::io {

inline constexpr const char* model_format = "mno-model-2";
/// The format before: without expression, law and checksum.
inline constexpr const char* model_format_1 = "mno-model-1";

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

/// The metadata and arrays of a model, to be written alone or with more beside them. A caller that adds
/// tensors lists their prefixes in the metadata `beside`, with spaces between.
template <class E, class S, class T>
void describe_model(const Model<E, S, T>& model, const Normaliser& normaliser,
                    std::vector<NamedArray>& arrays, Metadata& metadata, const LawText& law = {}) {
  append_leaves<Model<E, S, T>>(arrays, "", model.values());
  metadata["format"] = model_format;
  metadata["library"] = std::string("mno ") + library_version;
  metadata["expression"] = expression_text<E>();
  metadata["shape"] = shape_text<S>();
  metadata["domain"] = detail::numbers(model.domain().length);
  metadata.erase("bounded");
  if (model.domain().has_walls()) metadata["bounded"] = detail::numbers(model.domain().bounded);
  metadata["factor_scale"] = detail::number(double(model.factor_scale()));
  for (const char* key : {"input.shift", "input.scale", "input.known_shift", "input.known_scale"})
    metadata.erase(key);
  if (model.input_units() != typename Model<E, S, T>::InputUnits{}) {
    metadata["input.shift"] = detail::numbers(model.input_units().shift);
    metadata["input.scale"] = detail::numbers(model.input_units().scale);
    if (known_fields<S>() > 0) {
      metadata["input.known_shift"] = detail::numbers(model.input_units().known_shift);
      metadata["input.known_scale"] = detail::numbers(model.input_units().known_scale);
    }
  }
  metadata.erase("least_points");
  if (model.least_points() > 0) metadata["least_points"] = std::to_string(model.least_points());
  metadata["normaliser.shift"] = detail::numbers(normaliser.shift);
  metadata["normaliser.scale"] = detail::numbers(normaliser.scale);
  describe_law(law, metadata);
  metadata.erase("beside");
  metadata[checksum_key] = "";  // the writer knows it
  const auto& known = model.stored_known_fields();
  if (known.size() > 0) {
    Extents shape(known.grid().points.begin(), known.grid().points.end());
    shape.push_back(known.channels());
    arrays.emplace_back("known_fields", shape, known.span());
  }
}

template <class E, class S, class T>
void write_model(const std::filesystem::path& path, const Model<E, S, T>& model, const Normaliser& normaliser,
                 Metadata metadata = {}, Keep keep = Keep::previous, const LawText& law = {}) {
  std::vector<NamedArray> arrays;
  describe_model(model, normaliser, arrays, metadata, law);
  write_safetensors(path, std::move(arrays), metadata, keep);
}

/// What a file says of itself, once it is known to be a model file and whole.
inline const Metadata& model_metadata(const SafetensorsReader& file) {
  const Metadata& metadata = file.metadata();
  const std::string& format = wanted(file.name(), metadata, "format");
  if (format != model_format && format != model_format_1)
    refuse(file.name(), "expected format ", model_format, " or ", model_format_1, ", found ", shown(format));
  if (format == model_format || metadata.contains(checksum_key)) file.verify();
  return metadata;
}

namespace detail {

/// Prefixes of tensors that are not the model's own.
inline std::vector<std::string> prefixes_beside(const Metadata& metadata) {
  std::string text;
  if (metadata.contains("beside"))
    text = metadata.at("beside");
  else if (metadata.at("format") == model_format_1 && metadata.contains("training.step"))
    text = "adamw.first. adamw.second. average. best.";  // a checkpoint of that format, which had no `beside`
  std::istringstream words(text);
  std::vector<std::string> prefixes;
  for (std::string prefix; words >> prefix;) prefixes.push_back(prefix);
  return prefixes;
}

/// From where two texts part, with a little before it: "…drift:(pointwise{48->128…".
inline std::string parting(const std::string& text, const std::string& other) {
  const auto at = std::size_t(std::ranges::mismatch(text, other).in1 - text.begin());
  const std::size_t space = text.rfind(' ', at), from = space == text.npos || at - space > 40 ? 0 : space + 1;
  return (from > 0 ? "…" : "") + plain(std::string_view(text).substr(from), at - from + 60);
}

}  // namespace detail

/// Refuses a file of another shape, expression or set of tensors than M's, with what differs.
template <class M> void require_model(const SafetensorsReader& file, const Metadata& metadata) {
  const std::string expected = shape_text<typename M::ShapeType>(),
                    &shape = wanted(file.name(), metadata, "shape");
  if (shape != expected)
    refuse(file.name(), "expected a model of shape ", expected, ", found ", plain(shape, 1000));
  const auto tensors = TensorDifference::of<M>(file, {""}, detail::prefixes_beside(metadata));
  const std::string also = tensors.none() ? "" : "; " + tensors.str();
  if (metadata.at("format") != model_format_1) {
    const std::string expression = expression_text<typename M::Expression>(),
                      &found = wanted(file.name(), metadata, "expression");
    if (found != expression)
      refuse(file.name(), "expected a model with '", detail::parting(expression, found),
             "' in its expression, found '", detail::parting(found, expression), "'", also);
  }
  if (!tensors.none()) refuse(file.name(), "expected the tensors of this model and no others", also);
}

template <class M> struct LoadedModel {
  M model;
  Normaliser normaliser;
  Metadata metadata;
  LawText law{};
};

/// A model of type M, or a sentence that says what was expected and what the file has. `understood(name,
/// law)` refuses a law that the caller does not know. Without it, only the Gaussian law in the model's own
/// coordinates is accepted.
template <class M, class Understood>
LoadedModel<M> read_model(const SafetensorsReader& file, Understood&& understood) {
  using S = typename M::ShapeType;
  using T = typename M::Scalar;
  constexpr int D = M::dimension;
  const Metadata& metadata = model_metadata(file);
  require_model<M>(file, metadata);
  LawText law;
  if (metadata.at("format") != model_format_1) {
    wanted(file.name(), metadata, "library");
    law = read_law(file.name(), metadata);
  }
  understood(file.name(), std::as_const(law));

  const auto lengths = wanted_numbers(file.name(), metadata, "domain");
  if (lengths.size() != std::size_t(D))
    refuse(file.name(), "expected ", D, " length(s) of the domain, found ", lengths.size());
  Domain<D> domain;
  std::copy(lengths.begin(), lengths.end(), domain.length.begin());
  if (metadata.contains("bounded")) {
    const auto walls = wanted_numbers(file.name(), metadata, "bounded");
    if (walls.size() != std::size_t(D) ||
        !std::ranges::all_of(walls, [](double one) { return one == 0 || one == 1; }))
      refuse(file.name(), "expected bounded to be 1 (walls) or 0 (periodic) on each of ", D, " axes, found ",
             shown(metadata.at("bounded")));
    std::transform(walls.begin(), walls.end(), domain.bounded.begin(), [](double one) { return one == 1; });
  }
  LoadedModel<M> loaded{M(0, domain), {}, metadata, std::move(law)};
  loaded.normaliser.shift = wanted_numbers(file.name(), metadata, "normaliser.shift");
  loaded.normaliser.scale = wanted_numbers(file.name(), metadata, "normaliser.scale");
  for (const auto* values : {&loaded.normaliser.shift, &loaded.normaliser.scale})
    if (values->size() != std::size_t(S::channels))
      refuse(file.name(), "expected a normaliser of ", int(S::channels), " channel(s), found ",
             values->size());
  for (const double shift : loaded.normaliser.shift)
    if (!std::isfinite(shift))
      refuse(file.name(), "expected a finite shift of the normaliser, found ", shift);
  for (const double scale : loaded.normaliser.scale)
    if (!(scale > 0 && std::isfinite(scale)))
      refuse(file.name(), "expected a positive scale of the normaliser, found ", scale);
  loaded.model.set_factor_scale(T(wanted_number(file.name(), metadata, "factor_scale")));
  if (metadata.contains("input.shift") || metadata.contains("input.scale")) {
    typename M::InputUnits units;
    const auto take = [&](const char* key, auto& to) {
      const auto values = wanted_numbers(file.name(), metadata, key);
      if (values.size() != to.size())
        refuse(file.name(), "expected ", key, " to be ", to.size(), " number(s), found ", values.size());
      const bool is_scale = std::string_view(key).ends_with("scale");
      for (std::size_t c = 0; c < to.size(); ++c) {
        to[c] = T(values[c]);
        if (!std::isfinite(to[c]) || (is_scale && !(to[c] > 0)))
          refuse(file.name(), "expected ", key, " to be finite and a scale to be positive, found ",
                 values[c]);
      }
    };
    take("input.shift", units.shift);
    take("input.scale", units.scale);
    if (metadata.contains("input.known_shift") || metadata.contains("input.known_scale")) {
      take("input.known_shift", units.known_shift);
      take("input.known_scale", units.known_scale);
    }
    loaded.model.set_input_units(units);
  }
  if (metadata.contains("least_points"))
    loaded.model.set_least_points(
        wanted_count(file.name(), metadata, "least_points", 0, M::most_least_points));
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
template <class M> LoadedModel<M> read_model(const SafetensorsReader& file) {
  return read_model<M>(file, only(LawText{}));
}
template <class M> LoadedModel<M> read_model(const std::filesystem::path& path) {
  return read_model<M>(SafetensorsReader(path));
}

}  // namespace mno::io

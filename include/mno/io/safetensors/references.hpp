#pragma once
// The references that a model has to beat, beside it in its file: tensors reference.mean and
// reference.variance, (time, grid…, channel) in the model's own coordinates, and in the metadata
// reference.times, if there are several, and reference.residual_variance.
#include <optional>

#include "mno/io/safetensors/metadata.hpp"
#include "mno/io/safetensors/writer.hpp"
#include "mno/metric/references.hpp"

namespace mno::io {

/// Adds them to the description of a model; the tensors must live until the file is written.
template <class T, int D>
void append_references(const metric::References<T, D>& references, std::vector<NamedArray>& arrays,
                       Metadata& metadata) {
  Extents shape{references.mean.batch()};
  shape.insert(shape.end(), references.mean.grid().points.begin(), references.mean.grid().points.end());
  shape.push_back(references.mean.channels());
  arrays.emplace_back("reference.mean", shape, references.mean.span());
  arrays.emplace_back("reference.variance", shape, references.variance.span());
  metadata.erase("reference.times");
  if (!references.times.empty()) metadata["reference.times"] = detail::numbers(references.times);
  metadata["reference.residual_variance"] = detail::numbers(references.residual_variance);
  std::string& beside = metadata["beside"];
  beside += (beside.empty() ? "" : " ") + std::string("reference.");
}

/// Those of a file, if it has any; for fields of so many channels on this domain.
template <class T, int D>
std::optional<metric::References<T, D>> read_references(const SafetensorsReader& file, Index channels,
                                                        const Domain<D>& domain) {
  if (!file.contains("reference.mean")) return {};
  const Metadata& metadata = file.metadata();
  metric::References<T, D> result;
  result.residual_variance = wanted_numbers(file.name(), metadata, "reference.residual_variance");
  if (metadata.contains("reference.times"))
    for (const double time : wanted_numbers(file.name(), metadata, "reference.times"))
      result.times.push_back(T(time));
  const Index batch = result.times.empty() ? 1 : Index(result.times.size());
  const Layout& layout = file.layout("reference.mean");
  if (layout.shape.size() != std::size_t(D) + 2 || layout.shape.front() != batch ||
      layout.shape.back() != channels || file.layout("reference.variance").shape != layout.shape)
    refuse(file.name(), "expected reference.mean and reference.variance (", batch, ", grid…, ", channels,
           "), found ", layout.str(), " and ", file.layout("reference.variance").str());
  Grid<D> grid{{}, domain};
  std::copy_n(layout.shape.begin() + 1, D, grid.points.begin());
  result.mean = result.variance = Field<T, D>(batch, grid, channels);
  file.read("reference.mean", result.mean.span());
  file.read("reference.variance", result.variance.span());
  const auto good = [](auto values) {
    return std::ranges::all_of(values, [](auto v) { return std::isfinite(v) && v >= 0; });
  };
  if (!good(result.variance.span()) || !good(std::span<const double>(result.residual_variance)) ||
      Index(result.residual_variance.size()) != channels ||
      !all_finite<T, D>(std::as_const(result.mean).view()))
    refuse(file.name(), "expected references with finite means and ", channels,
           " residual variance(s), none of the variances below 0; found others");
  return result;
}

}  // namespace mno::io

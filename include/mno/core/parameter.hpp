#pragma once
// Named parameter leaves: what a layer learns, as slices of one flat buffer.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "mno/core/grid.hpp"

namespace mno {

/// One named array of a layer: its name and shape, row-major.
struct Parameter {
  const char* name = "";
  std::array<Index, 6> shape{};
  std::size_t dimensions = 0;

  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t d = 0; d < dimensions; ++d) n *= std::size_t(shape[d]);
    return n;
  }
};

/// parameter("weight", outputs, inputs)
template <class... Sizes> constexpr Parameter parameter(const char* name, Sizes... sizes) {
  return {name, {Index(sizes)...}, sizeof...(sizes)};
}

/// How many numbers a layer with these leaves learns.
template <std::size_t N> constexpr std::size_t total(const std::array<Parameter, N>& leaves) {
  std::size_t n = 0;
  for (const auto& leaf : leaves) n += leaf.size();
  return n;
}

/// A leaf of a whole model: the path that a checkpoint knows it by, and where it lies in the flat buffer.
struct NamedLeaf {
  std::string name;  // for instance "layer2.spectral.weight"
  std::size_t offset = 0;
  std::vector<Index> shape;

  std::size_t size() const {
    std::size_t n = 1;
    for (Index s : shape) n *= std::size_t(s);
    return n;
  }
};

}  // namespace mno

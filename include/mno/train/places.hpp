#pragma once
// Opening and closing what a model knows of the place x (model/heads.hpp, Place).
//
// Closed, a backbone of Fourier layers treats all places alike: moved initial fields have moved laws,
// exactly, and nothing has to be learned about it. Open, the law may differ from place to place.
#include <algorithm>

#include "mno/model/model.hpp"

namespace mno {

/// Has the model fields of x to learn?
template <class M> bool has_places() {
  return std::ranges::any_of(
      M::leaves(), [](const NamedLeaf& leaf) { return leaf.name.ends_with("place.pointwise.weight"); });
}

/// Of a model that has not been trained: it stays closed in training.
template <class M> void close_places(M& model) {
  for (const NamedLeaf& leaf : M::leaves())
    if (leaf.name.ends_with("place.pointwise.weight") || leaf.name.ends_with("place.fixed.series"))
      std::ranges::fill(model.leaf(leaf.name), typename M::Scalar(0));
}

}  // namespace mno

#pragma once
// Opening and closing a model's fields of the place x (model/heads.hpp, Place).
//
// While they are closed, a backbone of Fourier layers treats all places alike: a moved initial field has
// exactly the moved law, without learning it. When they are open, the law may differ from place to place.
#include <algorithm>

#include "mno/model/model.hpp"

namespace mno {

/// Has the model fields of x to learn?
template <class M> bool has_places() {
  return std::ranges::any_of(
      M::leaves(), [](const NamedLeaf& leaf) { return leaf.name.ends_with("place.pointwise.weight"); });
}

/// For a model that has not been trained: its places stay closed in training.
template <class M> void close_places(M& model) {
  for (const NamedLeaf& leaf : M::leaves())
    if (leaf.name.ends_with("place.pointwise.weight") || leaf.name.ends_with("place.fixed.series"))
      std::ranges::fill(model.leaf(leaf.name), typename M::Scalar(0));
}

}  // namespace mno

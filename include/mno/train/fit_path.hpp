#pragma once
// The first value of the path from u_0 (layer/initial_path.hpp), from the training data.
//
// The mean is linear in κ: m = m⁰ + κ_c d_c, where d_c = g(t) u_0,c. The best κ for the model as it is,
//   κ_c = Σ d_c (ū − m⁰)_c / Σ d_c²   over all entries and points,
// is where training begins. Begun at κ = 0 the layers learn to write −u_0, and κ never opens.
#include <string>

#include "mno/data/ensemble.hpp"
#include "mno/model/predict.hpp"

namespace mno {

template <class E, class S, class T>
void fit_path(Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Cpu& device = default_device()) {
  std::string name;
  for (const NamedLeaf& leaf : model.leaves())
    if (leaf.name.ends_with("path.scale")) name = leaf.name;
  require(!name.empty(), "fit_path", "model",
          text("one whose drift head has a path from u_0, as PathMno has"), text("none"));
  const std::span<T> scale = model.leaf(name);
  const auto mean_at = [&](T value) {
    std::fill(scale.begin(), scale.end(), value);
    return predict(model, data.condition(), device).mean;
  };
  const auto closed = mean_at(T(0)), open = mean_at(T(1));
  for (Index c = 0; c < data.channels(); ++c) {
    double both = 0, squares = 0;
    for (Index e = 0; e < data.size(); ++e)
      for (Index p = 0; p < data.mean.points(); ++p) {
        const double d = double(open(e, p, c)) - double(closed(e, p, c));
        both += d * (double(data.mean(e, p, c)) - double(closed(e, p, c)));
        squares += d * d;
      }
    scale[std::size_t(c)] = squares > 0 ? T(both / squares) : T(0);
  }
}

}  // namespace mno

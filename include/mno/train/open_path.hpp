#pragma once
// The first value of the path from u_0 (layer/initial_path.hpp), from the training data.
//
// m = u_0 + g(t)(A_net + κ u_0). With κ = −1/g(T), u_0 reaches the mean at time T only through the layers,
// which then learn u_T itself instead of u_T − u_0. That is better wherever little of u_0 is left: nonlinear
// layers reproduce −u_0 with an error in proportion to u_0. Where there are several times, κ minimises
// Σ |u_0 + κ g u_0|². Where the mean stays close to u_0, leave the path closed.
#include <string>

#include "mno/data/ensemble.hpp"
#include "mno/model/predict.hpp"

namespace mno {

template <class E, class S, class T>
void open_path(Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Cpu& device = default_device()) {
  std::string name;
  for (const NamedLeaf& leaf : model.leaves())
    if (leaf.name.ends_with("path.scale")) name = leaf.name;
  require(!name.empty(), "open_path", "model",
          Text("one whose drift head has a path from u_0, as PathMno has"), Text("none"));
  const std::span<T> scale = model.leaf(name);
  const auto mean_at = [&](T value) {
    std::fill(scale.begin(), scale.end(), value);
    auto prediction = predict(model, data.condition(), device);  // draws have the same noise in both
    if constexpr (Model<E, S, T>::stochastic)
      return std::move(prediction.mean);
    else
      return prediction;
  };
  const auto closed = mean_at(T(0)), open = mean_at(T(1));  // they differ by g u_0
  for (Index c = 0; c < data.channels(); ++c) {
    double both = 0, squares = 0;
    for (Index e = 0; e < data.size(); ++e)
      for (Index p = 0; p < data.mean.points(); ++p) {
        const double d = double(open(e, p, c)) - double(closed(e, p, c));
        both += d * double(data.initial(e, p, c));
        squares += d * d;
      }
    scale[std::size_t(c)] = squares > 0 ? T(-both / squares) : T(0);
  }
}

}  // namespace mno

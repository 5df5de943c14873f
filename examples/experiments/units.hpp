#pragma once
// From a model's own coordinates, which are normalised, to the units of the data.
#include "study.hpp"

namespace experiment {

template <int D> using LawInUnitsOn = mno::Law<float, D, mno::AnyResidual, mno::AnyWarp>;
using LawInUnits = LawInUnitsOn<1>;

template <int D>
LawInUnitsOn<D> in_units(const mno::Law<float, D, mno::AnyResidual>& law,
                         const program::Predictor<D>& model) {
  LawInUnitsOn<D> out = mno::with_warp(law, model.warp());
  model.normaliser().undo(out);
  return out;
}
/// Fields as columns, (entry, member).
template <int D>
mno::metric::Members in_units(mno::metric::Members values, const program::Predictor<D>& model) {
  const auto& [shift, scale] = model.normaliser();
  for (Index i = 0; i < values.rows(); ++i) {
    const auto channel = std::size_t(i) % scale.size();
    for (Index j = 0; j < values.cols(); ++j)
      values(i, j) = model.warp().map(values(i, j) * scale[channel] + shift[channel], Index(channel));
  }
  return values;
}

}  // namespace experiment

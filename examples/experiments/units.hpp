#pragma once
// From a model's own coordinates, which are normalised, to the units of the data.
#include "study.hpp"

namespace experiment {

using LawInUnits = mno::Law<float, 1, mno::AnyResidual, mno::AnyWarp>;

inline LawInUnits in_units(const mno::Law<float, 1, mno::AnyResidual>& law,
                           const program::Predictor<1>& model) {
  LawInUnits out = mno::with_warp(law, model.warp());
  model.normaliser().undo(out);
  return out;
}
/// Fields as columns, (entry, member).
inline mno::metric::Members in_units(mno::metric::Members values, const program::Predictor<1>& model) {
  const auto& [shift, scale] = model.normaliser();
  for (Index i = 0; i < values.rows(); ++i) {
    const auto channel = std::size_t(i) % scale.size();
    for (Index j = 0; j < values.cols(); ++j)
      values(i, j) = model.warp().map(values(i, j) * scale[channel] + shift[channel], Index(channel));
  }
  return values;
}

}  // namespace experiment

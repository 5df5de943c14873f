#pragma once
// Data as a model sees it: in the coordinates of its law, and normalised.
#include <string>

#include "mno/data/fingerprint.hpp"
#include "mno/data/law_coordinates.hpp"
#include "mno/data/normaliser.hpp"
#include "mno/law/any_warp.hpp"

namespace mno {

template <class T, int D> struct FitData {
  Ensemble<T, D> train, validation;  // an empty ensemble is none
  Normaliser normaliser;
  std::string fingerprint;  // of the data as it was given
};
/// What `fit` makes of data before it looks at the model.
template <class T, int D>
FitData<T, D> fit_data(Ensemble<T, D> train, Ensemble<T, D> validation, const AnyWarp& warp) {
  require(train.size() >= 1, "fit", "train", Text("at least one condition"), Text("none"));
  Fingerprint fingerprint;
  fingerprint.add(train);
  fingerprint.add(validation);
  train = in_law_coordinates(std::move(train), warp);
  validation = in_law_coordinates(std::move(validation), warp);
  Normaliser normaliser = Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(validation);
  return {std::move(train), std::move(validation), std::move(normaliser), fingerprint.str()};
}

}  // namespace mno

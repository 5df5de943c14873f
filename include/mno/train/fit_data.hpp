#pragma once
// Data as a model sees it: in the coordinates of its law, and normalised.
#include <cmath>
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

/// Sets the shift to 0 in channels whose mean is small beside their deviation, so that −u is −u in the
/// model's coordinates too.
template <class T, int D> void keep_zero(FitData<T, D>& data) {
  for (std::size_t c = 0; c < data.normaliser.shift.size(); ++c) {
    double& shift = data.normaliser.shift[c];
    const double scale = data.normaliser.scale[c];
    if (std::abs(shift) >= 0.1 * scale) continue;
    for (Ensemble<T, D>* part : {&data.train, &data.validation})
      for (Field<T, D>* field : {&part->initial, &part->mean, &part->members})
        for (std::size_t i = c; i < field->size(); i += data.normaliser.shift.size())
          field->data()[i] = T(double(field->data()[i]) + shift / scale);
    shift = 0;
  }
}

}  // namespace mno

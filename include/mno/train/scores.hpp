#pragma once
// How far predictions are from ensembles, in a few numbers that are cheap enough for every epoch.
#include "mno/data/ensemble.hpp"
#include "mno/metric/rmse.hpp"
#include "mno/metric/wasserstein.hpp"
#include "mno/model/predict.hpp"

namespace mno {

struct Scores {
  double mean_rmse = 0;      // √mean (m − ū)²
  double variance_rmse = 0;  // √mean (v − s²)²
  double w2g = 0;  // mean √((m − ū)² + (√v − s)²): the distance between two normal laws, point by point
};

/// Over all conditions, points and channels, in the coordinates of the data. A deterministic operator is a
/// point mass.
template <class E, class S, class T, class Device>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Device& device) {
  const auto prediction = predict(model, data.condition(), device);
  metric::MeanRmse mean;
  metric::VarianceRmse variance;
  metric::W2g w2g;
  for (Index b = 0; b < data.size(); ++b) {
    const metric::Moments truth{flat(data.mean, b).template cast<double>(),
                                flat(data.variance, b).template cast<double>(), data.counts[std::size_t(b)]};
    metric::Moments predicted;
    if constexpr (Model<E, S, T>::stochastic)
      predicted = metric::moments(prediction, b);
    else
      predicted = metric::point_mass(flat(prediction, b).template cast<double>());
    mean.add(predicted, truth);
    variance.add(predicted, truth);
    w2g.add(predicted, truth);
  }
  return {mean.value(), variance.value(), w2g.value()};
}

template <class E, class S, class T>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data) {
  return score(model, data, default_device());
}

}  // namespace mno

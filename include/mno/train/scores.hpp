#pragma once
// How far predictions are from ensembles, in a few numbers that are cheap enough for every epoch.
#include <cmath>

#include "mno/data/ensemble.hpp"
#include "mno/model/predict.hpp"

namespace mno {

struct Scores {
  double mean_rmse = 0;      // √mean (m − ū)²
  double variance_rmse = 0;  // √mean (v − s²)²
  double w2g = 0;  // mean √((m − ū)² + (√v − s)²): the distance between two normal laws, point by point
};

/// Over all entries, points and channels, in the coordinates of the data. A deterministic operator is a point
/// mass.
template <class E, class S, class T, class Device>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Device& device) {
  const auto prediction = predict(model, data.condition(), device);
  Scores scores;
  const Index points = data.mean.points(), channels = data.channels();
  for (Index e = 0; e < data.size(); ++e)
    for (Index p = 0; p < points; ++p)
      for (Index c = 0; c < channels; ++c) {
        double mean = 0, variance = 0;
        if constexpr (Model<E, S, T>::stochastic) {
          mean = double(prediction.mean(e, p, c));
          for (Index k = 0; k < S::rank; ++k)
            variance += std::pow(double(prediction.factor(e, p, k * channels + c)), 2);
        } else {
          mean = double(prediction(e, p, c));
        }
        const double error = mean - double(data.mean(e, p, c)), truth = double(data.variance(e, p, c));
        scores.mean_rmse += error * error;
        scores.variance_rmse += std::pow(variance - truth, 2);
        scores.w2g += std::sqrt(error * error + std::pow(std::sqrt(variance) - std::sqrt(truth), 2));
      }
  const double n = double(data.size() * points * channels);
  return {std::sqrt(scores.mean_rmse / n), std::sqrt(scores.variance_rmse / n), scores.w2g / n};
}

template <class E, class S, class T>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data) {
  return score(model, data, default_device());
}

}  // namespace mno

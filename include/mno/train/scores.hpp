#pragma once
// How far predictions are from data, in a few numbers that are cheap enough for every epoch.
//
// With ensembles, what they say about mean and variance is known well enough to measure the distance to it.
// Fewer than `least_ensemble` members say too little: of one there is no variance, and the deviation of two
// is 20 % too small, so a distance to it would reward laws that are too narrow. There the CRPS judges, whose
// expectation is smallest for the true marginals whatever the number of members.
//
// An operator with noise inside is judged by S draws of every condition: their mean, their variance, and the
// fair CRPS wherever members are kept. Mean and variance of S draws have an error of their own, like
// √(v/S), the same in every epoch; the CRPS has none on average.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/any_residual.hpp"
#include "mno/metric/crps.hpp"
#include "mno/metric/rmse.hpp"
#include "mno/metric/wasserstein.hpp"
#include "mno/model/predict.hpp"

namespace mno {

/// NaN where the data cannot tell.
struct Scores {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double mean_rmse = unknown;      // √mean (m − ū)²; against single draws their noise is in it
  double variance_rmse = unknown;  // √mean (v − s²)², where every condition has several members
  double w2g = unknown;  // mean √((m − ū)² + (√v − s)²): the distance between two normal laws, point by point
  double crps = unknown;                    // of the law's marginals, or of draws, against members
  std::vector<double> residual_variance{};  // (channel): mean (u − m)² over members, points and conditions
  bool several = false;                     // every condition has several members
  bool draws = false;  // the CRPS judges: members are kept, and there are few or the model itself gives draws

  /// What early stopping looks at, smaller is better: the CRPS of draws, W2g of ensembles.
  double criterion() const { return draws ? crps : w2g; }

  /// Those that the data can tell, by their names in tables.
  template <class = void> std::vector<std::pair<std::string, double>> named() const {
    std::vector<std::pair<std::string, double>> all{{"mean_rmse", mean_rmse}};
    if (several) all.insert(all.end(), {{"var_rmse", variance_rmse}, {"w2g", w2g}});
    if (draws) all.emplace_back("crps", crps);
    return all;
  }
};

/// Over all conditions, points and channels, in the coordinates of the data. A deterministic operator is a
/// point mass; one with noise inside is run `draws` times for every condition. The CRPS of a law depends on
/// its residuals.
template <class E, class S, class T, class Device>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Device& device,
             Index draws = 16, const AnyResidual& residual = {}) {
  constexpr bool by_draws = Model<E, S, T>::gives_draws;
  auto condition = data.condition();
  if constexpr (by_draws) {
    require(draws >= 2, "score", "draws", Text("at least two, for a variance"), Text(draws));
    condition.draws = draws;
  }
  const auto prediction = [&] {
    if constexpr (Model<E, S, T>::stochastic)
      return with_residual(predict(model, condition, device), residual);
    else
      return predict(model, condition, device);
  }();
  Scores result;
  result.several = data.least_members() > 1;
  result.draws = data.members.size() > 0 && (by_draws || data.least_members() < least_ensemble);
  result.residual_variance.assign(std::size_t(data.channels()), 0.0);
  metric::MeanRmse mean;
  metric::VarianceRmse variance;
  metric::W2g w2g;
  std::conditional_t<by_draws, metric::SampleCrps, metric::Crps> crps;
  for (Index b = 0; b < data.size(); ++b) {
    const metric::Moments truth{flat(data.mean, b).template cast<double>(),
                                flat(data.variance, b).template cast<double>(), data.counts[std::size_t(b)]};
    metric::Moments predicted;
    [[maybe_unused]] metric::Members drawn;
    if constexpr (Model<E, S, T>::stochastic)
      predicted = metric::moments(prediction, b);
    else if constexpr (by_draws)
      predicted = metric::moments(drawn = metric::members(std::as_const(prediction).view(), b, draws));
    else
      predicted = metric::point_mass(flat(prediction, b).template cast<double>());
    for (Index i = 0; i < truth.size(); ++i)
      result.residual_variance[std::size_t(i % data.channels())] +=
          (std::pow(predicted.mean[i] - truth.mean[i], 2) +
           truth.variance[i] * double(truth.count - 1) / double(truth.count)) /
          double(data.size() * data.mean.points());
    mean.add(predicted, truth);
    variance.add(predicted, truth);
    w2g.add(predicted, truth);
    if (!result.draws) continue;
    const metric::Members members = metric::members(data.members_of(b));
    if constexpr (by_draws) {
      crps.add(drawn, members);
    } else if constexpr (Model<E, S, T>::stochastic) {
      if (residual.gaussian())
        crps.add(predicted, members);
      else
        crps.add(prediction, b, members);
    } else {
      crps.add(predicted, members);
    }
  }
  result.mean_rmse = mean.value();
  if (result.several) {
    result.variance_rmse = variance.value();
    result.w2g = w2g.value();
  }
  if (result.draws) result.crps = crps.value();
  return result;
}

template <class E, class S, class T>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data) {
  return score(model, data, default_device());
}

}  // namespace mno

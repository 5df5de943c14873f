#pragma once
// How far predictions are from data, in a few numbers that are cheap enough for every epoch.
//
// Ensembles give mean and variance well enough to measure the distance to them. Fewer than `least_ensemble`
// members do not: one has no variance, and the deviation of two is 20 % too small, so a distance to it would
// reward laws that are too narrow. There the CRPS judges: its expectation is smallest for the true marginals,
// whatever the number of members.
//
// An operator with noise inside is judged by S draws of every condition: their mean, their variance, and the
// fair CRPS wherever members are kept. Mean and variance of S draws have an error of their own, like
// √(v/S), the same in every epoch; the CRPS has none on average.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mno/core/tree.hpp"
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

namespace detail {
/// Conditions [begin, begin + count) of several.
template <class T, int D> Condition<T, D> some_of(Condition<T, D> all, Index begin, Index count) {
  all.initial = all.initial.samples(begin, count);
  if (all.times.size() > 1) all.times = all.times.subspan(std::size_t(begin), std::size_t(count));
  if (all.known.batch > 1) all.known = all.known.samples(begin, count);
  return all;
}
/// The conditions that a rank predicts, in the pieces that it predicts them in. What a GPU makes of a
/// condition may depend on how many it has at a time, so its pieces are those of training, whatever the
/// number of ranks. On a processor it does not.
template <class Device>
std::vector<Communicator::Slice> pieces_of(const Device& device, const Communicator& ranks, Index rank,
                                           std::size_t conditions) {
  std::vector<Communicator::Slice> pieces;
  if constexpr (requires { device.shards(Index()); }) {
    const Shards shards = device.shards(Index(conditions));
    const ShardRange range = shards.part(rank, ranks.size());
    for (Index shard = range.begin; shard < range.end; ++shard)
      pieces.push_back(
          {std::size_t(shards.first_sample(shard)), std::size_t(shards.first_sample(shard + 1))});
  } else if (const Communicator::Slice all = ranks.slice(conditions, rank); all.begin < all.end) {
    pieces.push_back(all);
  }
  return pieces;
}
}  // namespace detail

/// Over all conditions, points and channels, in the coordinates of the data. A deterministic operator is a
/// point mass; one with noise inside is run `draws` times for every condition. The CRPS of a law depends on
/// its residuals. On a device of several ranks all of them call it, and each predicts its own conditions; the
/// results are summed in the tree of core/tree.hpp.
template <class E, class S, class T, class Device>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data, Device& device,
             Index draws = 16, const AnyResidual& residual = {}) {
  constexpr bool by_draws = Model<E, S, T>::gives_draws;
  Scores result;
  result.several = data.least_members() > 1;
  result.draws = data.members.size() > 0 && (by_draws || data.least_members() < least_ensemble);

  enum Column : std::size_t { mean, variance, w2g, crps, residuals };  // residuals: one per channel
  const std::size_t channels = std::size_t(data.channels()), columns = residuals + channels;
  const auto conditions = std::size_t(data.size());
  std::vector<double> rows(conditions * columns);  // (condition, column): what each of them adds
  Communicator& ranks = ranks_of(device);
  // Noise inside depends on the place in the batch, so every rank runs the whole batch.
  const std::vector<Communicator::Slice> pieces =
      by_draws ? std::vector<Communicator::Slice>{{0, conditions}}
               : detail::pieces_of(device, ranks, ranks.rank(), conditions);
  for (const Communicator::Slice& own : pieces) {
    auto condition =
        detail::some_of<T, S::dimension>(data.condition(), Index(own.begin), Index(own.end - own.begin));
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
    for (std::size_t at = own.begin; at < own.end; ++at) {
      const Index b = Index(at), of = Index(at - own.begin);
      double* const row = rows.data() + at * columns;
      const metric::Moments truth{flat(data.mean, b).template cast<double>(),
                                  flat(data.variance, b).template cast<double>(), data.counts[at]};
      metric::Moments predicted;
      [[maybe_unused]] metric::Members drawn;
      if constexpr (Model<E, S, T>::stochastic)
        predicted = metric::moments(prediction, of);
      else if constexpr (by_draws)
        predicted = metric::moments(drawn = metric::members(std::as_const(prediction).view(), of, draws));
      else
        predicted = metric::point_mass(flat(prediction, of).template cast<double>());
      for (Index i = 0; i < truth.size(); ++i)
        row[residuals + std::size_t(i) % channels] +=
            std::pow(predicted.mean[i] - truth.mean[i], 2) +
            truth.variance[i] * double(truth.count - 1) / double(truth.count);
      const auto sum_of = [&](auto metric) {
        metric.add(predicted, truth);
        return metric.average().sum;
      };
      row[mean] = sum_of(metric::MeanRmse());
      row[variance] = sum_of(metric::VarianceRmse());
      row[w2g] = sum_of(metric::W2g());
      if (!result.draws) continue;
      const metric::Members members = metric::members(data.members_of(b));
      std::conditional_t<by_draws, metric::SampleCrps, metric::Crps> one;
      if constexpr (by_draws) {
        one.add(drawn, members);
      } else if constexpr (Model<E, S, T>::stochastic) {
        if (residual.gaussian())
          one.add(predicted, members);
        else
          one.add(prediction, of, members);
      } else {
        one.add(predicted, members);
      }
      row[crps] = one.value();
    }
  }
  if (!by_draws && ranks.size() > 1) {
    std::vector<Communicator::Slice> parts;
    for (Index rank = 0; rank < ranks.size(); ++rank) {
      const auto part = detail::pieces_of(device, ranks, rank, conditions);
      parts.push_back(part.empty()
                          ? Communicator::Slice{0, 0}
                          : Communicator::Slice{part.front().begin * columns, part.back().end * columns});
    }
    ranks.all_gather(std::span(rows), std::span<const Communicator::Slice>(parts));
  }
  std::vector<double> column(conditions);
  const auto average = [&](std::size_t which, std::size_t entries) {
    for (std::size_t at = 0; at < conditions; ++at) column[at] = rows[at * columns + which];
    return tree_sum(column) / double(conditions * entries);
  };
  const auto points = std::size_t(data.mean.points());
  for (std::size_t c = 0; c < channels; ++c)
    result.residual_variance.push_back(average(residuals + c, points));
  result.mean_rmse = std::sqrt(average(mean, points * channels));
  if (result.several) {
    result.variance_rmse = std::sqrt(average(variance, points * channels));
    result.w2g = average(w2g, points * channels);
  }
  if (result.draws) result.crps = average(crps, 1);
  return result;
}

template <class E, class S, class T>
Scores score(const Model<E, S, T>& model, const Ensemble<T, S::dimension>& data) {
  return score(model, data, default_device());
}

}  // namespace mno

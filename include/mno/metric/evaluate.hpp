#pragma once
// A metric over whole fields at once; members are in the order (condition, member), the same number each, or
// as many as a list of counts says.
//
//   evaluate(MeanRmse{}, law, members).value()            a law
//   evaluate(W2g{}, prediction, members).value()          a deterministic prediction: a point mass
//   evaluate_draws(W2s{}, draws, members, n).value()      n conditions of draws, sample(law, count, seed)
//   evaluate(Crps{}, law, data.members, data.counts)      an Ensemble that keeps its members, uneven or not
//
// A metric is fed what its add() asks for: the law, moments, members or covariances. Crps and Coverage see
// draws as the Gaussian law with their moments. Data that does not fit into memory is fed to
// add() condition by condition instead.
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mno/data/member_offsets.hpp"
#include "mno/law/covariance.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

namespace detail {

template <class T, int D> using Fields = std::type_identity_t<View<const T, D>>;  // takes a Field too

/// All members, condition by condition.
template <class T, int D> class ByCondition {
 public:
  /// Without counts every condition has the same number.
  ByCondition(const char* argument, View<const T, D> all, Index conditions, const Grid<D>& grid,
              Index channels, std::span<const Index> counts = {})
      : all_(all) {
    const std::string shape =
        Text(" field(s) of ", channels, " channel(s) on ", grid.str(), " and its domain").str();
    const std::string got = Text(all.batch, " of ", all.channels, " on ", all.grid.str()).str();
    const bool same = conditions >= 1 && all.grid == grid && all.channels == channels;
    if (counts.empty()) {
      require(same && all.batch >= conditions && all.batch % conditions == 0, "metric::evaluate", argument,
              Text("a multiple of ", conditions, shape), Text(got));
      offsets_ = member_offsets(std::vector<Index>(std::size_t(conditions), all.batch / conditions));
    } else {
      require(Index(counts.size()) == conditions, "metric::evaluate", "counts",
              Text("one per condition, ", conditions), Text(counts.size()));
      offsets_ = member_offsets(counts);
      require(same && all.batch == offsets_.back(), "metric::evaluate", argument,
              Text(offsets_.back(), shape), Text(got));
    }
  }
  Members operator[](Index condition) const {
    const auto i = std::size_t(condition);
    return members(all_.samples(offsets_[i], offsets_[i + 1] - offsets_[i]));
  }

 private:
  View<const T, D> all_;
  std::vector<Index> offsets_;
};

template <class Metric> void add_moments(Metric& metric, const Moments& model, const Members& truth) {
  if constexpr (requires { metric.add(model, truth); }) {
    metric.add(model, truth);
  } else {
    static_assert(
        requires { metric.add(model, model); },
        "mno: this metric compares draws with members: use evaluate_draws with sample(law, count, seed)");
    metric.add(model, moments(truth));
  }
}

}  // namespace detail

template <class Metric, class T, int D, class R, class W>
Metric evaluate(Metric metric, const Law<T, D, R, W>& law, detail::Fields<T, D> members,
                std::span<const Index> counts = {}) {
  const detail::ByCondition<T, D> all("members", members, law.batch(), law.grid(), law.channels(), counts);
  for (Index s = 0; s < law.batch(); ++s) {
    const Members truth = all[s];
    if constexpr (requires { metric.add(law, s, truth); })
      metric.add(law, s, truth);
    else if constexpr (requires { metric.add(covariance(law, s), truth); })
      metric.add(covariance(law, s), truth);
    else
      detail::add_moments(metric, moments(law, s), truth);
  }
  return metric;
}

template <class Metric, class T, int D>
Metric evaluate(Metric metric, const Field<T, D>& prediction, detail::Fields<T, D> members,
                std::span<const Index> counts = {}) {
  const detail::ByCondition<T, D> all("members", members, prediction.batch(), prediction.grid(),
                                      prediction.channels(), counts);
  for (Index s = 0; s < prediction.batch(); ++s)
    detail::add_moments(metric, point_mass(flat(prediction, s).template cast<double>()), all[s]);
  return metric;
}

template <class Metric, class T, int D>
Metric evaluate_draws(Metric metric, const Field<T, D>& draws, detail::Fields<T, D> members, Index conditions,
                      std::span<const Index> counts = {}) {
  const detail::ByCondition<T, D> drawn("draws", draws.view(), conditions, draws.grid(), draws.channels()),
      all("members", members, conditions, draws.grid(), draws.channels(), counts);
  for (Index s = 0; s < conditions; ++s) {
    const Members model = drawn[s], truth = all[s];
    if constexpr (requires { metric.add(model, truth); })
      metric.add(model, truth);
    else
      detail::add_moments(metric, moments(model), truth);
  }
  return metric;
}

}  // namespace mno::metric

#pragma once
// A metric over whole fields at once; members are in the order (condition, member), the same number each.
//
//   evaluate(MeanRmse{}, law, members).value()            a law
//   evaluate(W2g{}, prediction, members).value()          a deterministic prediction: a point mass
//   evaluate_draws(W2s{}, draws, members, n).value()      draws, n conditions of them: sample(law, count,
//   seed)
//
// A metric is fed what its add() asks for: moments, members or covariances; Crps and Coverage, which ask for
// moments, see draws as the law with their moments. Data that does not fit into memory is fed to add()
// condition by condition instead.
#include <type_traits>

#include "mno/law/covariance.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

namespace detail {

template <class T, int D> using Fields = std::type_identity_t<View<const T, D>>;  // takes a Field too

/// How many members each condition has.
template <class T, int D>
Index members_each(const char* argument, View<const T, D> all, Index conditions, const Grid<D>& grid,
                   Index channels) {
  require(conditions >= 1 && all.batch >= conditions && all.batch % conditions == 0 && all.grid == grid &&
              all.channels == channels,
          "metric::evaluate", argument,
          Text("a multiple of ", conditions, " field(s) of ", channels, " channel(s) on ", grid.str(),
               " and its domain"),
          Text(all.batch, " of ", all.channels, " on ", all.grid.str()));
  return all.batch / conditions;
}

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

template <class Metric, class T, int D>
Metric evaluate(Metric metric, const Law<T, D>& law, detail::Fields<T, D> members) {
  const Index each = detail::members_each("members", members, law.batch(), law.grid(), law.channels());
  for (Index s = 0; s < law.batch(); ++s) {
    const Members truth = metric::members(members, s, each);
    if constexpr (requires { metric.add(covariance(law, s), truth); })
      metric.add(covariance(law, s), truth);
    else
      detail::add_moments(metric, moments(law, s), truth);
  }
  return metric;
}

template <class Metric, class T, int D>
Metric evaluate(Metric metric, const Field<T, D>& prediction, detail::Fields<T, D> members) {
  const Index each =
      detail::members_each("members", members, prediction.batch(), prediction.grid(), prediction.channels());
  for (Index s = 0; s < prediction.batch(); ++s)
    detail::add_moments(metric, point_mass(flat(prediction, s).template cast<double>()),
                        metric::members(members, s, each));
  return metric;
}

template <class Metric, class T, int D>
Metric evaluate_draws(Metric metric, const Field<T, D>& draws, detail::Fields<T, D> members,
                      Index conditions) {
  const Index drawn = detail::members_each("draws", draws.view(), conditions, draws.grid(), draws.channels());
  const Index each = detail::members_each("members", members, conditions, draws.grid(), draws.channels());
  for (Index s = 0; s < conditions; ++s) {
    const Members model = metric::members(View<const T, D>(draws), s, drawn);
    const Members truth = metric::members(members, s, each);
    if constexpr (requires { metric.add(model, truth); })
      metric.add(model, truth);
    else
      detail::add_moments(metric, moments(model), truth);
  }
  return metric;
}

}  // namespace mno::metric

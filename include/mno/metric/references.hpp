#pragma once
// The references that a prediction has to beat: two laws that cost nothing, fitted on the model's training
// data.
//
//   climatology         m(c,x) = E u_T(c,x),  v(c,x) = Var u_T(c,x) over conditions and members: it does not
//                       know u_0
//   constant variance   the mean of the model itself with one variance per channel, v(c) = E (u − m)²: it
//                       does not know where and for which u_0 the spread is large
//
// Both are normal and without correlation between points: scores of marginals, such as the CRPS, judge them.
// They are in the coordinates of the data that they were fitted on.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/law.hpp"

namespace mno::metric {

/// What sentences call the two.
inline constexpr const char *climatology_name = "climatology",
                            *constant_variance_name = "its own mean with one constant variance";

template <class T, int D> struct References {
  Field<T, D> mean{}, variance{};           // of u_T: (time or 1, grid…, C)
  std::vector<T> times{};                   // of these; empty: one climatology for all times
  std::vector<double> residual_variance{};  // (channel)

  /// On any grid of the same domain, by linear interpolation between points; between the last point and a
  /// wall, as at that point. Of several times the nearest is taken.
  Law<T, D> climatology(T time, const Grid<D>& grid) const {
    require(mean.size() > 0, "metric::References", "climatology", Text("references that were fitted"),
            Text("none"));
    Index which = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (std::abs(times[i] - time) < std::abs(times[std::size_t(which)] - time)) which = Index(i);
    Law<T, D> law = without_spread(on_grid(mean, which, grid));
    law.nugget = on_grid(variance, which, grid);
    for (T& v : law.nugget.span()) v = std::sqrt(v);
    return law;
  }
  /// Around these means: (batch, grid…, C).
  Law<T, D> constant_variance(const Field<T, D>& means) const {
    require(Index(residual_variance.size()) == means.channels(), "metric::References", "means",
            Text(residual_variance.size(), " channel(s)"), Text(means.channels()));
    Law<T, D> law = without_spread(means);
    law.nugget = Field<T, D>(means.batch(), means.grid(), means.channels());
    for (std::size_t i = 0; i < means.size(); ++i)
      law.nugget.data()[i] = T(std::sqrt(residual_variance[i % residual_variance.size()]));
    return law;
  }

 private:
  static Law<T, D> without_spread(Field<T, D> means) {
    Field<T, D> none(means.batch(), means.grid(), means.channels());
    return {std::move(means), std::move(none)};
  }
  static Field<T, D> on_grid(const Field<T, D>& field, Index which, const Grid<D>& grid) {
    const Index channels = field.channels();
    Field<T, D> result(1, grid, channels);
    for (Index p = 0; p < grid.size(); ++p)
      for (Index corner = 0; corner < (Index(1) << D); ++corner) {  // of the cell that the point is in
        Index rest = p, from = 0, stride = 1;
        double weight = 1;
        for (int d = D - 1; d >= 0; --d) {
          const auto axis = std::size_t(d);
          const Index points = field.grid().points[axis];
          const double at = double(rest % grid.points[axis]) * double(points) / double(grid.points[axis]);
          rest /= grid.points[axis];
          const Index upper = corner >> d & 1, below = Index(at);
          weight *= upper ? at - double(below) : 1 - (at - double(below));
          from += (field.grid().domain.bounded[axis] ? std::min(below + upper, points - 1)
                                                     : (below + upper) % points) *
                  stride;
          stride *= points;
        }
        if (weight > 0)
          for (Index c = 0; c < channels; ++c) result(0, p, c) += T(weight) * field(which, from, c);
      }
    return result;
  }
};

/// The climatology of an ensemble, and the given residual variances of the model. If there are few times,
/// with enough conditions each, every time has a climatology of its own.
template <class T, int D>
References<T, D> references(const Ensemble<T, D>& data, std::vector<double> residual_variance) {
  constexpr Index least_conditions = 8;
  constexpr std::size_t most_times = 16;
  require(Index(residual_variance.size()) == data.channels(), "metric::references", "residual_variance",
          Text("one per channel, ", data.channels()), Text(residual_variance.size()));
  std::map<T, Index> counts;
  for (const T time : data.times) ++counts[time];
  const bool apart = counts.size() <= most_times && std::ranges::all_of(counts, [](const auto& one) {
                       return one.second >= least_conditions;
                     });
  References<T, D> result;
  result.residual_variance = std::move(residual_variance);
  if (apart)
    for (const auto& [time, count] : counts) result.times.push_back(time);
  const auto group = [&](Index e) {
    return apart ? Index(std::ranges::lower_bound(result.times, data.times[std::size_t(e)]) -
                         result.times.begin())
                 : 0;
  };
  const Index groups = apart ? Index(counts.size()) : 1, n = data.mean.points() * data.channels();
  result.mean = result.variance = Field<T, D>(groups, data.grid(), data.channels());
  std::vector<double> sum(std::size_t(groups * n)), between(sum.size()), within(sum.size());
  std::vector<double> size(std::size_t(groups), 0.0);
  for (Index e = 0; e < data.size(); ++e) {
    ++size[std::size_t(group(e))];
    for (Index i = 0; i < n; ++i) sum[std::size_t(group(e) * n + i)] += double(data.mean.data()[e * n + i]);
  }
  for (Index e = 0; e < data.size(); ++e) {
    const double m = double(data.counts[std::size_t(e)]), conditions = size[std::size_t(group(e))];
    for (Index i = 0; i < n; ++i) {
      const auto at = std::size_t(group(e) * n + i);
      between[at] += std::pow(double(data.mean.data()[e * n + i]) - sum[at] / conditions, 2);
      within[at] += double(data.variance.data()[e * n + i]) * (m - 1) / m;
    }
  }
  for (std::size_t at = 0; at < sum.size(); ++at) {
    const double conditions = size[at / std::size_t(n)];
    result.mean.data()[at] = T(sum[at] / conditions);
    result.variance.data()[at] = T(between[at] / std::max(1.0, conditions - 1) + within[at] / conditions);
  }
  return result;
}

}  // namespace mno::metric

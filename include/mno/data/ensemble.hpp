#pragma once
// Training data: for every condition an initial field, a time, and what the ensemble at that time looks like.
//
// Several query times of one initial field are several conditions with the same origin. Losses see an
// ensemble through its mean and variance, so these are kept and the members are not, unless they are asked
// for.
#include <algorithm>
#include <vector>

#include "mno/data/condition.hpp"
#include "mno/data/leading_factors.hpp"
#include "mno/data/running_moments.hpp"
#include "mno/data/target.hpp"
#include "mno/law/factor.hpp"

namespace mno {

template <class T, int D> struct Ensemble {
  Field<T, D> initial;              // u_0: (condition, grid…, C)
  std::vector<T> times;             // (condition)
  std::vector<Index> origins;       // which initial field a condition belongs to
  std::vector<Index> counts;        // M of every condition
  Field<T, D> mean, variance;       // (condition, grid…, C)
  Field<T, D> covariance_factor{};  // (condition, grid…, s·C), or empty
  Field<T, D> members{};            // (condition·M + member, grid…, C), or empty
  Field<T, D> known{};              // (condition or 1, grid…, fields), or empty

  Index size() const { return initial.batch(); }
  const Grid<D>& grid() const { return initial.grid(); }
  Index channels() const { return initial.channels(); }

  Condition<T, D> condition() const {
    Condition<T, D> c{initial.view(), times};
    if (known.size() > 0) c.known = known.view();
    return c;
  }
  Target<T, D> target() const {
    Target<T, D> t{mean.view(), variance.view(), counts};
    if (covariance_factor.size() > 0) t.covariance_factor = covariance_factor.view();
    if (members.size() > 0) t.members = members.view();
    t.initial = initial.view();
    return t;
  }
};

struct EnsembleOptions {
  Index factors = 0;       // leading covariance factors to keep per condition
  Index kept_members = 0;  // members to keep per condition; 0 keeps none
};

/// An empty ensemble of so many conditions, to be filled by `set_condition`.
template <class T, int D>
Ensemble<T, D> make_ensemble(Index conditions, const Grid<D>& grid, Index channels,
                             EnsembleOptions options = {}) {
  Ensemble<T, D> e{
      Field<T, D>(conditions, grid, channels),     std::vector<T>(std::size_t(conditions)),
      std::vector<Index>(std::size_t(conditions)), std::vector<Index>(std::size_t(conditions), Index(1)),
      Field<T, D>(conditions, grid, channels),     Field<T, D>(conditions, grid, channels)};
  if (options.factors > 0) e.covariance_factor = Field<T, D>(conditions, grid, options.factors * channels);
  if (options.kept_members > 0) e.members = Field<T, D>(conditions * options.kept_members, grid, channels);
  return e;
}

/// One condition from its members (member, grid…, C). Different conditions may be set from different threads.
template <class T, int D>
void set_condition(Ensemble<T, D>& ensemble, Index condition, View<const T, D> initial, T time, Index origin,
                   View<const T, D> members) {
  require(condition >= 0 && condition < ensemble.size(), "set_condition", "condition",
          Text("an index below ", ensemble.size()), Text(condition));
  require(initial.grid == ensemble.grid() && initial.channels == ensemble.channels(), "set_condition",
          "initial", Text(ensemble.channels(), " channel(s) on ", ensemble.grid().str()),
          Text(initial.channels, " on ", initial.grid.str()));
  require(members.grid == ensemble.grid() && members.channels == ensemble.channels() && members.batch >= 1,
          "set_condition", "members",
          Text("members of ", ensemble.channels(), " channel(s) on ", ensemble.grid().str()),
          Text(members.batch, " of ", members.channels, " on ", members.grid.str()));
  require(members.pitch == members.channels, "set_condition", "members", Text("contiguous fields"),
          Text("a slice of channels"));
  require(all_finite<T, D>(members), "set_condition", "members", Text("finite values"),
          Text("a NaN or an infinity in condition ", condition));

  const Index points = initial.points(), channels = initial.channels, n = points * channels;
  for (Index p = 0; p < points; ++p)
    for (Index c = 0; c < channels; ++c) ensemble.initial(condition, p, c) = initial(0, p, c);
  ensemble.times[std::size_t(condition)] = time;
  ensemble.origins[std::size_t(condition)] = origin;
  ensemble.counts[std::size_t(condition)] = members.batch;

  RunningMoments moments{std::size_t(n)};
  for (Index m = 0; m < members.batch; ++m)
    moments.add(std::span<const T>(members.data + m * n, std::size_t(n)));
  for (Index i = 0; i < n; ++i) {
    ensemble.mean.data()[condition * n + i] = T(moments.mean(std::size_t(i)));
    ensemble.variance.data()[condition * n + i] = T(moments.variance(std::size_t(i)));
  }
  if (ensemble.covariance_factor.size() > 0) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Index rank = ensemble.covariance_factor.channels() / channels;
    const Eigen::MatrixXd factors = leading_factors<double>(
        Eigen::Map<const Rows>(members.data, members.batch, n).template cast<double>(), rank);
    for (Index p = 0; p < points; ++p)
      for (Index j = 0; j < rank; ++j)
        for (Index c = 0; c < channels; ++c)
          ensemble.covariance_factor(condition, p, detail::factor_channel(j, c, channels)) =
              T(factors(j, p * channels + c));
  }
  if (ensemble.members.size() > 0) {
    const Index kept = ensemble.members.batch() / ensemble.size();
    require(members.batch == kept, "set_condition", "members", Text("as many members as are kept, ", kept),
            Text(members.batch));
    std::copy_n(members.data, kept * n, ensemble.members.data() + condition * kept * n);
  }
}

/// The average of s² over all conditions, points and channels: the size of the noise in one number.
template <class T, int D> T mean_variance(const Ensemble<T, D>& data) {
  double sum = 0;
  for (const T v : data.variance.span()) sum += double(v);
  return T(sum / double(std::max<std::size_t>(data.variance.size(), 1)));
}

/// The chosen conditions, in this order, as an ensemble of their own.
template <class T, int D>
Ensemble<T, D> subset(const Ensemble<T, D>& from, std::span<const Index> conditions) {
  require(!conditions.empty(), "subset", "conditions", Text("at least one condition"), Text("none"));
  const auto rows = [&](const Field<T, D>& field, Index each) {
    if (field.size() == 0) return Field<T, D>();
    Field<T, D> taken(Index(conditions.size()) * each, field.grid(), field.channels());
    const Index n = each * field.points() * field.channels();
    for (std::size_t i = 0; i < conditions.size(); ++i)
      std::copy_n(field.data() + conditions[i] * n, n, taken.data() + Index(i) * n);
    return taken;
  };
  const auto values = [&](const auto& all) {
    auto taken = all;
    taken.clear();
    for (const Index condition : conditions) taken.push_back(all[std::size_t(condition)]);
    return taken;
  };
  for (const Index condition : conditions)
    require(condition >= 0 && condition < from.size(), "subset", "conditions",
            Text("indices below ", from.size()), Text(condition));
  const Index kept = from.members.size() > 0 ? from.members.batch() / from.size() : 0;
  return {rows(from.initial, 1),
          values(from.times),
          values(from.origins),
          values(from.counts),
          rows(from.mean, 1),
          rows(from.variance, 1),
          rows(from.covariance_factor, 1),
          rows(from.members, kept),
          from.known.batch() == 1 ? from.known : rows(from.known, 1)};
}

}  // namespace mno

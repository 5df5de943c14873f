#pragma once
// Training data: for every condition an initial field, a time, and what the ensemble at that time looks like.
//
// Several query times of one initial field are several conditions with the same origin. Losses see an
// ensemble through its mean and variance, so these are kept and the members are not, unless they are asked
// for or are few. A condition may have any number of members from one up. One draw has no variance: s² is 0
// there by convention.
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
  Field<T, D> members{};            // (all members, grid…, C), or empty
  Field<T, D> known{};              // (condition or 1, grid…, fields), or empty
  std::vector<Index> offsets{};     // member_offsets(counts) where members are kept, else empty

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
    t.offsets = offsets;
    return t;
  }
  /// The members of one condition, where they are kept: (member, grid…, C).
  View<const T, D> members_of(Index condition) const { return target().members_of(condition); }

  Index least_members() const { return counts.empty() ? 0 : *std::min_element(counts.begin(), counts.end()); }
};

struct EnsembleOptions {
  Index factors = 0;     // leading covariance factors to keep per condition
  bool members = false;  // keep the members themselves; fewer than least_ensemble are kept anyway
};

/// An empty ensemble of so many conditions, to be filled by `set_condition`, of which statistics are kept.
template <class T, int D>
Ensemble<T, D> make_ensemble(Index conditions, const Grid<D>& grid, Index channels,
                             EnsembleOptions options = {}) {
  require(!options.members, "make_ensemble", "conditions",
          Text("the number of members of every condition, as they are to be kept"),
          Text(conditions, " conditions"));
  Ensemble<T, D> e{
      Field<T, D>(conditions, grid, channels),     std::vector<T>(std::size_t(conditions)),
      std::vector<Index>(std::size_t(conditions)), std::vector<Index>(std::size_t(conditions), Index(1)),
      Field<T, D>(conditions, grid, channels),     Field<T, D>(conditions, grid, channels)};
  if (options.factors > 0) e.covariance_factor = Field<T, D>(conditions, grid, options.factors * channels);
  return e;
}
/// The same for conditions with these numbers of members. They are kept if that is asked for, or if there is
/// a condition with so few that they are draws and not an ensemble: its statistics do not say all.
template <class T, int D>
Ensemble<T, D> make_ensemble(std::span<const Index> counts, const Grid<D>& grid, Index channels,
                             EnsembleOptions options = {}) {
  for (const Index m : counts)
    require(m >= 1, "make_ensemble", "counts", Text("at least one member"), Text(m));
  auto e = make_ensemble<T, D>(Index(counts.size()), grid, channels, {.factors = options.factors});
  e.counts.assign(counts.begin(), counts.end());
  if (options.members || e.least_members() < least_ensemble) {
    e.offsets = member_offsets(counts);
    e.members = Field<T, D>(e.offsets.back(), grid, channels);
  }
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
  if (ensemble.members.size() > 0) {
    const Index kept = ensemble.counts[std::size_t(condition)];
    require(members.batch == kept, "set_condition", "members",
            Text("as many members as are kept of condition ", condition, ", ", kept), Text(members.batch));
    std::copy_n(members.data, kept * initial.points() * initial.channels,
                &ensemble.members(ensemble.offsets[std::size_t(condition)], 0, 0));
  }
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
}

namespace detail {
/// After the i-th of many rows in any order: where they lie on a disk, a page that is touched brings up to
/// 2 MB around it into memory, so pages are given back on the way.
template <class T, int D> void relieve_after(const Field<T, D>& rows, std::size_t i) {
  if (rows.large() && i % 8 == 7) large_memory().relieve();
}
}  // namespace detail

/// Row conditions[i] to row i of a field like it.
template <class T, int D>
void copy_conditions(const Field<T, D>& from, std::span<const Index> conditions, Field<T, D>& to) {
  if (from.size() == 0) return;
  const Index n = from.points() * from.channels();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    std::copy_n(from.data() + conditions[i] * n, n, to.data() + Index(i) * n);
    detail::relieve_after(from, i);
  }
}
/// The members of each of these conditions, so many rows, to row offsets[i] of a field.
template <class T, int D>
void copy_members(const Ensemble<T, D>& from, std::span<const Index> conditions,
                  std::span<const Index> counts, std::span<const Index> offsets, T* to) {
  const Index n = from.members.points() * from.members.channels();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    std::copy_n(from.members.data() + from.offsets[std::size_t(conditions[i])] * n, counts[i] * n,
                to + offsets[i] * n);
    detail::relieve_after(from.members, i);
  }
}
/// The members of the chosen conditions side by side. `offsets`, one per condition and the end, get where
/// those of each begin, from the counts of the chosen ones; `to` has room for all.
template <class T, int D>
void gather_members(const Ensemble<T, D>& from, std::span<const Index> conditions,
                    std::span<const Index> counts, std::span<Index> offsets, T* to) {
  write_member_offsets(counts, offsets);
  copy_members<T, D>(from, conditions, counts, offsets, to);
}

/// These conditions are used next: where data lies on a disk (io/disk_memory.hpp), they are read meanwhile.
template <class T, int D> void read_ahead(const Ensemble<T, D>& data, std::span<const Index> conditions) {
  const auto announce = [](const Field<T, D>& field, Index row, Index rows) {
    const Index n = field.points() * field.channels();
    detail::large_memory().will_need(field.data() + row * n, std::size_t(rows * n) * sizeof(T));
  };
  for (const auto* field : {&data.initial, &data.mean, &data.variance, &data.covariance_factor, &data.known})
    if (field->large() && field->batch() > 1)
      for (const Index condition : conditions) announce(*field, condition, 1);
  if (data.members.large())
    for (const Index condition : conditions)
      announce(data.members, data.offsets[std::size_t(condition)], data.counts[std::size_t(condition)]);
}

/// The chosen conditions, in this order, as an ensemble of their own.
template <class T, int D>
Ensemble<T, D> subset(const Ensemble<T, D>& from, std::span<const Index> conditions) {
  require(!conditions.empty(), "subset", "conditions", Text("at least one condition"), Text("none"));
  const auto rows = [&](const Field<T, D>& field) {
    if (field.size() == 0) return Field<T, D>();
    Field<T, D> taken(Index(conditions.size()), field.grid(), field.channels());
    copy_conditions(field, conditions, taken);
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
  Ensemble<T, D> result{rows(from.initial),
                        values(from.times),
                        values(from.origins),
                        values(from.counts),
                        rows(from.mean),
                        rows(from.variance),
                        rows(from.covariance_factor),
                        {},
                        from.known.batch() == 1 ? from.known : rows(from.known)};
  if (from.members.size() > 0) {
    result.offsets = member_offsets(result.counts);
    result.members = Field<T, D>(result.offsets.back(), from.grid(), from.channels());
    gather_members<T, D>(from, conditions, result.counts, result.offsets, result.members.data());
  }
  return result;
}

}  // namespace mno

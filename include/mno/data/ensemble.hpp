#pragma once
// Training data: for every entry an initial field, a time, and what the ensemble at that time looks like.
//
// Several query times of one initial condition are several entries with the same origin. Losses see an
// ensemble through its mean and variance, so these are kept and the members are not, unless they are asked
// for.
#include <algorithm>
#include <vector>

#include "mno/data/leading_factors.hpp"
#include "mno/data/moments.hpp"
#include "mno/loss/target.hpp"
#include "mno/model/condition.hpp"

namespace mno {

template <class T, int D> struct Ensemble {
  Field<T, D> initial;              // u_0: (entry, grid…, C)
  std::vector<T> times;             // (entry)
  std::vector<Index> origins;       // which initial condition an entry belongs to
  std::vector<Index> counts;        // M of every entry
  Field<T, D> mean, variance;       // (entry, grid…, C)
  Field<T, D> covariance_factor{};  // (entry, grid…, s·C), or empty
  Field<T, D> members{};            // (entry·M + member, grid…, C), or empty
  Field<T, D> known{};              // (entry or 1, grid…, fields), or empty

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
  Index factors = 0;       // leading covariance factors to keep per entry
  Index kept_members = 0;  // members to keep per entry; 0 keeps none
};

/// An empty ensemble of so many entries, to be filled by `set_entry`.
template <class T, int D>
Ensemble<T, D> make_ensemble(Index entries, const Grid<D>& grid, Index channels,
                             EnsembleOptions options = {}) {
  Ensemble<T, D> e{
      Field<T, D>(entries, grid, channels),     std::vector<T>(std::size_t(entries)),
      std::vector<Index>(std::size_t(entries)), std::vector<Index>(std::size_t(entries), Index(1)),
      Field<T, D>(entries, grid, channels),     Field<T, D>(entries, grid, channels)};
  if (options.factors > 0) e.covariance_factor = Field<T, D>(entries, grid, options.factors * channels);
  if (options.kept_members > 0) e.members = Field<T, D>(entries * options.kept_members, grid, channels);
  return e;
}

/// One entry from its members (member, grid…, C). Different entries may be set from different threads.
template <class T, int D>
void set_entry(Ensemble<T, D>& ensemble, Index entry, View<const T, D> initial, T time, Index origin,
               View<const T, D> members) {
  require(entry >= 0 && entry < ensemble.size(), "set_entry", "entry",
          text("an index below ", ensemble.size()), text(entry));
  require(initial.grid == ensemble.grid() && initial.channels == ensemble.channels(), "set_entry", "initial",
          text(ensemble.channels(), " channel(s) on ", ensemble.grid().str()),
          text(initial.channels, " on ", initial.grid.str()));
  require(members.grid == ensemble.grid() && members.channels == ensemble.channels() && members.batch >= 1,
          "set_entry", "members",
          text("members of ", ensemble.channels(), " channel(s) on ", ensemble.grid().str()),
          text(members.batch, " of ", members.channels, " on ", members.grid.str()));
  require(members.pitch == members.channels, "set_entry", "members", text("contiguous fields"),
          text("a slice of channels"));
  require(all_finite<T, D>(members), "set_entry", "members", text("finite values"),
          text("a NaN or an infinity in entry ", entry));

  const Index points = initial.points(), channels = initial.channels, n = points * channels;
  for (Index p = 0; p < points; ++p)
    for (Index c = 0; c < channels; ++c) ensemble.initial(entry, p, c) = initial(0, p, c);
  ensemble.times[std::size_t(entry)] = time;
  ensemble.origins[std::size_t(entry)] = origin;
  ensemble.counts[std::size_t(entry)] = members.batch;

  Moments moments{std::size_t(n)};
  for (Index m = 0; m < members.batch; ++m)
    moments.add(std::span<const T>(members.data + m * n, std::size_t(n)));
  for (Index i = 0; i < n; ++i) {
    ensemble.mean.data()[entry * n + i] = T(moments.mean(std::size_t(i)));
    ensemble.variance.data()[entry * n + i] = T(moments.variance(std::size_t(i)));
  }
  if (ensemble.covariance_factor.size() > 0) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Index rank = ensemble.covariance_factor.channels() / channels;
    const Eigen::MatrixXd factors = leading_factors<double>(
        Eigen::Map<const Rows>(members.data, members.batch, n).template cast<double>(), rank);
    for (Index p = 0; p < points; ++p)
      for (Index j = 0; j < rank; ++j)
        for (Index c = 0; c < channels; ++c)
          ensemble.covariance_factor(entry, p, j * channels + c) = T(factors(j, p * channels + c));
  }
  if (ensemble.members.size() > 0) {
    const Index kept = ensemble.members.batch() / ensemble.size();
    require(members.batch == kept, "set_entry", "members", text("as many members as are kept, ", kept),
            text(members.batch));
    std::copy_n(members.data, kept * n, ensemble.members.data() + entry * kept * n);
  }
}

/// The average of s² over all entries, points and channels: the size of the noise in one number.
template <class T, int D> T mean_variance(const Ensemble<T, D>& data) {
  double sum = 0;
  for (const T v : data.variance.span()) sum += double(v);
  return T(sum / double(std::max<std::size_t>(data.variance.size(), 1)));
}

/// The chosen entries, in this order, as an ensemble of their own.
template <class T, int D> Ensemble<T, D> take(const Ensemble<T, D>& from, std::span<const Index> entries) {
  require(!entries.empty(), "take", "entries", text("at least one entry"), text("none"));
  const auto rows = [&](const Field<T, D>& field, Index each) {
    if (field.size() == 0) return Field<T, D>();
    Field<T, D> taken(Index(entries.size()) * each, field.grid(), field.channels());
    const Index n = each * field.points() * field.channels();
    for (std::size_t i = 0; i < entries.size(); ++i)
      std::copy_n(field.data() + entries[i] * n, n, taken.data() + Index(i) * n);
    return taken;
  };
  const auto values = [&](const auto& all) {
    auto taken = all;
    taken.clear();
    for (const Index entry : entries) taken.push_back(all[std::size_t(entry)]);
    return taken;
  };
  for (const Index entry : entries)
    require(entry >= 0 && entry < from.size(), "take", "entries", text("indices below ", from.size()),
            text(entry));
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

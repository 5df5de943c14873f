#pragma once
// Several times at once: fields at t_1 … t_K as the channels of one field, so that one factor holds their
// covariance in space and time, and a draw is a path.
//
//   channel k·C + c of a path is u_c(t_{k+1}),   u_0 is repeated K times,   the time of a path is t_K
//
// Nothing else is new: a model of K·C channels learns it, and at t = 0 every draw is u_0 at all times. A
// model of single times knows the law at each time, but not how the times depend on each other.
#include <algorithm>
#include <vector>

#include "mno/data/ensemble.hpp"
#include "mno/law/law.hpp"

namespace mno {

namespace detail {
/// (batch, grid…, C) into the channels of time k of (batch, grid…, K·C).
template <class T, int D> void put_time(View<const T, D> from, Index k, View<T, D> to) {
  for (Index b = 0; b < from.batch; ++b)
    for (Index p = 0; p < from.points(); ++p)
      for (Index c = 0; c < from.channels; ++c) to(b, p, k * from.channels + c) = from(b, p, c);
}
}  // namespace detail

/// The data must keep its members. Conditions of one origin must stand side by side, at the same K times in
/// the same order, and member j must be one path at all of them, as simulators draw it.
template <class T, int D>
Ensemble<T, D> paths_of(const Ensemble<T, D>& data, Index times, EnsembleOptions keep = {}) {
  require(data.members.size() > 0, "paths_of", "data",
          Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text("statistics"));
  require(times >= 1 && data.size() % times == 0, "paths_of", "times",
          Text("a divisor of the ", data.size(), " conditions"), Text(times));
  require(data.known.size() == 0, "paths_of", "data", Text("no known fields"), Text("some"));
  const Index paths = data.size() / times, channels = data.channels();
  std::vector<Index> counts;
  for (Index i = 0; i < paths; ++i) {
    for (Index k = 0; k < times; ++k) {
      const auto s = std::size_t(i * times + k), first = std::size_t(i * times);
      require(data.origins[s] == data.origins[first] && data.counts[s] == data.counts[first], "paths_of",
              "data", Text(times, " conditions of one initial field with as many members, side by side"),
              Text("others at condition ", s));
      require(data.times[s] == data.times[std::size_t(k)] && (k == 0 || data.times[s] > data.times[s - 1]),
              "paths_of", "data", Text("the same times for all, increasing"),
              Text("others at condition ", s));
    }
    counts.push_back(data.counts[std::size_t(i * times)]);
  }
  auto result =
      make_ensemble<T, D>(std::span<const Index>(counts), data.grid(), times * channels, std::move(keep));
  for (Index i = 0; i < paths; ++i) {
    Field<T, D> initial(1, data.grid(), times * channels),
        members(counts[std::size_t(i)], data.grid(), times * channels);
    for (Index k = 0; k < times; ++k) {
      detail::put_time<T, D>(data.initial.view().samples(i * times, 1), k, initial.view());
      detail::put_time<T, D>(data.members_of(i * times + k), k, members.view());
    }
    set_condition<T, D>(result, i, std::as_const(initial).view(), data.times[std::size_t(times - 1)],
                        data.origins[std::size_t(i * times)], std::as_const(members).view());
  }
  return result;
}

/// The fields of paths (path, grid…, K·C) as frames of trajectories, (path·K + k, grid…, C): what
/// ensemble_of_trajectories takes. Members of `paths_of` are such paths, and draws of a law of paths.
template <class T, int D> Field<T, D> frames_of(const View<const T, D>& paths, Index times) {
  require(times >= 1 && paths.channels % times == 0, "frames_of", "times",
          Text("a divisor of the ", paths.channels, " channels"), Text(times));
  const Index c = paths.channels / times;
  Field<T, D> frames(paths.batch * times, paths.grid, c);
  for (Index i = 0; i < paths.batch; ++i)
    for (Index k = 0; k < times; ++k)
      for (Index p = 0; p < paths.points(); ++p)
        for (Index j = 0; j < c; ++j) frames(i * times + k, p, j) = paths(i, p, k * c + j);
  return frames;
}

/// The law of u(t_{k+1}) alone, of a law of paths at so many times.
template <class T, int D, class R, class W>
Law<T, D, R, W> at_time(const Law<T, D, R, W>& paths, Index k, Index times) {
  require(times >= 1 && paths.channels() % times == 0, "at_time", "times",
          Text("a divisor of the ", paths.channels(), " channels"), Text(times));
  require(k >= 0 && k < times, "at_time", "k", Text("an index below ", times), Text(k));
  const Index channels = paths.channels() / times, rank = paths.rank();
  const auto slice = [&](const Field<T, D>& all, Index rows) {
    if (all.size() == 0) return Field<T, D>();
    Field<T, D> one(all.batch(), all.grid(), rows * channels);
    for (Index b = 0; b < all.batch(); ++b)
      for (Index p = 0; p < all.points(); ++p)
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < channels; ++c)
            one(b, p, detail::factor_channel(r, c, channels)) =
                all(b, p, detail::factor_channel(r, k * channels + c, paths.channels()));
    return one;
  };
  return {slice(paths.mean, 1), slice(paths.factor, rank), slice(paths.nugget, 1), paths.residual,
          paths.warp};
}

}  // namespace mno

#pragma once
// Training data from trajectories: every pair (u_s, u_{s+τ}) of frames is a condition with one draw. All
// pairs of a trajectory have one origin, so that a split deals out trajectories and never tears one apart.
//
//   auto data = ensemble_of_trajectories<float, 1>(frames.view(), times, {.lags = {1, 2, 5}});
//   const Split split = split_by_origin(data.origins, 0.1, 0.1, seed);
//
// With a history of W frames the W − 1 before u_s are known fields of the condition, the nearest first: field
// j·C + c is channel c of the frame j + 1 steps before. So a law may depend on the past, as it does for a
// process that is not Markov.
#include <span>
#include <utility>

#include "mno/data/ensemble.hpp"
#include "mno/data/frame_pairs.hpp"

namespace mno {

namespace detail {
/// The frames before u_s that belong to a pair, into known fields (condition, grid…, (W − 1)·C).
template <class T, int D>
void set_history(const View<const T, D>& frames, Index first_of_trajectory, const FramePair& pair,
                 const PairOptions& options, Index condition, Field<T, D>& known) {
  const Index c = frames.channels;
  for (Index j = 0; j + 1 < options.history; ++j) {
    const Index frame = first_of_trajectory + frame_before(pair, j + 1, options);
    for (Index p = 0; p < frames.points(); ++p)
      for (Index k = 0; k < c; ++k) known(condition, p, j * c + k) = frames(frame, p, k);
  }
}
}  // namespace detail

/// `frames` has those of the first trajectory, then those of the second and so on, (trajectory·frame, grid…,
/// C); all trajectories have the frames at `times`. A trajectory that is cut into pieces has an origin for
/// each.
template <class T, int D>
Ensemble<T, D> ensemble_of_trajectories(View<const T, D> frames, std::span<const double> times,
                                        const PairOptions& options = {}, EnsembleOptions keep = {}) {
  const auto each = Index(times.size());
  require(each >= 2 && frames.batch % each == 0, "ensemble_of_trajectories", "frames",
          Text("trajectories of at least two frames, ", each, " as there are times"),
          Text(frames.batch, " frames"));
  const std::vector<FramePair> pairs = frame_pairs(times, options);
  require(!pairs.empty(), "ensemble_of_trajectories", "options", Text("lags that two frames have"),
          Text("none of ", each, " frames at such a distance"));
  const Index trajectories = frames.batch / each, number = Index(pairs.size());
  const std::vector<Index> counts(std::size_t(trajectories * number), 1);
  auto data = make_ensemble<T, D>(std::span<const Index>(counts), frames.grid, frames.channels, keep);
  if (options.history > 1)
    data.known = Field<T, D>(data.size(), frames.grid, (options.history - 1) * frames.channels);
  for (Index trajectory = 0; trajectory < trajectories; ++trajectory)
    for (Index p = 0; p < number; ++p) {
      const FramePair& pair = pairs[std::size_t(p)];
      detail::set_history<T, D>(frames, trajectory * each, pair, options, trajectory * number + p,
                                data.known);
      set_condition<T, D>(data, trajectory * number + p, frames.samples(trajectory * each + pair.from, 1),
                          T(pair.time), trajectory * options.pieces + pair.piece,
                          frames.samples(trajectory * each + pair.to, 1));
    }
  return data;
}

}  // namespace mno

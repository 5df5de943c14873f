#pragma once
// Which frames of a trajectory make pairs to learn from: u_s is given, u_{s+τ} is asked for.
//
//   frames   0 1 2 3 4 …      lag 1: (0,1) (1,2) (2,3) …      lag 2: (0,2) (1,3) …
//
// Several lags are several times in one model. Lags are counted in frames, or given in units of time: then a
// pair is two frames whose distance is the lag up to a tolerance, which is how irregular times are used.
//
// With a history of W frames, u_s and the W − 1 frames before it are given. A pair starts only where these
// frames exist, and they are equally far apart in all pairs.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno {

struct FramePair {
  Index from = 0, to = 0;
  double time = 0;  // between them
  Index piece = 0;  // of the trajectory that both lie in
};

struct PairOptions {
  std::vector<Index> lags{1};       // in frames that are kept
  std::vector<double> lag_times{};  // in units of time; if there are any, `lags` is ignored
  double tolerance = 1e-3;          // of a lag time, relative to it
  Index every = 1;                  // frames 0, every, 2 · every, … are kept
  bool first_only = false;          // pairs that start from the first frame alone, behind its history
  Index pieces = 1;                 // the trajectory is cut into so many, and no pair reaches over a cut
  Index history = 1;                // frames that are given: u_s, and those before it
};

/// The frame of a pair's history that lies `steps` steps before u_s.
inline Index frame_before(const FramePair& pair, Index steps, const PairOptions& options) {
  return pair.from - steps * options.every;
}

namespace detail {

/// Times on a regular grid up to rounding are put on it, so that equal lags are equal numbers.
inline std::vector<double> straightened(std::span<const double> times) {
  std::vector<double> out(times.begin(), times.end());
  if (times.size() < 2) return out;
  const double step = (times.back() - times.front()) / double(times.size() - 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double regular = times.front() + double(i) * step;
    if (std::abs(times[i] - regular) > 1e-3 * std::abs(step)) return {times.begin(), times.end()};
    out[i] = regular;
  }
  return out;
}

}  // namespace detail

/// The pairs of a trajectory with frames at these times, which increase; ordered by their first frame.
inline std::vector<FramePair> frame_pairs(std::span<const double> times, const PairOptions& options = {}) {
  require(options.every >= 1, "frame_pairs", "every", Text("at least 1"), Text(options.every));
  require(options.pieces >= 1, "frame_pairs", "pieces", Text("at least 1"), Text(options.pieces));
  require(options.history >= 1, "frame_pairs", "history", Text("at least 1, u_s alone"),
          Text(options.history));
  require(!options.lags.empty() || !options.lag_times.empty(), "frame_pairs", "lags",
          Text("at least one lag"), Text("none"));
  for (const Index lag : options.lags)
    require(lag >= 1, "frame_pairs", "lags", Text("lags of at least one frame"), Text(lag));
  for (const double lag : options.lag_times)
    require(std::isfinite(lag) && lag > 0, "frame_pairs", "lag_times", Text("times above 0"), Text(lag));
  for (std::size_t i = 0; i < times.size(); ++i)
    require(std::isfinite(times[i]) && (i == 0 || times[i] > times[i - 1]), "frame_pairs", "times",
            Text("finite times that increase"), Text(times[i], " at frame ", i));

  std::vector<Index> kept;
  for (Index f = 0; f < Index(times.size()); f += options.every) kept.push_back(f);
  const std::vector<double> all = detail::straightened(times);
  const auto n = Index(kept.size());
  const auto time = [&](Index k) { return all[std::size_t(kept[std::size_t(k)])]; };
  const auto piece = [&](Index k) { return k * options.pieces / std::max<Index>(n, 1); };

  std::vector<FramePair> pairs;
  const double step = n > 1 ? (time(n - 1) - time(0)) / double(n - 1) : 0;
  if (options.history > 1)
    for (Index k = 1; k < n; ++k)
      require(std::abs(time(k) - time(k - 1) - step) <= 1e-3 * step, "frame_pairs", "times",
              Text("frames at equal distances, as a history is to mean the same for all pairs"),
              Text("one of ", time(k) - time(k - 1), " where the others are ", step, " on average"));
  const auto add = [&](Index from, Index to) {
    if (piece(from - options.history + 1) != piece(to)) return;
    double lag = time(to) - time(from);
    const double regular = step * double(to - from);  // without the rounding of a difference
    if (std::abs(lag - regular) < 1e-9 * std::abs(regular)) lag = regular;
    pairs.push_back({kept[std::size_t(from)], kept[std::size_t(to)], lag, piece(from)});
  };
  const Index first = options.history - 1, end = options.first_only ? std::min(first + 1, n) : n;
  for (Index from = first; from < end; ++from) {
    for (const double lag : options.lag_times) {
      Index best = -1;
      for (Index to = from + 1; to < n && time(to) - time(from) <= lag * (1 + options.tolerance); ++to)
        if (best < 0 || std::abs(time(to) - time(from) - lag) < std::abs(time(best) - time(from) - lag))
          best = to;
      if (best >= 0 && std::abs(time(best) - time(from) - lag) <= options.tolerance * lag) add(from, best);
    }
    if (!options.lag_times.empty()) continue;
    for (const Index lag : options.lags)
      if (lag < n - from) add(from, from + lag);
  }
  return pairs;
}

}  // namespace mno

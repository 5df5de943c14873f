#pragma once
// What the ensemble says about u_t: the statistics that losses look at, and the members for losses that need
// them.
//
// Most losses see the ensemble only through its mean and variance per point, so these two fields per sample
// replace M members: the same loss to rounding, and M/2 times less memory.
#include <cstdint>
#include <span>

#include "mno/core/field.hpp"
#include "mno/data/member_offsets.hpp"

namespace mno {

template <class T, int D> struct Target {
  View<const T, D> mean;                 // ū: (sample, grid…, C)
  View<const T, D> variance{};           // s², divided by M − 1: (sample, grid…, C)
  std::span<const Index> counts{};       // M, members of the ensemble: one for all, or one per sample
  View<const T, D> covariance_factor{};  // Y, YᵀY ≈ empirical covariance: (sample, grid…, s·C), in j·C + c
  View<const T, D> members{};        // u: (all members, grid…, C), those of a sample from first_member on
  View<const T, D> initial{};        // u_0: (sample, grid…, C), for terms of your own
  std::span<const Index> offsets{};  // member_offsets(counts), where samples differ in M
  std::uint64_t step = 0;            // of training: terms that draw random numbers take others in every step

  Index samples() const { return mean.batch; }
  MNO_HOST_DEVICE Index count(Index sample) const {
    return counts[counts.size() == 1 ? 0 : std::size_t(sample)];
  }
  /// The members of a sample are those in rows [first_member, first_member + count).
  MNO_HOST_DEVICE Index first_member(Index sample) const { return member_offset(counts, offsets, sample); }
  View<const T, D> members_of(Index sample) const {
    return members.samples(first_member(sample), count(sample));
  }
  /// (1/M) Σ_j (u_j − ū)² = s² (M − 1)/M: with it, a mean over members is a function of ū and s².
  double biased_variance(Index sample, Index point, Index channel) const {
    const Index m = count(sample);
    return m == 1 ? 0.0 : double(variance(sample, point, channel)) * double(m - 1) / double(m);
  }
};

namespace detail {

/// Do the given parts fit together? Values of members are too many to be checked here.
template <class T, int D> void check_target(const char* function, const Target<T, D>& target) {
  const auto& mean = target.mean;
  require(mean && mean.batch >= 1 && mean.channels >= 1, function, "target.mean", Text("at least one sample"),
          Text(mean.batch));
  require(all_finite(mean), function, "target.mean", Text("finite values"), Text("a NaN or an infinity"));
  const auto like_mean = [&](const char* argument, View<const T, D> view, Index batch) {
    require(view.batch == batch && view.grid == mean.grid && view.channels == mean.channels, function,
            argument, Text(batch, " field(s) of ", mean.channels, " channel(s) on ", mean.grid.str()),
            Text(view.batch, " of ", view.channels, " on ", view.grid.str()));
  };
  require(target.counts.size() <= 1 || Index(target.counts.size()) == mean.batch, function, "target.counts",
          Text("one count for all samples, or one per sample (", mean.batch, ")"),
          Text(target.counts.size()));
  for (const Index m : target.counts)
    require(m >= 1, function, "target.counts", Text("at least one member"), Text(m));
  if (!target.offsets.empty()) {
    require(
        Index(target.offsets.size()) == mean.batch + 1 && target.offsets[0] == 0 && !target.counts.empty(),
        function, "target.offsets",
        Text("one per sample and the end, ", mean.batch + 1, " beside their counts"),
        Text(target.offsets.size()));
    for (Index s = 0; s < mean.batch; ++s)
      require(target.offsets[std::size_t(s) + 1] - target.offsets[std::size_t(s)] == target.count(s),
              function, "target.offsets", Text("member_offsets(target.counts)"),
              Text("others at sample ", s));
  }
  if (target.variance) {
    like_mean("target.variance", target.variance, mean.batch);
    for (Index r = 0; r < target.variance.rows(); ++r)
      for (Index c = 0; c < mean.channels; ++c) {
        const T value = target.variance.row(r)[c];
        require(std::isfinite(value) && value >= T(0), function, "target.variance",
                Text("finite values that are not negative"), Text(value));
      }
  }
  if (target.covariance_factor) {
    const auto& y = target.covariance_factor;
    require(
        y.batch == mean.batch && y.grid == mean.grid && y.channels % mean.channels == 0, function,
        "target.covariance_factor",
        Text(mean.batch, " field(s) of a multiple of ", mean.channels, " channel(s) on ", mean.grid.str()),
        Text(y.batch, " of ", y.channels, " on ", y.grid.str()));
    require(all_finite(y), function, "target.covariance_factor", Text("finite values"),
            Text("a NaN or an infinity"));
  }
  if (target.members) {
    require(!target.counts.empty(), function, "target.counts", Text("how many members a sample has"),
            Text("none"));
    if (target.offsets.empty())
      for (const Index m : target.counts)
        require(m == target.counts[0], function, "target.counts",
                Text("the same number for every sample, ", target.counts[0],
                     ", or target.offsets where members are given"),
                Text(m));
    like_mean("target.members", target.members, target.first_member(mean.batch));
  }
  if (target.initial) like_mean("target.initial", target.initial, mean.batch);
}

}  // namespace detail
}  // namespace mno

#pragma once
// Sums over the points of one sample, channel by channel. Blocks of points are summed in the field's own
// type, the blocks in double, so that a large grid loses no digits.
#include <array>

#include "mno/device/packet.hpp"

namespace mno::detail {

/// sum[i][c] = Σ_p value_i(p, c): values(p, load) gives one packet per sum, for the current channels.
template <class T, int Channels, int Count, class Values>
void sum_over_points(Index points, double (&sum)[Count][Channels], Values&& values) {
  constexpr Index block = 64;
  for (auto& row : sum) std::fill_n(row, Channels, 0.0);
  T partial[Count][Channels];
  for (Index first = 0; first < points; first += block) {
    const Index last = std::min(points, first + block);
    for (auto& row : partial) std::fill_n(row, Channels, T(0));
    for (Index p = first; p < last; ++p)
      for_each_packet<T>(Channels, [&](auto load, auto store) {
        const auto packets = values(p, load);
        for (std::size_t i = 0; i < std::size_t(Count); ++i)
          store(partial[i], packet::padd(load(partial[i]), packets[i]));
      });
    for (int i = 0; i < Count; ++i)
      for (int c = 0; c < Channels; ++c) sum[i][c] += double(partial[i][c]);
  }
}

}  // namespace mno::detail

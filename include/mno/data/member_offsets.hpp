#pragma once
// Where members stand when conditions have different numbers of them. One field holds all, one condition
// after the other, without gaps:
//
//   members of condition i in rows [offset_i, offset_i + M_i),   offset_i = Σ_{k<i} M_k
#include <algorithm>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/host_device.hpp"

namespace mno {

/// An ensemble has at least this many members. Fewer have no fourth cumulant, so no floor can be estimated,
/// and the deviation of three normal ones is 11 % too small on average. Fewer members are kept and scored one
/// by one, as draws.
inline constexpr Index least_ensemble = 4;

/// offset_i of every condition, and behind them the number of all rows: (conditions + 1), into memory of that
/// size.
inline void write_member_offsets(std::span<const Index> counts, std::span<Index> offsets) {
  offsets[0] = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) offsets[i + 1] = offsets[i] + counts[i];
}
inline std::vector<Index> member_offsets(std::span<const Index> counts) {
  std::vector<Index> offsets(counts.size() + 1);
  write_member_offsets(counts, offsets);
  return offsets;
}

/// offset_i, on a GPU too. Where all conditions have as many members as the first, offsets may be left out.
MNO_HOST_DEVICE inline Index member_offset(std::span<const Index> counts, std::span<const Index> offsets,
                                           Index condition) {
  return offsets.empty() ? condition * counts[0] : offsets[std::size_t(condition)];
}

/// Rows that are enough for any choice of `conditions` conditions, repeated ones included.
inline Index most_members(std::span<const Index> counts, Index conditions) {
  return conditions * (counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()));
}

}  // namespace mno

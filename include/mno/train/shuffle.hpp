#pragma once
// The order in which an epoch visits its samples: a function of (seed, epoch) alone.
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"

namespace mno {

namespace detail {
/// Uniform on 0 … bound−1 without bias: draws above the last multiple of the bound are thrown away.
inline std::uint32_t uniform_below(Stream& stream, std::uint32_t bound) {
  const std::uint32_t unwanted = (0u - bound) % bound;  // 2³² mod bound
  for (;;) {
    const std::uint32_t bits = stream.bits();
    if (bits >= unwanted) return bits % bound;
  }
}
}  // namespace detail

/// Writes a uniformly random permutation of 0 … n−1, by Fisher and Yates. Integers only, so the same on every
/// machine; the former contents do not matter.
inline void set_epoch_order(std::span<Index> order, std::uint64_t seed, std::uint64_t epoch) {
  require(order.size() <= std::numeric_limits<std::uint32_t>::max(), "set_epoch_order", "order",
          Text("fewer than 2^32 conditions"), Text(order.size()));
  constexpr std::uint32_t purpose = 0x73687566;  // "shuf": apart from other uses of the same seed
  Stream stream(seed, epoch, purpose);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = Index(i);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[detail::uniform_below(stream, std::uint32_t(i))]);
}

inline std::vector<Index> epoch_order(Index n, std::uint64_t seed, std::uint64_t epoch) {
  require(n >= 0, "epoch_order", "n", Text("a number that is not negative"), Text(n));
  std::vector<Index> order(static_cast<std::size_t>(n));
  set_epoch_order(order, seed, epoch);
  return order;
}

}  // namespace mno

#pragma once
// A batch in blocks of samples, and blocks dealt to the threads of a device.
#include <algorithm>

#include "mno/layer/pass.hpp"

namespace mno::detail {

/// Blocks of about a thousand points, so that a block's activations stay in cache from the lift to the heads
/// and back. A block also reads every weight once. So where a sample has few points beside the size of the
/// model, as on planes, blocks have more samples, until a block's activations outweigh the weights.
inline Index samples_per_block(Index points, Index parameters) {
  const Index cached = std::min<Index>(16, 1024 / points);
  const Index amortised = std::min<Index>(8, parameters / (128 * points));
  return std::max<Index>({1, cached, amortised});
}

/// body(pass, first sample, count) until all samples had their pass: here block by block, on a GPU all at
/// once.
template <class T, int D, class Body> void for_each_pass(Cpu& device, Index batch, Index size, Body&& body) {
  device.for_each((batch + size - 1) / size, [&](Index block, Workspace& workspace) {
    workspace.trace.release();
    workspace.scratch.release();
    Pass<T, D> pass(workspace);
    body(pass, block * size, std::min(size, batch - block * size));
  });
}

/// Memory that a whole batch needs beside its passes, until the next batch. One at a time.
template <class T, class Device> class BatchMemory;
template <class T> class BatchMemory<T, Cpu> {
 public:
  explicit BatchMemory(Cpu& device) : arena_(device.own<Own>().arena) { arena_.release(); }
  T* take(Index n) const { return arena_.template take<T>(std::size_t(n)); }

 private:
  struct Own {
    Arena arena;
  };
  Arena& arena_;
};

}  // namespace mno::detail

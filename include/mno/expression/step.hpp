#pragma once
// What the blocks of one training step share: the weights made ready once, the coefficients of all samples,
// and which parameters are summed block by block.
#include <vector>

#include "mno/core/tree.hpp"
#include "mno/expression/blocks.hpp"
#include "mno/expression/leaves.hpp"
#include "mno/layer/pass.hpp"

namespace mno::detail {

/// A layer whose weight cotangent is made at the end, from what its visits left in the store.
template <class L>
concept Collects = L::collects;
/// A layer that has weights made ready for its adjoint, in shares, or for its forward alone.
template <class L, class T>
concept PreparesAdjoint = requires(std::span<const T> w, std::span<T> to) {
  L::template prepare_adjoint<T>(w, to, Index(0), Index(1));
};
template <class L, class T>
concept Prepares = requires(std::span<const T> w, std::span<T> to) {
  L::template prepare<T>(w, to);
};

/// How a step cuts its batch.
struct BlockSizes {
  Index samples = 1;                               // of a block
  Index last_part = 1;                             // of those, how many go through the last part together
  std::size_t most_bytes = std::size_t{32} << 20;  // of coefficients at a time, but at least 8 shards
};
/// `together`: samples that a loss has to see at once; no block and no part of one cuts such a group.
inline BlockSizes block_sizes(Index points, Index parameters, Index together = 1) {
  const auto whole = [&](Index samples) { return (samples + together - 1) / together * together; };
  return {whole(samples_per_block(points, parameters)), whole(std::max<Index>(1, 256 / points))};
}

/// What a thread adds up: the nodes that lie whole in its run of shards. Only the summed parameters of a
/// buffer are ever touched, so the system gives memory to these alone.
struct ThreadSums {
  std::vector<Chunk> sums;
  TreeStack stack{1};
};

/// Kept by the device from one step to the next.
template <class T, int D> struct StepMemory {
  SpectrumStore<T, D> spectra;
  Chunk ready;                         // matrices transposed, in the layout of the parameters
  std::vector<std::size_t> prepared;   // offsets of the layers that they belong to
  std::vector<std::size_t> collected;  // offsets of the layers that collect
  std::vector<Cpu::Range> summed;      // parameters that are not collected
  std::vector<Chunk> nodes;            // sums over nodes of the tree, all parameters each
  std::vector<ThreadSums> threads;     // sums over nodes of the tree, parameters that are not collected

  /// The sum at a position of a stack, uninitialised; kept so that a training step allocates nothing.
  T* node(Index position, std::size_t n) { return sum_at(nodes, position, n); }
  T* thread_node(Index thread, Index position, std::size_t n) {
    return sum_at(threads[std::size_t(thread)].sums, position, n);
  }

 private:
  static T* sum_at(std::vector<Chunk>& sums, Index position, std::size_t n) {
    if (sums.size() <= std::size_t(position)) sums.resize(std::size_t(position) + 1);
    Chunk& sum = sums[std::size_t(position)];
    if (sum.size() < n * sizeof(T)) sum = Chunk(n * sizeof(T));
    return reinterpret_cast<T*>(sum.data());
  }
};
/// The visits of an expression's collecting layers on a grid, as they were noted.
template <class E, class T, int D> struct NotedVisits {
  Grid<D> grid{};
  std::vector<typename SpectrumStore<T, D>::Visit> visits;
  bool known = false;
};

template <class E, class T, int D> class Step {
 public:
  /// `rehearse(pass)` runs one sample forward: what it visits is what every block will visit.
  template <class Rehearse>
  Step(std::span<const T> weights, const Grid<D>& grid, const Shards& shards, const BlockSizes& sizes,
       Cpu& device, Rehearse&& rehearse)
      : memory_(device.own<StepMemory<T, D>>()), weights_(weights), device_(device), shards_(shards) {
    memory_.threads.resize(std::size_t(device.threads()));
    memory_.summed.clear();
    memory_.collected.clear();
    std::size_t at = 0;
    for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
      if constexpr (Collects<L>) {
        memory_.collected.push_back(offset);
        if (offset > at) memory_.summed.push_back({at, offset});
        at = offset + L::parameters;
      }
    });
    if (at < E::parameters) memory_.summed.push_back({at, E::parameters});
    if (!memory_.collected.empty()) {
      const auto& noted = visits(grid, rehearse);
      memory_.spectra.use(weights_, memory_.collected, noted.visits);
      const std::size_t each = std::max<std::size_t>(1, memory_.spectra.numbers_per_sample()) * sizeof(T);
      const std::size_t fit = sizes.most_bytes / each / std::size_t(shards.largest());
      round_ = Index(std::clamp<std::size_t>(std::bit_floor(fit), 8, std::size_t(Shards::most)));
    }
    if (shards.batch > sizes.samples) make_ready();
  }

  /// Shards whose coefficients are kept at a time.
  Index round() const { return round_; }
  std::span<const Cpu::Range> summed() const { return memory_.summed; }
  StepMemory<T, D>& memory() const { return memory_; }

  void begin(Index first, Index samples) const {
    if (!memory_.collected.empty()) memory_.spectra.begin(first, samples);
  }
  /// A pass of samples from `first` on.
  Pass<T, D> pass(Workspace& workspace, Index first) const {
    Pass<T, D> pass(workspace);
    pass.first = first;
    if (prepared_.values) pass.prepared = &prepared_;
    if (!memory_.collected.empty()) pass.collected = &memory_.spectra;
    return pass;
  }

  /// R̄ of a node of the round, for all layers that leave it to the end: every mode is one thread's.
  void collect(std::span<T> gradient, const TreeNode& node) const {
    if (memory_.collected.empty()) return;
    const Index shares = device_.threads();
    device_.for_each(shares, [&](Index share, Workspace& workspace) {
      workspace.scratch.release();
      Pass<T, D> pass(workspace);
      for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
        if constexpr (Collects<L>)
          L::collect(memory_.spectra, offset, gradient.subspan(offset, L::parameters), shards_, node, share,
                     shares, pass);
      });
    });
  }

 private:
  /// Noted once for every expression and grid.
  template <class Rehearse> const NotedVisits<E, T, D>& visits(const Grid<D>& grid, Rehearse&& rehearse) {
    auto& noted = device_.own<NotedVisits<E, T, D>>();
    if (noted.known && noted.grid == grid) return noted;
    noted.known = false;  // also if the rehearsal throws
    memory_.spectra.learn(weights_, memory_.collected);
    device_.for_each(1, [&](Index, Workspace& workspace) {
      workspace.trace.release();
      workspace.scratch.release();
      Pass<T, D> pass(workspace);
      pass.collected = &memory_.spectra;
      rehearse(pass);
    });
    noted.visits.assign(memory_.spectra.visits().begin(), memory_.spectra.visits().end());
    noted.grid = grid;
    noted.known = true;
    return noted;
  }

  void make_ready() {
    const std::size_t bytes = E::parameters * sizeof(T);
    if (memory_.ready.size() < bytes) memory_.ready = Chunk(bytes);
    const std::span<T> ready(reinterpret_cast<T*>(memory_.ready.data()), E::parameters);
    memory_.prepared.clear();
    for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
      if constexpr (PreparesAdjoint<L, T> || Prepares<L, T>) memory_.prepared.push_back(offset);
    });
    const Index shares = device_.threads();
    device_.for_each(shares, [&](Index share, Workspace&) {
      for_each_owner<E>(Unnamed{}, 0, [&]<class L>(Unnamed, std::size_t offset) {
        const auto w = weights_.subspan(offset, L::parameters);
        const auto to = ready.subspan(offset, L::parameters);
        if constexpr (PreparesAdjoint<L, T>)
          L::template prepare_adjoint<T>(w, to, share, shares);
        else if constexpr (Prepares<L, T>)
          if (share == 0) L::template prepare<T>(w, to);
      });
    });
    prepared_ = {weights_, ready.data(), memory_.prepared};
  }

  StepMemory<T, D>& memory_;
  std::span<const T> weights_;
  Cpu& device_;
  PreparedWeights<T> prepared_;
  Shards shards_;
  Index round_ = Shards::most;
};

}  // namespace mno::detail

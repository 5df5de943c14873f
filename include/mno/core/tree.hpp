#pragma once
// Sums over a batch in one fixed tree, whoever computes its parts.
//
// A sum of floating-point numbers depends on the order of its terms, so the order is fixed. A batch is cut
// into shards; the cuts depend only on its size and the size of a block. Within a shard, sums run in the
// order of samples. Over shards they run in a binary tree: shards 2i and 2i + 1, then pairs of those, and so
// on; where a right neighbour is missing, the left one is the pair. Every thread, round or process has a run
// of shards, adds up the nodes that lie whole in it and hands on the rest: the result has the same bits for
// any number of them.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "mno/core/grid.hpp"

namespace mno {

/// Leaves [begin, begin + width) of a tree, as far as they exist. The width is a power of two that divides
/// begin.
struct TreeNode {
  Index begin = 0, width = 1;
};

/// Neighbouring nodes of a tree, from left to right. There are never many, so few sums need to be kept: two
/// neighbours that make up a larger node are added as soon as both are there.
class TreeStack {
 public:
  /// The most nodes that a tree of at most 64 leaves has here at a time: two of every width.
  static constexpr Index most = 14;

  explicit TreeStack(Index leaves) : leaves_(leaves), root_(Index(std::bit_ceil(std::size_t(leaves)))) {}

  Index size() const { return size_; }
  const TreeNode& operator[](Index i) const { return nodes_[std::size_t(i)]; }

  /// Puts a node to the right of the others, its sum at position size(). Then add(to, from) adds the sum at
  /// one position to that at the one before it, as often as neighbours make up a larger node.
  template <class Add> void push(TreeNode node, Add&& add) {
    nodes_[std::size_t(size_++)] = node;
    for (;;) {
      TreeNode& last = nodes_[std::size_t(size_ - 1)];
      const bool left = last.begin % (2 * last.width) == 0;
      if (left && last.width < root_ && last.begin + last.width >= leaves_) {  // no right neighbour
        last.width *= 2;
        continue;
      }
      if (left || size_ == 1) return;
      TreeNode& before = nodes_[std::size_t(size_ - 2)];
      if (before.width != last.width || before.begin + before.width != last.begin) return;
      add(size_ - 2, size_ - 1);
      before.width *= 2;
      --size_;
    }
  }

 private:
  Index leaves_, root_, size_ = 0;
  std::array<TreeNode, std::size_t(most)> nodes_{};
};

/// Σ of one number per leaf, in the tree.
inline double tree_sum(std::span<const double> leaves) {
  if (leaves.empty()) return 0;
  double sums[TreeStack::most];
  // Leaves beyond 64 are summed in runs of 64, in their order.
  constexpr std::size_t most = 64;
  double total = 0;
  for (std::size_t begin = 0; begin < leaves.size(); begin += most) {
    const std::size_t count = std::min(most, leaves.size() - begin);
    TreeStack stack{Index(count)};
    for (std::size_t i = 0; i < count; ++i) {
      sums[stack.size()] = leaves[begin + i];
      stack.push({Index(i), 1}, [&](Index to, Index from) { sums[to] += sums[from]; });
    }
    total += sums[0];
  }
  return total;
}

/// A run of shards: [begin, end).
struct ShardRange {
  Index begin = 0, end = 0;
};

/// A batch in shards: runs of whole blocks of samples, by the batch and the size of a block alone.
struct Shards {
  static constexpr Index most = 64;
  Index batch = 1, block = 1;  // samples, and those of a block
  Index limit = most;          // no more shards than these
  Index together = 8;          // samples that a group of shards has at least

  Index blocks() const { return (batch + block - 1) / block; }
  Index count() const { return std::min(limit, blocks()); }
  /// Where a shard begins; that of shard count() is the end of the batch.
  Index first_sample(Index shard) const { return std::min(batch, shard * blocks() / count() * block); }
  /// The largest number of samples of a shard.
  Index largest() const { return (blocks() + count() - 1) / count() * block; }
  ShardRange all() const { return {0, count()}; }
  /// How many neighbouring shards share one product over samples: the least power of two with enough samples,
  /// or all.
  Index group() const {
    Index shards = 1;
    while (shards * largest() < together && shards < count()) shards *= 2;
    return shards;
  }
  /// The shards of part `which` of `parts`, in order: whole groups.
  ShardRange part(Index which, Index parts) const {
    const Index groups = (count() + group() - 1) / group();
    return {std::min(count(), groups * which / parts * group()),
            std::min(count(), groups * (which + 1) / parts * group())};
  }
  /// The widest node that begins with this shard and lies in the range.
  TreeNode node(const ShardRange& range, Index widest) const {
    TreeNode node{range.begin, 1};
    while (2 * node.width <= widest && node.begin % (2 * node.width) == 0 && node.width < count() &&
           (node.begin + 2 * node.width <= range.end || range.end == count()))
      node.width *= 2;
    return node;
  }
  /// The shards of a node that exist.
  ShardRange of(const TreeNode& node) const {
    return {node.begin, std::min(node.begin + node.width, count())};
  }
};

}  // namespace mno

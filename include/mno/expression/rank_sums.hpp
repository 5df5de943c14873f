#pragma once
// Sums over the ranks of a step. Each rank has sums over the nodes of the tree (core/tree.hpp) that its
// shards make up. Every rank gets its slice of all nodes and adds them up in the tree. Nothing here depends
// on the model, so it is compiled once.
#include <span>
#include <vector>

#include "mno/core/buffer.hpp"
#include "mno/core/tree.hpp"
#include "mno/device/cpu.hpp"
#include "mno/device/packet.hpp"

namespace mno::detail {

/// f(begin, count) of one of several pieces of every range.
template <class F> void for_each_part(std::span<const Cpu::Range> ranges, Index piece, Index pieces, F&& f) {
  for (const Cpu::Range& range : ranges) {
    const std::size_t n = range.end - range.begin;
    const std::size_t begin = range.begin + n * std::size_t(piece) / std::size_t(pieces);
    const std::size_t end = range.begin + n * std::size_t(piece + 1) / std::size_t(pieces);
    f(begin, end - begin);
  }
}
/// to[i] += from[i] in one of several pieces of every range.
template <class T>
void add_part(T* to, const T* from, std::span<const Cpu::Range> ranges, Index piece, Index pieces) {
  for_each_part(ranges, piece, pieces, [&](std::size_t begin, std::size_t n) {
    for_each_packet<T>(Index(n), [a = to + begin, b = from + begin](auto load, auto store) {
      store(a, packet::padd(load(a), load(b)));
    });
  });
}
/// In all of them, every number by one thread.
template <class T> void add(Cpu& device, T* to, const T* from, std::span<const Cpu::Range> ranges) {
  const Index pieces = device.threads();
  device.for_each(pieces, [&](Index piece, Workspace&) { add_part<T>(to, from, ranges, piece, pieces); });
}

/// What the ranks of a step exchange, kept from step to step. `Memory`: a buffer of the device.
template <class T, class Memory> struct RankSums {
  std::vector<std::span<const std::byte>> send;
  std::vector<std::span<std::byte>> receive;
  std::vector<Communicator::Slice> slices, shards;  // of the parameters and of the shards, (rank)
  std::vector<TreeStack> nodes;                     // (rank)
  std::vector<std::vector<Memory>> sums;            // (node, rank): this rank's slice

  void start(std::size_t parameters, const Shards& all, const Communicator& ranks) {
    const auto n = std::size_t(ranks.size());
    send.resize(n);
    receive.resize(n);
    shards.resize(n);
    nodes.resize(n, TreeStack(1));
    slices = parameter_slices(ranks, parameters);
    for (Index rank = 0; rank < ranks.size(); ++rank) {
      TreeStack& own = nodes[std::size_t(rank)] = TreeStack(all.count());
      ShardRange range = all.part(rank, ranks.size());
      shards[std::size_t(rank)] = {std::size_t(range.begin), std::size_t(range.end)};
      while (range.begin < range.end) {
        const TreeNode node = all.node(range, Shards::most);
        own.push(node, [](Index, Index) {});
        range.begin = all.of(node).end;
      }
    }
  }
  /// The most nodes of a rank.
  Index most() const {
    Index most = 0;
    for (const TreeStack& own : nodes) most = std::max(most, own.size());
    return most;
  }
  template <class Device> T* received(Index rank, Index node, std::size_t n, Device& device) {
    if (sums.size() <= std::size_t(node)) sums.resize(std::size_t(node) + 1);
    auto& of_node = sums[std::size_t(node)];
    if (of_node.size() < nodes.size()) of_node.resize(nodes.size());
    Memory& buffer = of_node[std::size_t(rank)];
    if (buffer.size() < n) buffer = device.buffer(n);
    return buffer.data();
  }
};

/// From this rank's sums over its nodes, `own`, to its slice of the whole sum, in `gradient`, which may be
/// the first of them. All of it is in the memory of a device, which says how it does
///   Memory buffer(n);  void exchange(send, receive);  void add(to, from, n);  void copy(from, to, n);
/// `memory` is started.
template <class T, class Memory, class Device>
void add_slices(Device&& device, const Communicator& ranks, const Shards& shards,
                std::span<const T* const> own, std::span<T> gradient, RankSums<T, Memory>& memory) {
  const Index size = ranks.size();
  const Communicator::Slice mine = memory.slices[std::size_t(ranks.rank())];
  const std::size_t n = mine.end - mine.begin;
  for (Index k = 0; k < memory.most(); ++k) {  // the k-th node of every rank that has so many
    const bool there = std::size_t(k) < own.size();
    for (Index rank = 0; rank < size; ++rank) {
      const auto r = std::size_t(rank);
      const Communicator::Slice& theirs = memory.slices[r];
      memory.send[r] =
          there
              ? std::as_bytes(std::span(own[std::size_t(k)] + theirs.begin, own[std::size_t(k)] + theirs.end))
              : std::span<const std::byte>();
      memory.receive[r] = k < memory.nodes[r].size()
                              ? std::as_writable_bytes(std::span(memory.received(rank, k, n, device), n))
                              : std::span<std::byte>();
    }
    device.exchange(memory.send, memory.receive);
  }
  TreeStack stack(shards.count());
  T* sums[TreeStack::most];
  for (Index rank = 0; rank < size; ++rank)
    for (Index k = 0; k < memory.nodes[std::size_t(rank)].size(); ++k) {
      sums[stack.size()] = memory.received(rank, k, n, device);
      stack.push(memory.nodes[std::size_t(rank)][k],
                 [&](Index left, Index right) { device.add(sums[left], sums[right], n); });
    }
  device.copy(sums[0], gradient.data() + mine.begin, n);
}

/// The same on processors; and the loss of every shard to all ranks.
template <class T>
void add_ranks(Cpu& device, const Shards& shards, std::span<const T* const> own, std::span<T> gradient,
               double* values) {
  struct Host {
    Cpu& cpu;
    Buffer<T> buffer(std::size_t n) const { return Buffer<T>(n); }
    void exchange(std::span<const std::span<const std::byte>> send,
                  std::span<const std::span<std::byte>> receive) const {
      cpu.communicator().exchange(send, receive);
    }
    void add(T* to, const T* from, std::size_t n) const {
      const Cpu::Range all[] = {{0, n}};
      detail::add<T>(cpu, to, from, all);
    }
    void copy(const T* from, T* to, std::size_t n) const { std::copy_n(from, n, to); }
  };
  Communicator& ranks = device.communicator();
  auto& memory = device.own<RankSums<T, Buffer<T>>>();
  memory.start(gradient.size(), shards, ranks);
  add_slices<T>(Host{device}, ranks, shards, own, gradient, memory);
  ranks.all_gather(std::span(values, std::size_t(shards.count())),
                   std::span<const Communicator::Slice>(memory.shards));
}

}  // namespace mno::detail

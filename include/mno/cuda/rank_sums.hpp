#pragma once
// Sums over the ranks of a step on GPUs, and the way back from slices to the whole: expression/rank_sums.hpp
// in the memory of devices.
#include "mno/cuda/elementwise.hpp"
#include "mno/expression/rank_sums.hpp"

namespace mno::cuda {

template <class T> class DeviceRankSums {
 public:
  /// From this rank's sums over its nodes of the tree, `own`, to its slice of the whole sum, in `gradient`,
  /// which may be the first of them.
  void add(Cuda& device, const Shards& shards, std::span<const T* const> own, std::span<T> gradient) {
    struct Memory {
      Cuda& device;
      DeviceBuffer<T> buffer(std::size_t n) const { return {n, device.check}; }
      void exchange(std::span<const std::span<const std::byte>> send,
                    std::span<const std::span<std::byte>> receive) const {
        device.exchange(send, receive);
      }
      void add(T* to, const T* from, std::size_t n) const { device.for_each(Index(n), AddTo<T>{from, to}); }
      void copy(const T* from, T* to, std::size_t n) const { device.copy(from, to, n); }
    };
    memory_.start(gradient.size(), shards, device.communicator());
    mno::detail::add_slices<T>(Memory{device}, device.communicator(), shards, own, gradient, memory_);
  }
  /// The shards of every rank, in the last sum.
  const std::vector<Communicator::Slice>& shards() const { return memory_.shards; }

  /// Every rank has its slice of the values, in the layout of the parameters; afterwards all have all.
  void gather(Cuda& device, std::span<T> values) {
    const Communicator& ranks = device.communicator();
    const auto slices = mno::detail::parameter_slices(ranks, values.size());
    const auto own = std::size_t(ranks.rank());
    const auto bytes = [&](const Communicator::Slice& s) {
      return std::as_writable_bytes(values.subspan(s.begin, s.end - s.begin));
    };
    memory_.send.assign(slices.size(), {});
    memory_.receive.assign(slices.size(), {});
    for (std::size_t rank = 0; rank < slices.size(); ++rank) {
      if (rank == own) continue;
      memory_.send[rank] = bytes(slices[own]);
      memory_.receive[rank] = bytes(slices[rank]);
    }
    device.exchange(memory_.send, memory_.receive);
  }

 private:
  mno::detail::RankSums<T, DeviceBuffer<T>> memory_;
};

}  // namespace mno::cuda

#pragma once
// Messages between the memories of devices, one device to a rank.
//
//   mno::Cuda device({.device = gpu}, world);     // a Communicator: through the memory of the hosts
//   mno::NcclWorld nccl(world, gpu);              // mno/cuda/nccl.hpp: from device to device
//   mno::Cuda device({.device = gpu}, nccl);
#include <span>

#include "mno/cuda/memory.hpp"
#include "mno/device/communicator.hpp"

namespace mno::cuda {

class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// The same ranks, for what the host has to say.
  virtual Communicator& ranks() const = 0;

  /// As Communicator::exchange with memory of the device, behind what was queued on the stream before. What
  /// is queued afterwards finds what was received.
  virtual void exchange(std::span<const std::span<const std::byte>> send,
                        std::span<const std::span<std::byte>> receive, cudaStream_t stream,
                        const Checks& check) = 0;

 protected:
  /// A rank's own part.
  static void copy_own(std::span<const std::byte> from, std::span<std::byte> to, cudaStream_t stream,
                       const Checks& check) {
    if (!from.empty())
      check(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync", readable(from.size()));
  }
};

/// Down to pinned memory, from host to host by the communicator, and up again.
class ThroughHost final : public DeviceExchange {
 public:
  explicit ThroughHost(Communicator& ranks) : ranks_(ranks) {}
  Communicator& ranks() const override { return ranks_; }

  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive, cudaStream_t stream,
                const Checks& check) override {
    const auto size = send.size(), own = std::size_t(ranks_.rank());
    std::size_t sent = 0, received = 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (rank == own) continue;
      sent += send[rank].size();
      received += receive[rank].size();
    }
    if (pinned_.size() < sent + received) {
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // copies may read it
      pinned_ = PinnedBuffer<std::byte>(sent + received, check);
    }
    down_.assign(size, {});
    up_.assign(size, {});
    std::byte* place = pinned_.data();
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (rank == own) continue;
      down_[rank] = {place, send[rank].size()};
      if (!send[rank].empty())
        check(cudaMemcpyAsync(place, send[rank].data(), send[rank].size(), cudaMemcpyDeviceToHost, stream),
              "cudaMemcpyAsync", readable(send[rank].size()));
      place += send[rank].size();
    }
    // Also copies up to the device, of the exchange before this one, are done after this.
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (rank == own) continue;
      up_[rank] = {place, receive[rank].size()};
      place += receive[rank].size();
    }
    ranks_.exchange(down_, up_);
    for (std::size_t rank = 0; rank < size; ++rank)
      if (!up_[rank].empty())
        check(cudaMemcpyAsync(receive[rank].data(), up_[rank].data(), up_[rank].size(),
                              cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync", readable(up_[rank].size()));
    copy_own(send[own], receive[own], stream, check);
  }

 private:
  Communicator& ranks_;
  PinnedBuffer<std::byte> pinned_;
  std::vector<std::span<const std::byte>> down_;
  std::vector<std::span<std::byte>> up_;
};

}  // namespace mno::cuda

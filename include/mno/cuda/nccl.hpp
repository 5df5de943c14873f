#pragma once
// Messages from device to device by NCCL. Ranks meet through a communicator that is there already:
//
//   mno::MpiWorld world;                     // mno/mpi/world.hpp
//   mno::NcclWorld nccl(world, gpu);         // this rank's GPU
//   mno::Cuda device({.device = gpu}, nccl);
//
// NCCL only carries bytes, in groups of sends and receives. Its own sums depend on the number of ranks, so
// ours are made of what arrives.
//
// A rank that waits looks whether NCCL has come upon an error, and whether MNO_RANK_TIMEOUT seconds have
// passed (default 900). Then it aborts NCCL's communicator, which ends what is under way on its device, and
// throws: the run ends as a whole, as it does with MPI. In the constructor and in the first exchange, where
// NCCL makes its connections, NCCL itself waits.
#include <nccl.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <exception>

#include "mno/cuda/exchange.hpp"

namespace mno {

class NcclWorld final : public cuda::DeviceExchange {
 public:
  /// All ranks call it, each for a device of its own.
  explicit NcclWorld(Communicator& ranks, int device = 0)
      : ranks_(ranks), timeout_(detail::rank_timeout()), exceptions_(std::uncaught_exceptions()) {
    check_.device = Text("device ", device, " of rank ", ranks.rank()).str();
    if (ranks.size() == 1) return;
    check_(cudaSetDevice(device), "cudaSetDevice", device);
    struct Invitation {
      ncclUniqueId id{};
      ncclResult_t result = ncclSuccess;
    } invitation;
    if (ranks.rank() == 0) invitation.result = ncclGetUniqueId(&invitation.id);
    ranks.broadcast(std::span(&invitation, 1));  // also that there is none, so that nobody waits
    check(invitation.result, "ncclGetUniqueId");
    check(ncclCommInitRank(&all_, int(ranks.size()), invitation.id, int(ranks.rank())), "ncclCommInitRank",
          ranks.size(), " ranks");
  }
  ~NcclWorld() override {
    if (!all_) return;
    if (std::uncaught_exceptions() > exceptions_)  // the others may wait for what this rank does not send
      abort();
    else
      ncclCommDestroy(all_);
  }
  NcclWorld(const NcclWorld&) = delete;
  NcclWorld& operator=(const NcclWorld&) = delete;

  Communicator& ranks() const override { return ranks_; }

  /// Returns when all has arrived: only a rank that looks can see that another one is lost.
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive, cudaStream_t stream,
                const cuda::Checks& check) override {
    const auto own = std::size_t(ranks_.rank());
    copy_own(send[own], receive[own], stream, check);
    if (ranks_.size() == 1) return;
    if (!all_) throw CudaError("mno::NcclWorld: an exchange failed before, and no other can follow.");
    try {
      post(send, receive, stream);
      wait(stream, check);
    } catch (...) {
      abort();
      throw;
    }
  }

 private:
  template <class... Size> void check(ncclResult_t result, const char* call, const Size&... size) const {
    if (result == ncclSuccess) return;
    std::string sentence = check_.put(call, Text(size...).str(), ncclGetErrorString(result));
    if (const char* const last = ncclGetLastError(all_); last && *last)
      sentence += std::string(" (") + last + ")";
    throw CudaError(sentence + ".");
  }

  /// All sends and receives as one group: either side of a pair may come first, and none waits for another.
  void post(std::span<const std::span<const std::byte>> send, std::span<const std::span<std::byte>> receive,
            cudaStream_t stream) {
    check(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t first = ncclSuccess;
    const char* call = "";
    const auto note = [&](ncclResult_t result, const char* name) {
      if (result == ncclSuccess || first != ncclSuccess) return;
      first = result;
      call = name;
    };
    for (int other = 0; other < int(send.size()); ++other) {
      if (Index(other) == ranks_.rank()) continue;
      const std::span<const std::byte> out = send[std::size_t(other)];
      const std::span<std::byte> in = receive[std::size_t(other)];
      if (!out.empty()) note(ncclSend(out.data(), out.size(), ncclUint8, other, all_, stream), "ncclSend");
      if (!in.empty()) note(ncclRecv(in.data(), in.size(), ncclUint8, other, all_, stream), "ncclRecv");
    }
    const ncclResult_t ended = ncclGroupEnd();  // a group that was begun is ended in any case
    check(first, call);
    check(ended, "ncclGroupEnd");
  }

  /// Until everything on the stream is done. It polls at once at first, then yields in between, then sleeps.
  void wait(cudaStream_t stream, const cuda::Checks& check_cuda) const {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (long look = 0;; ++look) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state != cudaSuccess && state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
      if (state == cudaErrorNotReady) cudaGetLastError();  // the runtime would report it as an error
      ncclResult_t met = ncclSuccess;
      check(ncclCommGetAsyncError(all_, &met), "ncclCommGetAsyncError");
      if (met != ncclInProgress) check(met, "an exchange");
      if (state == cudaSuccess) return;
      if (look < 64) continue;
      if (look < 4096) {
        ::sched_yield();
        continue;
      }
      ::usleep(50);
      if (look % 1024 == 0 && std::chrono::duration<double>(Clock::now() - start).count() > timeout_)
        throw CudaError(Text("mno::NcclWorld: rank ", ranks_.rank(), " of ", ranks_.size(),
                             ": nothing came from another rank for ", timeout_,
                             " s (MNO_RANK_TIMEOUT), so the run is ended.")
                            .str());
    }
  }
  /// What is under way on the device ends without a result.
  void abort() noexcept {
    ncclCommAbort(all_);
    all_ = nullptr;
  }

  Communicator& ranks_;
  double timeout_;
  int exceptions_;
  cuda::Checks check_;
  ncclComm_t all_ = nullptr;
};

}  // namespace mno

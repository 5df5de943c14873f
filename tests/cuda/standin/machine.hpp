#pragma once
// What the runtime, cuFFT and cuBLAS of the stand-in share: its memory, its queues, and failures on demand.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "memory.hpp"
#include "standin.hpp"

namespace standin {

/// One at a time: held by every call of the three libraries.
std::recursive_mutex& mutex();
using Lock = std::lock_guard<std::recursive_mutex>;

Memory& memory();
/// Whether [address, address + bytes) is in memory of cudaMallocHost or cudaHostAlloc.
bool is_pinned(const void* address, std::size_t bytes);

void report(std::string violation);

/// Counts a call that may fail. True if it shall fail now.
bool fails(bool allocates = false);

/// Work for a stream. The ranges are checked when it is submitted and, since memory may be freed meanwhile,
/// when it runs; the guards of all allocations are checked afterwards.
struct Operation {
  std::string name;
  std::vector<Range> device;  // what it touches in device memory
  std::vector<Range> pinned;  // what it touches in pinned memory
  std::function<void()> run;
  /// Asked again and again when its turn has come, until it says yes; without one it can run at once. Work
  /// that needs somebody else, such as a message.
  std::function<bool()> ready{};
};
/// Puts work into a stream. An error is cudaErrorInvalidValue (a range) or cudaErrorInvalidResourceHandle.
cudaError_t submit(cudaStream_t stream, Operation operation);
bool is_stream(cudaStream_t stream);

/// Asks again and again, with the mutex free in between, so that other threads can do their part. False if
/// they did not in `patience` seconds.
bool wait_for(const std::function<bool()>& done);
inline constexpr double patience = 20;

/// How many plans, handles and communicators are alive; kept by cuFFT, cuBLAS and NCCL.
std::size_t& plan_count();
std::size_t& blas_handle_count();
std::size_t& communicator_count();

}  // namespace standin

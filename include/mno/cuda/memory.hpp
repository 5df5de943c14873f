#pragma once
// Memory of the device, and memory of the host that the device can copy from while the host goes on.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mno/core/buffer.hpp"
#include "mno/cuda/error.hpp"

namespace mno::cuda {

/// Uninitialised device memory for n values. The host must not look at it.
template <class T> class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::size_t n, const Checks& check) : size_(n) {
    void* memory = nullptr;
    const cudaError_t result = cudaMalloc(&memory, n * sizeof(T));
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw DeviceOutOfMemory(Text("mno::Cuda: ", check.device, " has no ", readable(n * sizeof(T)),
                                   " left (", readable(free), " of ", readable(total), " are free).")
                                  .str(),
                              n * sizeof(T));
    }
    check(result, "cudaMalloc", readable(n * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) cudaFree(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Pinned host memory: a copy from or to it runs beside the host.
template <class T> class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::size_t n, const Checks& check) : size_(n) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, n * sizeof(T)), "cudaMallocHost", readable(n * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_) cudaFreeHost(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// One piece of device memory from which a computation takes what it needs: what lasts to its end (`keep`)
/// from the front, what lives for a while (`scratch`) from the back.
///
/// A dry run finds out how much is needed ("measuring"): it goes through the computation without computing.
/// Then pieces have no memory behind them, and only their sizes are added up.
class DeviceArena {
 public:
  static constexpr std::size_t boundary = 256;  // as cudaMalloc's own

  void measure() {
    measuring_ = true;
    front_ = back_ = peak_ = 0;
  }
  /// From here on there is memory, at least as much as was measured.
  void begin(std::byte* memory, std::size_t bytes) {
    measuring_ = false;
    memory_ = memory;
    bytes_ = bytes;
    front_ = back_ = 0;
  }
  std::size_t peak() const { return peak_; }

  template <class T> T* keep(std::size_t n) {
    const std::size_t at = front_;
    front_ += rounded(n * sizeof(T));
    grown();
    return place<T>(at);
  }
  template <class T> T* scratch(std::size_t n) {
    back_ += rounded(n * sizeof(T));
    grown();
    return place<T>((measuring_ ? far_away : bytes_) - back_);
  }
  std::size_t scratch_mark() const { return back_; }
  void release_scratch(std::size_t mark) { back_ = mark; }

 private:
  static constexpr std::size_t far_away = std::size_t(1) << 46;
  static std::size_t rounded(std::size_t bytes) { return (bytes + boundary - 1) / boundary * boundary; }
  template <class T> T* place(std::size_t offset) const {
    if (!measuring_) return reinterpret_cast<T*>(memory_ + offset);
    const std::uintptr_t nowhere = far_away + offset;
    return reinterpret_cast<T*>(nowhere);  // NOLINT(performance-no-int-to-ptr): nobody looks there
  }
  void grown() {
    if (measuring_ && front_ + back_ > peak_) peak_ = front_ + back_;
    if (!measuring_ && front_ + back_ > bytes_)
      throw CudaError("mno::Cuda: a computation took more memory than when it was measured.");
  }

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0, front_ = 0, back_ = 0, peak_ = 0;
  bool measuring_ = false;
};

/// Scratch that is taken during this object's life is given back at its end.
class DeviceScope {
 public:
  explicit DeviceScope(DeviceArena& arena) : arena_(arena), mark_(arena.scratch_mark()) {}
  ~DeviceScope() { arena_.release_scratch(mark_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  DeviceArena& arena_;
  std::size_t mark_;
};

}  // namespace mno::cuda

#pragma once
// A flat, aligned, zero-initialised array: what fields and parameters are stored in.
//
// Data may be larger than the memory of the machine: io/disk_memory.hpp makes large fields lie in files.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace mno {

inline constexpr std::size_t alignment = 64;  // bytes: a cache line, and the widest vector register

namespace detail {
/// Where data lies that does not fit into memory.
struct LargeMemory {
  std::size_t least = std::size_t(-1);         // bytes from which data lies there
  void* (*take)(std::size_t bytes) = nullptr;  // zeros, or an exception
  void (*give_back)(void* begin) = nullptr;
  void (*will_need)(const void* begin, std::size_t bytes) = nullptr;  // soon: to be read ahead
  void (*relieve)() = nullptr;                                        // much was touched
};
inline LargeMemory& large_memory() {
  static LargeMemory one;
  return one;
}
}  // namespace detail

/// What a buffer is for: numbers that are used in every step, or data, which may be large.
enum class BufferUse { numbers, data };

template <class T> class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size, BufferUse use = BufferUse::numbers)
      : data_(allocate(size, use)), size_(size) {
    if (!large()) std::fill_n(data_, size, T(0));
  }
  Buffer(const Buffer& other)
      : data_(allocate(other.size_, other.large() ? BufferUse::data : BufferUse::numbers)),
        size_(other.size_) {
    const std::size_t piece = large() ? (std::size_t(16) << 20) / sizeof(T) : size_;
    for (std::size_t done = 0; done < size_; done += piece) {
      std::copy_n(other.data_ + done, std::min(piece, size_ - done), data_ + done);
      if (large()) detail::large_memory().relieve();
    }
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (large())
      detail::large_memory().give_back(bytes_of(data_) - alignment);
    else if (data_)
      ::operator delete(bytes_of(data_) - unsigned(bytes_of(data_)[-1]));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }
  /// Does it lie in detail::large_memory()?
  bool large() const { return data_ && bytes_of(data_)[-1] == 0; }

 private:
  static unsigned char* bytes_of(T* data) { return reinterpret_cast<unsigned char*>(data); }

  /// Aligned by hand, the byte before the data saying how far, or 0 in large memory: before 2.38, glibc does
  /// not find freed blocks again for operator new with an alignment, and who reads a file in blocks would
  /// fill the memory with it.
  static T* allocate(std::size_t size, BufferUse use) {
    if (size > (std::size_t(-1) - alignment) / sizeof(T)) throw std::bad_array_new_length();  // it would wrap
    if (size == 0) return nullptr;
    if (const auto& large = detail::large_memory(); use == BufferUse::data && size * sizeof(T) >= large.least)
      return reinterpret_cast<T*>(static_cast<unsigned char*>(large.take(size * sizeof(T) + alignment)) +
                                  alignment);
    auto* const begin = static_cast<unsigned char*>(::operator new(size * sizeof(T) + alignment));
    const std::size_t offset = alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment;  // 1 to 64
    begin[offset - 1] = static_cast<unsigned char>(offset);
    return reinterpret_cast<T*>(begin + offset);
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mno

#pragma once
// A flat, aligned, zero-initialised array: what fields and parameters are stored in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace mno {

inline constexpr std::size_t alignment = 64;  // bytes: a cache line, and the widest vector register

template <class T> class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(allocate(size)), size_(size) { std::fill_n(data_, size, T(0)); }
  Buffer(const Buffer& other) : data_(allocate(other.size_)), size_(other.size_) {
    std::copy_n(other.data_, size_, data_);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (data_) ::operator delete(bytes_of(data_) - unsigned(bytes_of(data_)[-1]));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static unsigned char* bytes_of(T* data) { return reinterpret_cast<unsigned char*>(data); }

  /// Aligned by hand, the byte before the data saying how far: before 2.38, glibc does not find freed blocks
  /// again for operator new with an alignment, and who reads a file in blocks would fill the memory with it.
  static T* allocate(std::size_t size) {
    if (size > (std::size_t(-1) - alignment) / sizeof(T)) throw std::bad_array_new_length();  // it would wrap
    if (size == 0) return nullptr;
    auto* const begin = static_cast<unsigned char*>(::operator new(size * sizeof(T) + alignment));
    const std::size_t offset = alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment;  // 1 to 64
    begin[offset - 1] = static_cast<unsigned char>(offset);
    return reinterpret_cast<T*>(begin + offset);
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mno

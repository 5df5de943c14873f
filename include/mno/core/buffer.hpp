#pragma once
// A flat, aligned, zero-initialised array: what fields and parameters are stored in.
#include <algorithm>
#include <cstddef>
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
    if (data_) ::operator delete(data_, std::align_val_t(alignment));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static T* allocate(std::size_t size) {
    if (size > std::size_t(-1) / sizeof(T)) throw std::bad_array_new_length();  // else size * sizeof(T) wraps
    return size ? static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t(alignment))) : nullptr;
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mno

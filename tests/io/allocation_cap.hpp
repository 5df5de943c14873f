#pragma once
// Replaces operator new for a whole test program: a request beyond 64 MB fails, and the largest one is
// remembered. Include it in one source of a program.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace allocation {
inline constexpr std::size_t cap = std::size_t{64} << 20;
inline std::size_t largest = 0;

inline void* take(std::size_t size, std::size_t alignment) {
  largest = std::max(largest, size);
  if (size > cap) throw std::bad_alloc();
  void* memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), std::max<std::size_t>(size, 1)) != 0)
    throw std::bad_alloc();
  return memory;
}
}  // namespace allocation

[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocation::take(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocation::take(size, std::size_t(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#pragma once
// Memory of the stand-in's device: one pool of addresses that the host cannot touch but while queued work
// runs.
//
// Around every allocation stand guards of words that are NaN as float and as double, so that a read beyond
// the end gives NaN; a write there is found by comparing. Memory that was never written, or was freed, is NaN
// too.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace standin {

/// Bytes of device memory that an operation touches, and what they are to it.
struct Range {
  const void* begin;
  std::size_t bytes;
  const char* role;
};

class Memory {
 public:
  static constexpr std::size_t alignment = 256, guard = 4096;

  Memory();
  /// Null where it does not fit into `total`.
  void* allocate(std::size_t bytes, std::size_t total);
  /// False if nothing was allocated at `address`.
  bool release(const void* address);

  /// Whether the address is one of the device, allocated or not.
  bool owns(const void* address) const;
  /// What is wrong with a range that must lie in one live allocation; empty if nothing is.
  std::string complaint(const Range& range) const;

  /// Writes beyond the ends of allocations since the last call; the guards are mended.
  std::vector<std::string> damaged_guards();
  /// Writes to freed memory since the last call; it is NaN again afterwards.
  std::vector<std::string> damaged_free_memory();

  std::size_t allocations() const { return live_.size(); }
  std::size_t bytes() const { return used_; }

  /// While one of these lives, device memory is accessible.
  class Window {
   public:
    explicit Window(Memory& memory);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

   private:
    Memory& memory_;
  };

 private:
  struct Allocation {
    std::size_t bytes;
    std::uint64_t number;
  };
  using Place = std::size_t;  // bytes from the start of the pool

  Place find_place(std::size_t block);
  void protect(int protection) const;
  std::string name(const Allocation& allocation) const;

  std::byte* pool_;
  std::size_t touched_ = 0;  // from here on the pool was never used
  std::size_t used_ = 0;
  std::uint64_t count_ = 0;
  int windows_ = 0;
  std::map<Place, Allocation> live_;    // by their first byte, behind the first guard
  std::map<Place, std::size_t> freed_;  // whole blocks, guards included, merged with their neighbours
  std::vector<std::byte> pattern_;      // what a guard holds
};

}  // namespace standin

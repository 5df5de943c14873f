#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace standin {
namespace {

constexpr std::size_t pool_bytes = std::size_t(64) << 30;  // of addresses; pages come when they are touched
// Freed memory is used again only when this much was touched: until then a late access to it can be told. All
// of it is locked and unlocked whenever something runs, so that four times as much takes three times as long.
constexpr std::size_t reuse_from = std::size_t(4) << 20;
constexpr int poison = 0xFF;  // NaN as float and as double

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Guards before and behind included.
std::size_t block_of(std::size_t bytes) { return round_up(bytes, Memory::alignment) + 2 * Memory::guard; }

bool is_poison(const std::byte* begin, std::size_t bytes) {
  return bytes == 0 || (begin[0] == std::byte(poison) && std::memcmp(begin, begin + 1, bytes - 1) == 0);
}

}  // namespace

Memory::Memory() : pattern_(guard + alignment) {
  void* const pool = mmap(nullptr, pool_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pool == MAP_FAILED)
    throw std::runtime_error("The stand-in could not reserve addresses for its device.");
  pool_ = static_cast<std::byte*>(pool);
  // Arithmetic keeps the bits of a quiet NaN, but quiets a signalling one: only that shows `x[n] *= 2`. No
  // word is signalling in both precisions. So words 0, 2, … are for float (0xFFA…); of words 1, 3, …, the
  // upper halves of double, every other is for double (0xFFF0…). Hence the first element behind an array is a
  // signalling NaN in either precision.
  std::uint32_t mix = 1;
  for (std::size_t word = 0; word < pattern_.size() / sizeof mix; ++word) {
    mix = mix * 1664525u + 1013904223u;
    const std::uint32_t value =
        word % 4 == 1 ? 0xFFF00001u | ((mix >> 8) & 0x7FFFFu) : 0xFFA00000u | (mix >> 12);
    std::memcpy(pattern_.data() + word * sizeof value, &value, sizeof value);
  }
}

void Memory::protect(int protection) const {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  if (touched_ > 0 && mprotect(pool_, round_up(touched_, page), protection) != 0)
    throw std::runtime_error("The stand-in could not change the protection of device memory.");
}

Memory::Window::Window(Memory& memory) : memory_(memory) {
  if (memory_.windows_++ == 0) memory_.protect(PROT_READ | PROT_WRITE);
}
Memory::Window::~Window() {
  if (--memory_.windows_ == 0) memory_.protect(PROT_NONE);
}

Memory::Place Memory::find_place(std::size_t block) {
  if (touched_ >= reuse_from)
    for (const auto& [place, bytes] : freed_) {
      if (bytes < block) continue;
      const Place found = place;
      const std::size_t rest = bytes - block;
      freed_.erase(found);
      if (rest > 0) freed_.emplace(found + block, rest);
      return found;
    }
  const Place fresh = touched_;
  if (block > pool_bytes - fresh) throw std::runtime_error("The stand-in has no addresses left.");
  touched_ += block;
  if (windows_ > 0) protect(PROT_READ | PROT_WRITE);
  return fresh;
}

void* Memory::allocate(std::size_t bytes, std::size_t total) {
  const std::size_t takes = round_up(bytes, alignment);
  total = std::min(total, pool_bytes / 2);
  if (used_ > total || bytes > total || takes > total - used_) return nullptr;
  const Place block = find_place(block_of(bytes)), first = block + guard;
  const Window window(*this);
  std::memcpy(pool_ + block, pattern_.data(), guard);
  std::memset(pool_ + first, poison, bytes);
  std::memcpy(pool_ + first + bytes, pattern_.data(), takes - bytes + guard);
  live_.emplace(first, Allocation{bytes, ++count_});
  used_ += takes;
  return pool_ + first;
}

bool Memory::release(const void* address) {
  if (!owns(address)) return false;
  const auto found = live_.find(Place(static_cast<const std::byte*>(address) - pool_));
  if (found == live_.end()) return false;
  const Place block = found->first - guard;
  const std::size_t bytes = block_of(found->second.bytes);
  used_ -= round_up(found->second.bytes, alignment);
  live_.erase(found);
  {
    const Window window(*this);
    std::memset(pool_ + block, poison, bytes);
  }
  auto merged = freed_.emplace(block, bytes).first;
  if (merged != freed_.begin())
    if (const auto before = std::prev(merged); before->first + before->second == merged->first) {
      before->second += merged->second;
      freed_.erase(merged);
      merged = before;
    }
  if (const auto after = std::next(merged);
      after != freed_.end() && merged->first + merged->second == after->first) {
    merged->second += after->second;
    freed_.erase(after);
  }
  return true;
}

bool Memory::owns(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address), begin = reinterpret_cast<std::uintptr_t>(pool_);
  return at >= begin && at - begin < pool_bytes;
}

std::string Memory::name(const Allocation& allocation) const {
  return "allocation " + std::to_string(allocation.number) + " (" + std::to_string(allocation.bytes) +
         " bytes)";
}

std::string Memory::complaint(const Range& range) const {
  if (range.bytes == 0) return {};
  const std::string what = std::string(range.role) + " (" + std::to_string(range.bytes) + " bytes)";
  if (!owns(range.begin)) return what + " is not in device memory";
  const Place place = Place(static_cast<const std::byte*>(range.begin) - pool_);
  auto next = live_.upper_bound(place);
  if (next == live_.begin()) return what + " is in no live allocation";
  const auto& [first, allocation] = *std::prev(next);
  if (place >= first + allocation.bytes) return what + " is in no live allocation";
  const std::size_t left = first + allocation.bytes - place;
  if (range.bytes > left)
    return what + " goes " + std::to_string(range.bytes - left) + " bytes beyond the end of " +
           name(allocation);
  return {};
}

std::vector<std::string> Memory::damaged_guards() {
  std::vector<std::string> damage;
  const Window window(*this);
  for (const auto& [first, allocation] : live_) {
    std::byte* const begin = pool_ + first;
    std::byte* const end = begin + allocation.bytes;
    const std::size_t behind = round_up(allocation.bytes, alignment) - allocation.bytes + guard;
    const auto check = [&, which = &allocation](std::byte* place, std::size_t bytes, const char* where) {
      if (std::memcmp(place, pattern_.data(), bytes) == 0) return;
      damage.push_back(std::string("wrote ") + where + " " + name(*which));
      std::memcpy(place, pattern_.data(), bytes);
    };
    check(begin - guard, guard, "before the start of");
    check(end, behind, "beyond the end of");
  }
  return damage;
}

std::vector<std::string> Memory::damaged_free_memory() {
  std::vector<std::string> damage;
  const Window window(*this);
  for (const auto& [place, bytes] : freed_)
    if (!is_poison(pool_ + place, bytes)) {
      damage.push_back("Memory was written after it was freed");
      std::memset(pool_ + place, poison, bytes);
    }
  return damage;
}

}  // namespace standin

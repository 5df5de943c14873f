// Kernels: the threads of a launch run one after the other, in an order of the test's choice.
#include "mno/cuda/launch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "machine.hpp"
#include "runtime.hpp"

namespace standin {
namespace {

/// A permutation of 0 … n−1: for seed 0 the identity.
class Order {
 public:
  Order(std::uint64_t n, std::uint64_t seed) : n_(n) {
    if (seed == 0) return;
    if (n <= shuffled_up_to) {
      table_.resize(n);
      std::iota(table_.begin(), table_.end(), std::uint32_t(0));
      for (std::uint64_t i = n; i > 1; --i) std::swap(table_[i - 1], table_[next(seed) % i]);
    } else {  // k ↦ a·k + b is one too, where a and n have no common divisor
      do factor_ = next(seed) % n;
      while (std::gcd(factor_, n) != 1);
      shift_ = next(seed) % n;
    }
  }
  std::uint64_t operator[](std::uint64_t k) const {
    return table_.empty() ? (factor_ * k + shift_) % n_ : table_[k];
  }

 private:
  static constexpr std::uint64_t shuffled_up_to = 1 << 16;
  static std::uint64_t next(std::uint64_t& state) {  // SplitMix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t n_, factor_ = 1, shift_ = 0;
  std::vector<std::uint32_t> table_;
};

/// The closure's bytes, with any alignment that a closure may have.
std::shared_ptr<void> copy_of(const void* closure, std::size_t bytes) {
  constexpr std::align_val_t alignment{64};
  void* const copy = ::operator new(bytes, alignment);
  std::memcpy(copy, closure, bytes);
  return {copy, [](void* p) { ::operator delete(p, alignment); }};
}

/// Whether one of the closure's words is an address of pageable host memory.
bool holds_host_address(const void* closure, std::size_t bytes) {
  const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(closure) + at, sizeof word);
    const auto* const address = reinterpret_cast<const void*>(word);
    if (word < page || memory().owns(address) || is_pinned(address, 1)) continue;
    unsigned char resident = 0;  // mincore fails where nothing is mapped
    if (mincore(reinterpret_cast<void*>(word / page * page), 1, &resident) == 0) return true;
  }
  return false;
}

}  // namespace
}  // namespace standin

extern "C" cudaError_t mno_standin_launch(const void* closure, std::size_t bytes,
                                          void (*thread)(const void*, mno::cuda::ThreadPosition),
                                          unsigned blocks, unsigned threads, cudaStream_t stream) {
  using namespace standin;
  const Lock lock(mutex());
  // With NVIDIA's compiler, launch() asks cudaGetLastError: an earlier error that nobody took shows up here.
  const cudaError_t earlier = take_last_error();
  if (fails()) return cudaErrorLaunchOutOfResources;
  if (blocks == 0 || threads == 0 || threads > 1024) return cudaErrorInvalidConfiguration;
  if (settings().blocks > 0) blocks = settings().blocks;
  if (settings().threads > 0) threads = settings().threads;
  const std::uint64_t number = count_launch();
  if (settings().closures_hold_no_host_addresses && holds_host_address(closure, bytes))
    report("Launch " + std::to_string(number) + ": its closure holds an address of host memory");
  // Every launch has an order of its own: two that follow each other shall not be permuted alike.
  const std::uint64_t seed = settings().thread_order == 0 ? 0 : settings().thread_order * 1000003u + number;
  const cudaError_t error = submit(
      stream, {"Launch " + std::to_string(number) + " (" + std::to_string(blocks) + " blocks of " +
                   std::to_string(threads) + " threads)",
               {},
               {},
               [copy = copy_of(closure, bytes), thread, blocks, threads, seed] {
                 const std::uint64_t all = std::uint64_t(blocks) * threads;
                 const Order order(all, seed);
                 for (std::uint64_t k = 0; k < all; ++k) {
                   const std::uint64_t at = order[k];
                   thread(copy.get(), {unsigned(at / threads), blocks, unsigned(at % threads), threads});
                 }
               }});
  return error != cudaSuccess ? error : earlier;
}

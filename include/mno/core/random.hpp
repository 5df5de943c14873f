#pragma once
// Counter-based random numbers: Philox4x32-10 and Box–Muller.
//
// A number is a function of (seed, stream, position) alone. Nothing is shared between threads, so the same
// seed gives the same bits for any thread count and on every platform.
//   J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "mno/core/host_device.hpp"

namespace mno {

/// Ten rounds of Philox on a 128-bit counter with a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
    key[0] += 0x9E3779B9;  // golden ratio
    key[1] += 0xBB67AE85;  // √3 − 1
  }
  return counter;
}

/// An endless sequence of draws named by a seed and a stream: Stream(seed, sample, purpose).
class Stream {
 public:
  MNO_HOST_DEVICE explicit Stream(std::uint64_t seed, std::uint64_t stream = 0, std::uint32_t substream = 0)
      : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)},
        counter_{0, substream, std::uint32_t(stream), std::uint32_t(stream >> 32)} {}

  /// The same sequence from its n-th block of four words on: after 2n uniform or 2n normal draws.
  MNO_HOST_DEVICE Stream from_block(std::uint32_t n) const {
    Stream later = *this;
    later.counter_[0] = n;
    later.used_ = 4;
    later.has_spare_ = false;
    return later;
  }

  MNO_HOST_DEVICE std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[std::size_t(used_++)];
  }

  /// Uniform on the open interval (0,1): 52 bits and a half, never 0 and never 1.
  MNO_HOST_DEVICE double uniform() {
    const std::uint64_t high = bits(), low = bits();
    return (double(((high << 32) | low) >> 12) + 0.5) * 0x1p-52;
  }

  /// Standard normal by Box–Muller; draws come in pairs.
  MNO_HOST_DEVICE double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  MNO_HOST_DEVICE double exponential() { return -std::log(uniform()); }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace mno

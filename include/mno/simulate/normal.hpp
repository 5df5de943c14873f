#pragma once
// Standard normal numbers for many members side by side.
//
// Member m of a stream has its own Philox sequence: the words are those of Stream(seed, stream, m), so a draw
// is a function of (seed, stream, member, position) alone. Two words make two numbers by Box–Muller,
//     (√(−2 log u) cos θ, √(−2 log u) sin θ),   u = (⌊w_0/2⌋ + ½) 2^−31,   θ = 2π (w_1 + ½) 2^−32 − π/4,
// in single precision (24 bits, tails up to 6.6 standard deviations): float and double simulations of the
// same seed see the same noise.
#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <numbers>

#include "mno/core/grid.hpp"
#include "mno/core/random.hpp"
#include "mno/spectral/fft.hpp"

namespace mno {

/// What a simulator draws numbers for; each purpose has its own streams.
enum class Draw : std::uint64_t { initial, noise, fractional, size, shocks };

/// The stream of one sample: Stream(seed, stream_of(Draw::initial, sample)).
constexpr std::uint64_t stream_of(Draw purpose, Index sample) {
  return (std::uint64_t(purpose) << 48) + std::uint64_t(sample);
}

/// The members first, …, first + Lanes − 1 of a stream.
template <Index Lanes> class Normals {
 public:
  static constexpr Index per_position = 4;

  Normals(std::uint64_t seed, std::uint64_t stream, Index first)
      : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)},
        stream_{std::uint32_t(stream), std::uint32_t(stream >> 32)},
        first_(std::uint32_t(first)) {}

  /// Four numbers of every member: z is (4, lane).
  void draw(std::uint32_t position, float* z) {
    fill_words(position);
    box_muller(words_[0], words_[1], z);
    box_muller(words_[2], words_[3], z + 2 * Lanes);
  }

 private:
  using Word = std::uint32_t;
  using Words = std::array<Word, std::size_t(Lanes)>;

  /// Ten rounds of Philox as in core/random.hpp, round by round over the lanes.
  void fill_words(Word position) {
    Word *const c0 = words_[0].data(), *const c1 = words_[1].data(), *const c2 = words_[2].data(),
                *const c3 = words_[3].data();
    for (Index m = 0; m < Lanes; ++m) {
      c0[m] = position;
      c1[m] = first_ + Word(m);
      c2[m] = stream_[0];
      c3[m] = stream_[1];
    }
    std::array<Word, 2> key = key_;
    for (int round = 0; round < 10; ++round) {
      const Word k0 = key[0], k1 = key[1];
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < Lanes; ++m) {
        const Word a = c0[m], b = c2[m];
        const Word high_a = Word((std::uint64_t{0xD2511F53} * a) >> 32);
        const Word high_b = Word((std::uint64_t{0xCD9E8D57} * b) >> 32);
        c0[m] = high_b ^ c1[m] ^ k0;
        c1[m] = 0xCD9E8D57u * b;
        c2[m] = high_a ^ c3[m] ^ k1;
        c3[m] = 0xD2511F53u * a;
      }
      key = {k0 + 0x9E3779B9, k1 + 0xBB67AE85};
    }
  }

  /// Two rows of numbers from two rows of words.
  static void box_muller(const Words& radius_words, const Words& angle_words, float* z) {
    using Floats = Eigen::Array<float, Lanes, 1>;
    using Doubles = Eigen::Array<double, Lanes, 1>;
    Floats uniform;
    float* const u = uniform.data();
    const Word *const radius_word = radius_words.data(), *const angle_word = angle_words.data();
    for (Index m = 0; m < Lanes; ++m) u[m] = (float(std::int32_t(radius_word[m] >> 1)) + 0.5f) * 0x1p-31f;
    const Floats logarithm = uniform.log();
    // In double, because Eigen's float square root is an approximation that differs between processors. The
    // largest uniform rounds to 1, whose logarithm may come out as a tiny positive number.
    Doubles square;
    double* const s = square.data();
    const float* const l = logarithm.data();
    for (Index m = 0; m < Lanes; ++m) s[m] = -2 * double(l[m]);
    const Doubles root = square.max(0.).sqrt();
    const double* const r = root.data();
    float *const cosine = z, *const sine = z + Lanes;
    MNO_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < Lanes; ++m) {
      // The two highest bits are a quarter turn, the others an angle a in (−π/4, π/4).
      const Word w = angle_word[m];
      const float a = (float(std::int32_t(w & 0x3FFFFFFF) - 0x20000000) + 0.5f) *
                      (0x1p-30f * float(std::numbers::pi / 2));
      const float x = a * a, radius = float(r[m]);
      const float sin_a = a * (1 + x * (-1.6666654611e-1f + x * (8.3321608736e-3f + x * -1.9515295891e-4f)));
      const float cos_a = 1 + x * (-0.5f + x * (4.166664568298827e-2f +
                                                x * (-1.388731625493765e-3f + x * 2.443315711809948e-5f)));
      const float odd = float(std::int32_t((w >> 30) & 1)), even = 1 - odd;  // no branches: vectors
      const float signed_radius = radius * (1 - 2 * float(std::int32_t(w >> 31)));
      cosine[m] = signed_radius * (even * cos_a - odd * sin_a);
      sine[m] = signed_radius * (even * sin_a + odd * cos_a);
    }
  }

  std::array<Word, 2> key_, stream_;
  Word first_;
  std::array<Words, 4> words_;
};

}  // namespace mno

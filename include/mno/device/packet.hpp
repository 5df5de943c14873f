#pragma once
// Vector registers: Eigen's packets under names of our own, and the few operations that it lacks.
//
// Packet<T> is whatever the processor offers (sixteen floats with AVX-512, eight with AVX2, four with SSE or
// NEON, one without any), so a kernel written with it is portable. Arithmetic on a lane does not depend on
// the other lanes.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mno/core/grid.hpp"

// The loop that follows has a constant number of turns and is written out: its arrays become registers.
#if defined(__CUDACC__)  // its front end knows neither pragma, and the device has kernels of its own
#define MNO_UNROLL
#elif defined(__clang__)
#define MNO_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define MNO_UNROLL _Pragma("GCC unroll 16")
#else
#define MNO_UNROLL
#endif

// Packets as template arguments lose attributes that do not matter here.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"
#endif

namespace mno {

template <class T> using Packet = typename Eigen::internal::packet_traits<T>::type;
template <class T> inline constexpr Index packet_size = Eigen::internal::unpacket_traits<Packet<T>>::size;
/// Vector registers of the processor.
inline constexpr int packet_registers = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS;

/// Operations on packets. A kernel says `using namespace packet;` in its body: names as short as these stay
/// out of namespace mno, where a user's own functions would meet them.
namespace packet {

using Eigen::internal::padd;
using Eigen::internal::pdiv;
using Eigen::internal::pmadd;
using Eigen::internal::pmul;
using Eigen::internal::psub;

template <class T> EIGEN_STRONG_INLINE Packet<T> load(const T* from) {
  return Eigen::internal::ploadu<Packet<T>>(from);
}
template <class T> EIGEN_STRONG_INLINE void store(T* to, const Packet<T>& value) {
  Eigen::internal::pstoreu<T>(to, value);
}
template <class T> EIGEN_STRONG_INLINE Packet<T> everywhere(T value) {
  return Eigen::internal::pset1<Packet<T>>(value);
}

/// The first n < packet_size values, zeros behind them; nothing beyond them is read.
template <class T> EIGEN_STRONG_INLINE Packet<T> load_first(const T* from, Index n) {
  using Traits = Eigen::internal::unpacket_traits<Packet<T>>;
  if constexpr (Traits::masked_load_available) {
    using Mask = typename Traits::mask_t;
    return Eigen::internal::ploadu<Packet<T>>(from, Mask((1u << n) - 1));
  } else {
    T values[packet_size<T>] = {};
    std::copy_n(from, n, values);
    return load(values);
  }
}
template <class T> EIGEN_STRONG_INLINE void store_first(T* to, const Packet<T>& value, Index n) {
  using Traits = Eigen::internal::unpacket_traits<Packet<T>>;
  if constexpr (Traits::masked_store_available) {
    using Mask = typename Traits::mask_t;
    Eigen::internal::pstoreu<T>(to, value, Mask((1u << n) - 1));
  } else {
    T values[packet_size<T>];
    store(values, value);
    std::copy_n(values, n, to);
  }
}

/// to (columns, rows) = s fromᵀ, from (rows, columns); consecutive rows lie a pitch apart.
template <class T>
void transpose(const T* from, Index from_pitch, T* to, Index to_pitch, Index rows, Index columns,
               T s = T(1)) {
  constexpr Index size = packet_size<T>;
  const Packet<T> scale = everywhere(s);
  const Index whole_rows = rows - rows % size, whole_columns = columns - columns % size;
  for (Index r = 0; r < whole_rows; r += size) {
    for (Index c = 0; c < whole_columns; c += size) {
      Eigen::internal::PacketBlock<Packet<T>, int(size)> block;
      MNO_UNROLL for (Index i = 0; i < size; ++i) block.packet[i] = load(from + (r + i) * from_pitch + c);
      Eigen::internal::ptranspose(block);
      MNO_UNROLL for (Index i = 0; i < size; ++i)
          store(to + (c + i) * to_pitch + r, Packet<T>(pmul(scale, block.packet[i])));
    }
    for (Index c = whole_columns; c < columns; ++c)
      for (Index i = 0; i < size; ++i) to[c * to_pitch + r + i] = s * from[(r + i) * from_pitch + c];
  }
  for (Index r = whole_rows; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) to[c * to_pitch + r] = s * from[r * from_pitch + c];
}

/// The correctly rounded square root; Eigen's is a little off on some processors.
template <class T> EIGEN_STRONG_INLINE Packet<T> square_root(const Packet<T>& x) {
#if defined(EIGEN_VECTORIZE_AVX512)
  if constexpr (std::is_same_v<T, float>)
    return _mm512_sqrt_ps(x);
  else
    return _mm512_sqrt_pd(x);
#elif defined(EIGEN_VECTORIZE_AVX)
  if constexpr (std::is_same_v<T, float>)
    return _mm256_sqrt_ps(x);
  else
    return _mm256_sqrt_pd(x);
#elif defined(EIGEN_VECTORIZE_SSE)
  if constexpr (std::is_same_v<T, float>)
    return _mm_sqrt_ps(x);
  else
    return _mm_sqrt_pd(x);
#else
  T values[packet_size<T>];
  store(values, x);
  for (T& value : values) value = std::sqrt(value);
  return load(values);
#endif
}

/// 1/x to about one unit in the last place, for x between 10⁻³⁰ and 10³⁰.
template <class T> EIGEN_STRONG_INLINE Packet<T> reciprocal(const Packet<T>& x) {
#ifdef EIGEN_VECTORIZE_AVX512  // dividing sixteen floats keeps the processor busy for sixteen cycles
  if constexpr (std::is_same_v<T, float>) {
    const Packet<T> r = _mm512_rcp14_ps(x);
    return _mm512_mul_ps(r, _mm512_fnmadd_ps(x, r, _mm512_set1_ps(2.0f)));
  }
#endif
  return pdiv(everywhere(T(1)), x);
}

/// table[i] of sixteen numbers for all lanes at once, where one instruction does it; the last four bits of a
/// lane are i.
#ifdef EIGEN_VECTORIZE_AVX512
template <class T> inline constexpr bool has_lookup = std::is_same_v<T, float>;
EIGEN_STRONG_INLINE Packet<float> lookup(const float (&table)[16], const Packet<float>& bits) {
  return _mm512_permutexvar_ps(_mm512_castps_si512(bits), _mm512_loadu_ps(table));
}
#else
template <class T> inline constexpr bool has_lookup = false;
#endif

/// e^x for x ≤ 0, to about one unit in the last place; where it would be smaller than the smallest normal
/// number, exactly 0 (numbers below that are slow). A NaN may come out as any number.
template <class T> EIGEN_STRONG_INLINE Packet<T> exponential_of_negative(const Packet<T>& x) {
  namespace in = Eigen::internal;
  using P = Packet<T>;
  P value;
  if constexpr (std::is_same_v<T, float> && packet_size < T >> 1) {
    // x = n log 2 + r with an integer n and |r| ≤ log(2)/2; log 2 is split in two, so that n times the first
    // part is exact. e^r is a polynomial (relative error 2e-9), and 2^n is n added to the exponent's bits.
    // Adding 1.5·2²³ rounds to an integer, which then stands in the last bits.
    using Bits = typename in::unpacket_traits<P>::integer_packet;
    const P magic = everywhere(T(12582912));
    const P shifted = pmadd(x, everywhere(T(1.44269504088896341)), magic), n = psub(shifted, magic);
    P r = pmadd(n, everywhere(T(-0.693359375)), x);
    r = pmadd(n, everywhere(T(2.12194440054690583e-4)), r);
    P p = everywhere(T(0.00138436509831));
    p = pmadd(p, r, everywhere(T(0.00837415595476)));
    p = pmadd(p, r, everywhere(T(0.0416680021201)));
    p = pmadd(p, r, everywhere(T(0.166664312528)));
    p = pmadd(p, r, everywhere(T(0.499999942084)));
    p = pmadd(p, r, everywhere(T(1.00000003217)));
    p = pmadd(p, r, everywhere(T(1)));
    const Bits shift = in::plogical_shift_left<23>(in::preinterpret<Bits>(shifted));
    value = in::preinterpret<P>(Bits(padd(Bits(in::preinterpret<Bits>(p)), shift)));
  } else {
    value = in::pexp(x);
  }
  const P lowest = everywhere(std::is_same_v<T, float> ? T(-87.3) : T(-708.3));
  return in::pand(in::pcmp_le(lowest, x), value);
}

}  // namespace packet

/// f(load, store) for n values packet by packet: load(p) reads the current packet of p, store(p, v) writes
/// it; the last packet may be partial.
template <class T, class F> EIGEN_STRONG_INLINE void for_each_packet(Index n, F&& f) {
  Index i = 0;
  for (; i + packet_size<T> <= n; i += packet_size<T>)
    f([i](const T* from) { return packet::load(from + i); },
      [i](T* to, const Packet<T>& value) { packet::store(to + i, value); });
  if (const Index rest = n - i; rest > 0)
    f([i, rest](const T* from) { return packet::load_first(from + i, rest); },
      [i, rest](T* to, const Packet<T>& value) { packet::store_first(to + i, value, rest); });
}

}  // namespace mno

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

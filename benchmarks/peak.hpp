#pragma once
// What this processor can do, measured in the same run as the benchmarks: multiply-adds per second of one
// core, and bytes per second between it and memory.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace peak {

/// Time since it was made: of one thread its own processor time, which other work on the machine does not
/// change; of several threads the time that passed.
class Watch {
 public:
  explicit Watch(int threads = 1)
      : threads_(threads), clock_(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC), start_(now()) {}
  int threads() const { return threads_; }
  double seconds() const { return now() - start_; }

 private:
  double now() const {
    timespec t{};
    clock_gettime(clock_, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  }
  int threads_;
  clockid_t clock_;
  double start_;
};
inline double seconds(const auto& call) {
  const Watch watch;
  call();
  return watch.seconds();
}

/// FLOP/s of independent chains of fused multiply-adds in registers, in vectors of the given type: enough
/// chains to hide the latency (4 cycles, 2 per cycle), few enough for 16 registers. Plain variables, because
/// an array would be kept in memory.
template <class Packet, int Length> double multiply_adds() {
  namespace ei = Eigen::internal;
  constexpr int rounds = 4000000;
  constexpr double flops = 2.0 * 10 * Length;
  double best = 0;
  for (int attempt = 0; attempt < 9; ++attempt) {
    const Packet a = ei::pset1<Packet>(0.9999f), b = ei::pset1<Packet>(1e-4f);
    Packet s0 = b, s1 = b, s2 = b, s3 = b, s4 = b, s5 = b, s6 = b, s7 = b, s8 = b, s9 = b;
    const double time = seconds([&]() __attribute__((noinline)) {
      Packet t0 = s0, t1 = s1, t2 = s2, t3 = s3, t4 = s4, t5 = s5, t6 = s6, t7 = s7, t8 = s8, t9 = s9;
      const Packet x = a, y = b;
      for (int r = 0; r < rounds; ++r) {
        t0 = ei::pmadd(t0, x, y), t1 = ei::pmadd(t1, x, y), t2 = ei::pmadd(t2, x, y),
        t3 = ei::pmadd(t3, x, y);
        t4 = ei::pmadd(t4, x, y), t5 = ei::pmadd(t5, x, y), t6 = ei::pmadd(t6, x, y),
        t7 = ei::pmadd(t7, x, y);
        t8 = ei::pmadd(t8, x, y), t9 = ei::pmadd(t9, x, y);
      }
      s0 = t0, s1 = t1, s2 = t2, s3 = t3, s4 = t4, s5 = t5, s6 = t6, s7 = t7, s8 = t8, s9 = t9;
    });
    for (Packet* s : {&s0, &s1, &s2, &s3, &s4, &s5, &s6, &s7, &s8, &s9}) benchmark::DoNotOptimize(*s);
    best = std::max(best, flops * rounds / time);
  }
  return best;
}

// A vector type as template argument loses its attributes, here without harm.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"

/// With the widest vectors that this program is compiled for.
inline constexpr int widest = int(Eigen::internal::packet_traits<float>::size);
inline double flops_per_second() {
  static const double value = multiply_adds<Eigen::internal::packet_traits<float>::type, widest>();
  return value;
}

/// With vectors of half that length: 8 floats on a processor that has 16. Wider vectors run at a lower clock,
/// so this is more than half.
inline double flops_per_second_of_half() {
  using Half = Eigen::internal::unpacket_traits<Eigen::internal::packet_traits<float>::type>::half;
  static const double value = multiply_adds<Half, std::max(1, widest / 2)>();
  return value;
}
#pragma GCC diagnostic pop

/// Bytes read and written per second by a copy that is larger than any cache of the core.
inline double bytes_per_second() {
  static const double value = [] {
    const std::size_t n = std::size_t{1} << 26;
    std::vector<float> from(n, 1.f), to(n, 0.f);
    double best = 0;
    for (int attempt = 0; attempt < 5; ++attempt)
      best = std::max(best, 2 * 4.0 * double(n) / seconds([&] {
                              for (std::size_t i = 0; i < n; ++i) to[i] = 2 * from[i];
                              benchmark::ClobberMemory();
                            }));
    return best;
  }();
  return value;
}

/// After the loop: GFLOP/s, and how many times longer than the floor (flops at the peak of as many cores as
/// there are threads) an iteration took; x_floor with the widest vectors, x_floor8 with 8 floats where there
/// are wider ones.
inline void report(benchmark::State& state, const Watch& watch, double flops) {
  const double each = watch.seconds() / double(state.iterations()), rate = flops / each;
  state.counters["GFLOP/s"] = rate / 1e9;
  state.counters["x_floor"] = flops_per_second() * watch.threads() / rate;
  if (widest == 16) state.counters["x_floor8"] = flops_per_second_of_half() * watch.threads() / rate;
}

/// The same for one thread where memory may bind: bytes that must move.
inline void report(benchmark::State& state, const Watch& watch, double flops, double bytes) {
  const double each = watch.seconds() / double(state.iterations());
  state.counters["GFLOP/s"] = flops / each / 1e9;
  state.counters["GB/s"] = bytes / each / 1e9;
  state.counters["x_floor"] = each / std::max(flops / flops_per_second(), bytes / bytes_per_second());
}

inline std::string billions(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value / 1e9);
  return text;
}

/// Says what the peaks are above the table.
inline const bool context = [] {
  benchmark::AddCustomContext("multiply-add peak of one core, GFLOP/s", billions(flops_per_second()));
  benchmark::AddCustomContext("vector length, floats", std::to_string(widest));
  if (widest == 16)
    benchmark::AddCustomContext("the same with 8 floats, GFLOP/s", billions(flops_per_second_of_half()));
  return true;
}();

}  // namespace peak

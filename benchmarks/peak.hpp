#pragma once
// What this processor can do, measured in the same run as the benchmarks: multiply-adds per second of one
// core, and bytes per second between it and memory.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace peak {

inline double seconds(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// FLOP/s of independent chains of fused multiply-adds in registers, in vectors of the given type: enough
/// chains to hide the latency (4 cycles, 2 per cycle), few enough for 16 registers.
template <class Packet> double multiply_adds() {
  namespace ei = Eigen::internal;
  constexpr int chains = 10, rounds = 2000000;
  constexpr double flops = 2.0 * chains * int(ei::packet_traits<float>::size);
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    Packet sum[chains];
    for (int i = 0; i < chains; ++i) sum[i] = ei::pset1<Packet>(float(i));
    Packet a = ei::pset1<Packet>(0.9999f), b = ei::pset1<Packet>(1e-4f);
    const double time = seconds([&] {
      for (int r = 0; r < rounds; ++r) {
        benchmark::DoNotOptimize(a);
#pragma GCC unroll 10
        for (int i = 0; i < chains; ++i) sum[i] = ei::pmadd(sum[i], a, b);
      }
      for (int i = 0; i < chains; ++i) benchmark::DoNotOptimize(sum[i]);
    });
    best = std::max(best, flops * rounds / time);
  }
  return best;
}

/// With the widest vectors that this program is compiled for.
inline double flops_per_second() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wignored-attributes"  // of a vector type as template argument: alignment is known
  static const double value = multiply_adds<Eigen::internal::packet_traits<float>::type>();
#pragma GCC diagnostic pop
  return value;
}

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

/// GFLOP/s, and how many times longer than the floor (flops at the peak of `threads` cores) one iteration
/// takes.
inline void report(benchmark::State& state, double flops, int threads = 1) {
  using benchmark::Counter;
  state.counters["GFLOP/s"] = Counter(flops / 1e9, Counter::kIsIterationInvariantRate);
  const double floor = flops / (flops_per_second() * threads);
  state.counters["x_floor"] = Counter(floor, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// The same where memory may bind: bytes that must move.
inline void report(benchmark::State& state, double flops, double bytes) {
  using benchmark::Counter;
  state.counters["GFLOP/s"] = Counter(flops / 1e9, Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] = Counter(bytes / 1e9, Counter::kIsIterationInvariantRate);
  const double floor = std::max(flops / flops_per_second(), bytes / bytes_per_second());
  state.counters["x_floor"] = Counter(floor, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

inline std::string billions(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value / 1e9);
  return text;
}

/// Says what the peaks are above the table.
inline const bool context = [] {
  benchmark::AddCustomContext("multiply-add peak of one core, GFLOP/s", billions(flops_per_second()));
  benchmark::AddCustomContext("vector length, floats",
                              std::to_string(int(Eigen::internal::packet_traits<float>::size)));
  return true;
}();

}  // namespace peak

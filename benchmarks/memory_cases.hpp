#pragma once
// Peak resident memory of one training step: each case in a process of its own, because a peak never falls.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "model_cases.hpp"

namespace memory_cases {

using mno::Index;

inline double status_mib(const char* key) {
  std::ifstream file("/proc/self/status");
  std::string word;
  double value = 0;
  while (file >> word)
    if (word == key) file >> value;
  return value / 1024;
}

/// MiB that a process reaches at most while it does `work`, above what it had before.
template <class Work> double peak_of(Work&& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("memory: no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const double before = status_mib("VmRSS:");
    work();
    const double peak = status_mib("VmHWM:") - before;
    _exit(write(ends[1], &peak, sizeof peak) == sizeof peak ? 0 : 1);
  }
  double peak = 0;
  const bool told = read(ends[0], &peak, sizeof peak) == sizeof peak;
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  if (!told || status != 0) throw std::runtime_error("memory: a case did not finish");
  return peak;
}

template <class S> void run(benchmark::State& state, Index points, Index batch, int threads) {
  for (auto _ : state)
    state.counters["MiB"] = peak_of([&] {
      model_cases::Setting<S> setting(points, batch, threads);
      setting.train_step();
      setting.train_step();
    });
  state.counters["data MiB"] = 3 * 4 * double(batch) * std::pow(double(points), S::dimension) / (1 << 20);
}

template <class S> bool add(Index points, Index batch, int threads) {
  const std::string name = "memory/" + std::to_string(S::dimension) + "d/points:" + std::to_string(points) +
                           "/batch:" + std::to_string(batch) + "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(name.c_str(), run<S>, points, batch, threads)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  return true;
}

template <int D> struct Goal {
  static constexpr int dimension = D, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};

}  // namespace memory_cases

// The simulators: how many steps of one member they take per second.
#include <benchmark/benchmark.h>

#include "mno/simulate/burgers.hpp"
#include "mno/simulate/phi4.hpp"
#include "mno/simulate/rough_volatility.hpp"

namespace {

using namespace mno;

template <class T, class Equation> void simulator(benchmark::State& state) {
  Cpu device(int(state.range(0)));
  const Equation equation;
  const Sampling sampling{.samples = 8, .members = 192, .seed = 1};
  for (auto _ : state) benchmark::DoNotOptimize(collect<T>(equation, sampling, device));
  state.counters["member steps/s"] =
      benchmark::Counter(double(sampling.samples * sampling.members * equation.steps),
                         benchmark::Counter::kIsIterationInvariantRate);
}
#define SIMULATOR(T, Equation)      \
  BENCHMARK(simulator<T, Equation>) \
      ->ArgName("threads")          \
      ->Arg(1)                      \
      ->Arg(2)                      \
      ->UseRealTime()               \
      ->Unit(benchmark::kMillisecond)
SIMULATOR(float, spde::Burgers);
SIMULATOR(double, spde::Burgers);
SIMULATOR(float, spde::Phi4);
SIMULATOR(float, spde::RoughVolatility);

}  // namespace

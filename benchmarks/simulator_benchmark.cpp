// The simulators: how many steps of one member they take per second.
#include <benchmark/benchmark.h>

#include "mno/simulate/burgers.hpp"
#include "mno/simulate/gray_scott.hpp"
#include "mno/simulate/navier_stokes.hpp"
#include "mno/simulate/phi4.hpp"
#include "mno/simulate/phi4_plane.hpp"
#include "mno/simulate/rough_volatility.hpp"

namespace {

using namespace mno;

template <class T, class Equation> void simulator(benchmark::State& state) {
  Cpu device(int(state.range(0)));
  const Equation equation;
  const Sampling sampling{
      .samples = Equation::dimension == 1 ? 8 : 2, .members = Equation::dimension == 1 ? 192 : 32, .seed = 1};
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
SIMULATOR(float, spde::NavierStokes);
SIMULATOR(double, spde::NavierStokes);
SIMULATOR(float, spde::GrayScott);
SIMULATOR(float, spde::Phi4Plane);

}  // namespace

// How many random numbers one thread makes per second.
#include <benchmark/benchmark.h>

#include "mno/core/random.hpp"

namespace {

constexpr int draws = 1024;  // per iteration, so that the timer's own cost does not show

template <class Draw> void measure(benchmark::State& state, Draw draw) {
  mno::Stream stream(1);
  for (auto _ : state) {
    decltype(draw(stream)) sum = 0;
    for (int i = 0; i < draws; ++i) sum += draw(stream);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * draws);
}

void bits(benchmark::State& state) {
  measure(state, [](mno::Stream& s) { return s.bits(); });
}
void uniforms(benchmark::State& state) {
  measure(state, [](mno::Stream& s) { return s.uniform(); });
}
void normals(benchmark::State& state) {
  measure(state, [](mno::Stream& s) { return s.normal(); });
}
BENCHMARK(bits);
BENCHMARK(uniforms);
BENCHMARK(normals);

}  // namespace

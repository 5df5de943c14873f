// Drawing S fields from a law of rank r with C channels on N points costs O(S r C N): 2 S r C N operations,
// and S C N numbers written to memory, which fetches each before it is written.
#include "mno/law/sample.hpp"
#include "peak.hpp"

namespace {

using namespace mno;

void sampling(benchmark::State& state) {
  const Index count = state.range(0), rank = state.range(1), points = state.range(2),
              channels = state.range(3);
  const Grid<1> grid{{points}};
  Law<float, 1> law(Field<float, 1>(1, grid, channels), Field<float, 1>(1, grid, rank * channels));
  Stream random(1);
  for (float& value : law.factor.span()) value = float(random.normal());
  Field<float, 1> draws(count, grid, channels);
  SampleWorkspace<float> workspace;
  std::uint64_t seed = 0;
  const peak::Watch watch;
  for (auto _ : state) sample_into(law, count, ++seed, draws, workspace);
  const double entries = double(count * points * channels);
  peak::report(state, watch, 2 * double(rank) * entries, 2 * 4 * entries);
}
BENCHMARK(sampling)
    ->ArgNames({"draws", "rank", "points", "channels"})
    ->Unit(benchmark::kMillisecond)
    ->Args({64, 16, 4096, 1})
    ->Args({256, 16, 4096, 1})
    ->Args({1024, 16, 4096, 1})
    ->Args({256, 4, 4096, 1})
    ->Args({256, 64, 4096, 1})
    ->Args({256, 16, 64, 1})
    ->Args({256, 16, 1024, 1})
    ->Args({256, 16, 65536, 1})
    ->Args({256, 16, 4096, 3});

}  // namespace

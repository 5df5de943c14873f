// On real GPUs: training over as many of them as there are, a thread for each, has the bits of one alone, by
// NCCL and through the host.
#include "mno/cuda/nccl.hpp"

#include <doctest/doctest.h>

#include "mno/cuda.hpp"
#include "thread_ranks.hpp"

using namespace mno;

namespace {

struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 24, modes = 8, depth = 2,
                       projection = 8;
};
using M = PathMno<Line>;

Ensemble<float, 1> data(Index entries) {
  const Grid<1> grid{{32}};
  auto result = make_ensemble<float, 1>(entries, grid, 1);
  for (Index e = 0; e < entries; ++e) {
    Stream random(1, std::uint64_t(e));
    Field<float, 1> initial(1, grid, 1), members(8, grid, 1);
    for (float& value : initial.span()) value = float(random.normal());
    for (float& value : members.span()) value = float(0.5 * random.normal());
    set_condition<float, 1>(result, e, std::as_const(initial).view(), 0.5f, e, std::as_const(members).view());
  }
  return result;
}

std::vector<float> trained(const Ensemble<float, 1>& train, Cuda& device) {
  TrainingOptions options;
  options.epochs = 2;
  options.batch = 24;
  options.clip = 1;
  M model(1);
  Trainer trainer(model, train, nullptr, Recipe::decoupled(), options, device);
  while (!trainer.finished()) trainer.run_epoch();
  const auto values = std::as_const(model).values();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("weights have the same bits on one GPU and on all of them") {
  int gpus = 0;
  REQUIRE(cudaGetDeviceCount(&gpus) == cudaSuccess);
  const Index ranks = std::min(gpus, 8);
  MESSAGE("GPUs: " << ranks);
  const auto train = data(40);
  std::vector<float> expected;
  {
    Cuda device({.shards = 8});
    expected = trained(train, device);
  }
  std::vector<char> same(std::size_t(2 * ranks), 0);
  test::ThreadRanks(ranks).run([&](Communicator& world) {
    const int gpu = int(world.rank());
    {
      NcclWorld nccl(world, gpu);
      Cuda device({.device = gpu, .shards = 8}, nccl);
      same[std::size_t(2 * gpu)] = trained(train, device) == expected;
    }
    Cuda device({.device = gpu, .shards = 8}, world);
    same[std::size_t(2 * gpu + 1)] = trained(train, device) == expected;
  });
  CHECK(std::ranges::count(same, 1) == 2 * ranks);
}

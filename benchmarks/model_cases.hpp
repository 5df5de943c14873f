#pragma once
// train_step, forward and latency of a model of one shape, on several grids, batches and threads.
#include <benchmark/benchmark.h>

#include <string>

#include "flops.hpp"
#include "mno/loss/recipe.hpp"
#include "mno/model/gradient.hpp"
#include "mno/train/adamw.hpp"
#include "peak.hpp"

namespace model_cases {

using namespace mno;

/// Everything a training step or a prediction needs, on random data.
template <class S> struct Setting {
  static constexpr int D = S::dimension;
  using M = Mno<S>;

  Cpu device;
  M model{1}, gradient = model.zeros();
  AdamW<float> optimiser{M::parameters};
  Recipe recipe = Recipe::decoupled();
  Field<float, D> initial, mean, variance;
  Law<float, D> law;
  const float time = 0.5f;
  const Index members = 192;

  Setting(Index points, Index batch, int threads) : device(threads) {
    Grid<D> grid;
    grid.points.fill(points);
    for (auto* field : {&initial, &mean, &variance}) {
      *field = Field<float, D>(batch, grid, 1);
      Stream random(2);
      for (float& value : field->span()) value = float(random.uniform());
    }
    law = Law<float, D>(Field<float, D>(batch, grid, 1), Field<float, D>(batch, grid, S::rank));
  }

  void train_step() {
    const Target<float, D> target{mean.view(), variance.view(), {&members, 1}};
    value_and_gradient(model, {initial.view(), {&time, 1}}, recipe.on(target), gradient, device);
    optimiser.step(model.values(), std::as_const(gradient).values(), device);
  }
  void forward() { predict_into(model, {initial.view(), {&time, 1}}, law, device); }
};

enum class Task { train_step, forward, latency };

template <class S> void run(benchmark::State& state, Task task, Index points, Index batch, int threads) {
  Setting<S> setting(points, batch, threads);
  const auto call = [&] { task == Task::train_step ? setting.train_step() : setting.forward(); };
  call();
  const peak::Watch watch(threads);
  for (auto _ : state) call();
  floor_count::Flops<S> flops{};
  flops.points.fill(points);
  const double each = task == Task::train_step ? flops.gradient() : flops.forward();
  peak::report(state, watch, each * double(batch));
  state.counters["ns/point"] =
      1e9 * watch.seconds() / double(state.iterations()) / (flops.size() * double(batch));
}

template <class S> bool add() {
  const auto one = [](Task task, Index points, Index batch, int threads) {
    const char* const tasks[] = {"train_step", "forward", "latency"};
    const std::string name = std::string(tasks[int(task)]) + "/" + std::to_string(S::dimension) +
                             "d/width:" + std::to_string(S::width) + "/modes:" + std::to_string(S::modes) +
                             "/rank:" + std::to_string(S::rank) + "/points:" + std::to_string(points) +
                             "/batch:" + std::to_string(batch) + "/threads:" + std::to_string(threads);
    auto* const added = benchmark::RegisterBenchmark(name.c_str(), run<S>, task, points, batch, threads);
    added->Unit(benchmark::kMillisecond);
    if (threads > 1) added->UseRealTime();  // one thread is measured by its own time, whatever else runs
  };
  const auto all = [&](Index points, Index batch, int threads) {
    one(Task::train_step, points, batch, threads);
    one(Task::forward, points, batch, threads);
  };
  constexpr bool goal = S::width == 48 && S::modes == 16 && S::rank == 16;
  const Index usual = S::dimension == 1 ? 64 : 32, usual_batch = S::dimension == 1 ? 256 : 32;
  if constexpr (!goal) {  // width, modes, rank
    all(usual, usual_batch, 1);
    return true;
  }
  if (S::dimension == 1) {
    for (const int threads : {1, 2}) {
      all(64, 256, threads);
      all(256, 256, threads);
      one(Task::latency, 64, 1, threads);
      one(Task::latency, 256, 1, threads);
    }
    for (const Index batch : {1, 4, 16, 32, 64, 1024}) all(64, batch, 1);
    for (const Index points : {1024, 4096, 16384, 65536}) all(points, 65536 / points, 1);
  } else {
    for (const int threads : {1, 2}) {
      all(64, 32, threads);
      one(Task::latency, 64, 1, threads);
    }
    for (const Index batch : {1, 4, 16}) all(64, batch, 1);
    all(32, 128, 1);
    for (const Index points : {128, 256, 512}) all(points, std::max<Index>(1, 131072 / (points * points)), 1);
  }
  return true;
}

}  // namespace model_cases

// Data of your own: arrays into a file, an operator fitted on them, its law asked, calibrated and saved.
//   06_your_own_data [FOLDER [EPOCHS]]    writes data.npz and model.safetensors into FOLDER
// test arguments: 4
#include <cmath>
#include <iostream>
#include <mno/io/zip/ensemble_file.hpp>
#include <mno/law/quantile.hpp>
#include <mno/train/fit.hpp>
#include <numbers>

using mno::Index;

/// What you have: plain arrays from an experiment or a simulator. Here a wave that travels at a random speed.
constexpr Index samples = 80, members = 24, points = 32;  // 40 initial conditions, seen at 2 times each
std::vector<float> u0, uT, t;

void measure() {
  for (Index s = 0; s < samples; ++s) {
    mno::Stream random(/*seed=*/1, std::uint64_t(s / 2));
    const double phase = 6.28 * random.uniform(), height = 1 + 0.3 * random.normal();
    t.push_back(s % 2 == 0 ? 0.5f : 1.0f);
    const auto add_wave = [&](std::vector<float>& to, double speed) {
      for (Index p = 0; p < points; ++p) {
        const double x = double(p) / double(points) - speed * double(t.back());
        to.push_back(float(2 + height * std::sin(2 * std::numbers::pi * x + phase)));
      }
    };
    add_wave(u0, 0);
    for (Index m = 0; m < members; ++m) add_wave(uT, 0.2 + 0.05 * random.normal());
  }
}

struct Shape {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 16, modes = 6, depth = 2;
};
using Model = mno::PathMno<Shape>;

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "own_data";
  std::filesystem::create_directories(folder);
  measure();
  // [write]
  mno::io::NpzWriter writer(folder / "data.npz");
  writer.write("u0", mno::io::Array::of({samples, 1, points}, u0));           // (sample, channel, x)
  writer.write("uT", mno::io::Array::of({samples, members, 1, points}, uT));  // draws of u at t given u0
  writer.write("t", mno::io::Array::of({samples}, t));
  writer.write("length", mno::io::Array::of({1}, std::vector<double>{1.0}));  // of the box
  writer.commit();
  // [write] end
  // [read]
  const auto all = mno::io::EnsembleFile(folder / "data.npz").read<float, 1>({.keep = {.members = true}});
  const mno::Split split = mno::split_by_origin(all.origins, /*validation=*/0.3, /*test=*/0, /*seed=*/1);
  const auto held_back = mno::subset(all, split.validation);
  // [read] end
  // [fit]
  mno::FitOptions options;
  options.training.epochs = argc > 2 ? std::atoll(argv[2]) : 100;
  options.training.batch = 8;
  auto [surrogate, report] = mno::fit<Model>(mno::subset(all, split.train), options);
  for (const mno::metric::ScoreRow& row : surrogate.scorecard(held_back, {.metrics = {"mean_rmse", "crps"}}))
    std::cout << row.metric << " " << row.value << ", no model is expected below " << *row.floor << "\n";
  // [fit] end
  // [save]
  surrogate.calibrate(held_back, /*level=*/0.9);  // its 90 % intervals hold what they promise
  surrogate.save(folder / "model.safetensors");
  const auto loaded = mno::Surrogate<Model>::load(folder / "model.safetensors");
  // [save] end
  // [predict]
  mno::Field<float, 1> start(1, all.grid(), 1);
  std::copy_n(u0.begin(), points, start.data());
  const auto law = loaded.predict(start, /*time=*/0.7f);  // in your units
  const auto [low, high] = mno::interval(law, 0.9);
  std::cout << "u(t=0.7, x=0): mean " << law.mean(0, 0, 0) << ", 90% between " << low(0, 0, 0) << " and "
            << high(0, 0, 0) << "\n";
  // [predict] end
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

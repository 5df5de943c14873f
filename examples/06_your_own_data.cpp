// Data of your own: arrays into an ensemble or a file, an operator trained on them, its law asked and saved.
//
//   06_your_own_data [FOLDER [EPOCHS]]    writes data.npz and model.safetensors into FOLDER (default:
//   own_data)
//
// test arguments: 4
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mno/data/noise_variance.hpp>
#include <mno/data/split.hpp>
#include <mno/io/zip/ensemble_file.hpp>
#include <mno/law/quantile.hpp>
#include <mno/train/checkpoint.hpp>
#include <numbers>

using mno::Index;

/// What you have: plain arrays from an experiment or a simulator. Here a wave of some height and phase
/// that travels at a random speed: 40 initial conditions, seen at 2 times each.
struct Measured {
  static constexpr Index samples = 80, members = 24, points = 32;
  std::vector<float> u0, uT, t;

  Measured() {
    const double tau = 2 * std::numbers::pi;
    for (Index s = 0; s < samples; ++s) {
      mno::Stream random(/*seed=*/1, std::uint64_t(s / 2));
      const double phase = tau * random.uniform(), height = 1 + 0.3 * random.normal();
      const double time = s % 2 == 0 ? 0.5 : 1.0;
      const auto wave = [&](Index p, double speed) {
        const double x = double(p) / double(points) - speed * time;
        return float(2 + height * std::sin(tau * x + phase));
      };
      t.push_back(float(time));
      for (Index p = 0; p < points; ++p) u0.push_back(wave(p, 0));
      for (Index m = 0; m < members; ++m) {
        const double speed = 0.2 + 0.05 * random.normal();
        for (Index p = 0; p < points; ++p) uT.push_back(wave(p, speed));
      }
    }
  }
};

struct Shape {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 16, modes = 6, depth = 2;
};

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "own_data";
  const Index epochs = argc > 2 ? std::atoll(argv[2]) : 100;
  std::filesystem::create_directories(folder);

  // [arrays]
  const Measured measured;
  const Index samples = Measured::samples, members = Measured::members, points = Measured::points;
  const std::vector<float>& u0 = measured.u0;  // (sample, channel, x)
  const std::vector<float>& uT = measured.uT;  // (sample, member, channel, x): draws of u at time t given u0
  const std::vector<float>& t = measured.t;    // (sample)
  // [arrays] end

  // [write]
  mno::io::NpzWriter writer(folder / "data.npz");
  writer.write("u0", mno::io::Array::of({samples, 1, points}, u0));
  writer.write("uT", mno::io::Array::of({samples, members, 1, points}, uT));
  writer.write("t", mno::io::Array::of({samples}, t));
  writer.write("length", mno::io::Array::of({1}, std::vector<double>{1.0}));  // of the periodic box
  writer.commit();
  // [write] end

  // [read]
  mno::io::EnsembleFile file(folder / "data.npz");
  std::cout << file.samples() << " samples of " << file.most_members() << " members, " << file.channels()
            << " channel(s) in dimension " << file.dimension() << "\n";
  mno::Ensemble<float, 1> all = file.read<float, 1>();
  // [read] end

  // [memory]
  const mno::Grid<1> grid{{points}, mno::Domain<1>{{1.0}}};
  auto same = mno::make_ensemble<float, 1>(samples, grid, /*channels=*/1);
  for (Index s = 0; s < samples; ++s) {
    mno::Field<float, 1> initial(1, grid, 1), drawn(members, grid, 1);
    std::copy_n(u0.begin() + s * points, points, initial.data());
    std::copy_n(uT.begin() + s * members * points, members * points, drawn.data());
    mno::set_condition<float, 1>(same, s, std::as_const(initial).view(), t[std::size_t(s)],
                                 /*origin=*/s / 2, std::as_const(drawn).view());
  }
  // [memory] end
  if (!std::ranges::equal(same.mean.span(), all.mean.span()) ||
      !std::ranges::equal(same.variance.span(), all.variance.span())) {
    std::cerr << "the file and the arrays differ\n";
    return 1;
  }

  // [split]
  const mno::Split split = mno::split_by_origin(all.origins, /*validation=*/0.1, /*test=*/0.1, /*seed=*/1);
  auto train = mno::subset(all, split.train), validation = mno::subset(all, split.validation),
       test = mno::subset(all, split.test);
  const auto normaliser = mno::Normaliser::fit(train);
  for (auto* part : {&train, &validation, &test}) normaliser.apply(*part);
  // [split] end

  // [train]
  mno::Mno<Shape> model(/*seed=*/1, grid.domain);
  model.set_factor_scale(4 * std::sqrt(mno::mean_variance(train)));  // what the decoupled recipe is meant for
  mno::TrainingOptions options;
  options.epochs = epochs;
  options.batch = 8;
  mno::Trainer trainer(model, train, &validation, mno::Recipe::decoupled(), options);
  while (!trainer.finished()) trainer.run_epoch();
  trainer.take_best();
  const mno::Scores scores = mno::score(model, test);
  std::cout << "on initial conditions that were held back: mean RMSE " << scores.mean_rmse
            << ", variance RMSE " << scores.variance_rmse << " (in units of the normaliser)\n";
  // [train] end

  // [save]
  mno::io::write_model(folder / "model.safetensors", model, normaliser, {{"made_by", "06_your_own_data"}});
  const auto loaded = mno::io::read_model<mno::Mno<Shape>>(folder / "model.safetensors");
  // [save] end

  // [predict]
  mno::Field<float, 1> start(1, grid, 1);
  std::copy_n(u0.begin(), points, start.data());
  loaded.normaliser.apply(start);
  mno::Law<float, 1> law = mno::predict(loaded.model, start, /*time=*/0.7f);
  loaded.normaliser.undo(law);  // back to your units
  const auto [low, high] = mno::interval(law, 0.9);
  std::cout << "u(t=0.7, x=0): mean " << law.mean(0, 0, 0) << ", 90% between " << low(0, 0, 0) << " and "
            << high(0, 0, 0) << "\n";
  // [predict] end
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

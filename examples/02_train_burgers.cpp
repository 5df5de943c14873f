// From an equation to a trained operator: simulate, train, compare with ensembles that were never seen.
//
//   02_train_burgers [FOLDER [SAMPLES [EPOCHS]]]    writes model.safetensors and law.svg into FOLDER
//
// test arguments: 24 3
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <mno/mno.hpp>

#include "support/band_plot.hpp"

// [shape]
struct Shape {
  static constexpr int dimension = 1, channels = 1, rank = 8, width = 24, modes = 12, depth = 3;
};
using Operator = mno::PathMno<Shape>;
// [shape] end

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "train_burgers";
  const mno::Index samples = argc > 2 ? std::atol(argv[2]) : 256,
                   epochs = argc > 3 ? std::atol(argv[3]) : 100;
  std::filesystem::create_directories(folder);

  // [simulate]
  const mno::spde::Burgers burgers;  // u_t = ν u_xx − u u_x + σẆ; its constants are members
  auto train = mno::simulate_ensemble<float>(burgers, {.samples = samples, .members = 64, .seed = 1});
  auto validation = mno::simulate_ensemble<float>(
      burgers, {.samples = samples / 8, .members = 64, .seed = 1, .first_sample = samples});
  // [simulate] end

  // [normalise]
  const auto normaliser = mno::Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(validation);
  // [normalise] end

  // [train]
  Operator model(/*seed=*/1, train.grid().domain);
  model.set_factor_scale(float(4 * std::sqrt(mno::mean_variance(train))));
  mno::open_path(model, train);  // little of u_0 is left at the end: the layers learn u_T itself
  mno::TrainingOptions options;
  options.epochs = epochs;
  mno::Cpu device;
  mno::Trainer trainer(model, train, &validation, mno::Recipe::decoupled(), options, device);
  while (!trainer.finished()) {
    const mno::EpochReport report = trainer.run_epoch();
    if (report.epoch % 10 == 0 || trainer.finished())
      std::cout << "epoch " << report.epoch << ": loss " << report.loss << ", validation mean RMSE "
                << report.validation->mean_rmse << ", variance RMSE " << report.validation->variance_rmse
                << "\n";
  }
  trainer.take_best();
  mno::io::write_model(folder / "model.safetensors", model, normaliser);
  // [train] end

  // [test]
  auto test = mno::simulate_ensemble<float>(
      burgers, {.samples = 32, .members = 64, .seed = 1, .first_sample = 2 * samples});
  normaliser.apply(test);
  const mno::Scores scores = mno::score(model, test, device);
  const double floor = std::sqrt(mno::mean_variance(test) / 64);  // 64 members know their mean only so well
  std::cout << "on 32 new initial conditions: mean RMSE " << scores.mean_rmse << " (no model is below "
            << floor << ")\n";
  // [test] end

  mno::Field<float, 1> u0(1, test.grid(), 1);
  std::copy_n(test.initial.data(), u0.size(), u0.data());
  const auto law = mno::predict(model, u0, test.times[0], device);
  const auto [low, high] = mno::interval(law, 0.9);
  write_band_plot(folder / "law.svg", "The law of u at t = 0.5, trained", u0, law.mean, low, high,
                  mno::sample(law, 5, 7));
  std::cout << "Wrote " << (folder / "model.safetensors").string() << " and " << (folder / "law.svg").string()
            << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

// From an equation to a trained operator: simulate, train, compare with ensembles that were never seen.
//
//   02_train_burgers [FOLDER [SAMPLES [EPOCHS]]]    writes model.safetensors and law.svg into FOLDER
//
// test arguments: 24 3
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

  // [train]
  mno::FitOptions options;
  options.training.epochs = epochs;
  options.after_epoch = [](const mno::EpochReport& report) {
    if (report.epoch % 10 == 0 || report.epoch == report.epochs)
      std::cout << "epoch " << report.epoch << ": loss " << report.loss << ", validation mean RMSE "
                << report.validation->mean_rmse << ", variance RMSE " << report.validation->variance_rmse
                << "\n";
  };
  mno::Cpu device;
  const auto [surrogate, report] =
      mno::fit<Operator>(std::move(train), std::move(validation), options, device);
  surrogate.save(folder / "model.safetensors");
  // [train] end

  // [test]
  const auto test = mno::simulate_ensemble<float>(
      burgers, {.samples = 32, .members = 64, .seed = 1, .first_sample = 2 * samples}, {.members = true});
  for (const mno::metric::ScoreRow& row :
       surrogate.scorecard(test, {.metrics = {"mean_rmse", "var_rmse", "w2g"}}, device))
    std::cout << row.metric << " on 32 new initial conditions: " << row.value
              << " (no model is expected below " << *row.floor << ")\n";
  // [test] end

  mno::Field<float, 1> u0(1, test.grid(), 1);
  std::copy_n(test.initial.data(), u0.size(), u0.data());
  const auto law = surrogate.predict(u0, test.times[0], device);
  const auto [low, high] = mno::interval(law, 0.9);
  write_band_plot(folder / "law.svg", "The law of u at t = 0.5, trained", u0, law.mean, low, high,
                  mno::sample(law, 5, 7));
  std::cout << "Wrote " << (folder / "model.safetensors").string() << " and " << (folder / "law.svg").string()
            << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

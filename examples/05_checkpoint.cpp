// Training that is interrupted and goes on from a checkpoint, as if nothing had happened.
//
//   05_checkpoint [FOLDER [EPOCHS]]    writes run.checkpoint into FOLDER (default: checkpoint)
//
// test arguments: 3
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mno/data/noise_variance.hpp>
#include <mno/simulate/burgers.hpp>
#include <mno/simulate/ensemble.hpp>
#include <mno/train/checkpoint.hpp>

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 16, modes = 8, depth = 2;
};
using Model = mno::Mno<Small>;

/// Ensembles of Burgers' equation: mean and variance of the members, which need not stay in memory.
mno::Ensemble<float, 1> ensembles(mno::Index samples, mno::Index first) {
  // [ensemble]
  mno::spde::Burgers equation;
  equation.steps = 250;  // coarser than one would take for results
  equation.simulated = 64, equation.kept = 32;
  return mno::simulate_ensemble<float>(equation,
                                       {.samples = samples, .members = 16, .seed = 1, .first_sample = first});
  // [ensemble] end
}

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "checkpoint";
  const mno::Index epochs = argc > 2 ? std::atoll(argv[2]) : 20;
  std::filesystem::create_directories(folder);
  auto train = ensembles(64, 0), validation = ensembles(16, 64);
  const auto normaliser = mno::Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(validation);

  // [options]
  mno::TrainingOptions options;
  options.epochs = epochs;
  options.batch = 8;
  options.seed = 1;
  options.warmup_steps = 10;  // then half a cosine down to zero
  options.clip = 10;          // largest norm of a gradient
  options.average = 0.99;     // validate and keep a moving average of the weights
  options.patience = 50;      // epochs without a better score before it stops
  // [options] end

  // [whole]
  Model start(/*seed=*/1);
  start.set_factor_scale(4 * std::sqrt(mno::mean_variance(train)));  // what the decoupled recipe is meant for
  Model whole = start;
  mno::Trainer trainer(whole, train, &validation, mno::Recipe::decoupled(), options);
  while (!trainer.finished()) {
    const mno::EpochReport report = trainer.run_epoch();
    std::cout << "epoch " << report.epoch << ": loss " << report.loss << ", W2g on validation "
              << report.validation->w2g << (report.best ? " (best)" : "") << "\n";
  }
  trainer.take_best();
  // [whole] end

  // [interrupt]
  const auto path = folder / "run.checkpoint";
  {
    Model model = start;
    mno::Trainer stopped(model, train, &validation, mno::Recipe::decoupled(), options);
    stopped.run_epoch();
    int steps = 0;
    stopped.run_epoch(
        [&](const mno::StepReport&) { return ++steps == 3; });  // in the middle of the second epoch
    mno::write_checkpoint(path, model, normaliser, stopped);
  }  // the program could end here, or be killed
  // [interrupt] end

  // [resume]
  Model model;  // all of it comes from the file
  mno::Trainer resumed(model, train, &validation, mno::Recipe::decoupled(), options);
  mno::read_checkpoint(path, model, resumed);
  while (!resumed.finished()) resumed.run_epoch();
  resumed.take_best();
  const bool same = std::ranges::equal(model.values(), whole.values());  // bit for bit
  std::cout << "interrupted and resumed, the weights are " << (same ? "the same" : "DIFFERENT") << ".\n";
  // [resume] end

  // [refuse]
  options.batch = 16;
  try {
    mno::Trainer other(model, train, &validation, mno::Recipe::decoupled(), options);
    mno::read_checkpoint(path, model, other);
  } catch (const mno::Error& error) {
    std::cout << error.what() << "\n";  // expected a run with … batch=16 …, found one with … batch=8 …
    return same ? 0 : 1;
  }
  // [refuse] end
  std::cerr << "a checkpoint of another run was accepted\n";
  return 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

// Training: it learns, it repeats itself, it goes on where it stopped, and it says when it fails.
#include "mno/train/trainer.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "device.hpp"
#include "line.hpp"
#include "mno/layer/noise.hpp"
#include "mno/train/checkpoint.hpp"

using namespace mno;

namespace {

using mno_test::Line;
struct Forced : Line {
  static constexpr int known = 1;
};
using M = Mno<Line, float>;

/// u_t = u_0 shifted by a quarter period, plus a wave of random amplitude and phase, of deviation .3
/// everywhere: what an operator can learn that commutes with translations.
Ensemble<float, 1> data(Index entries, std::uint64_t seed) {
  const Grid<1> grid{{16}};
  auto result = make_ensemble<float, 1>(entries, grid, 1, {.factors = 2});
  for (Index e = 0; e < entries; ++e) {
    Stream random(seed, std::uint64_t(e));
    Field<float, 1> initial(1, grid, 1), members(32, grid, 1);
    const double a = random.normal(), b = random.normal();
    const auto wave = [&](double x) { return a * std::cos(6.2831853 * x) + b * std::sin(6.2831853 * x); };
    initial.fill([&](auto x, Index) { return wave(x[0]); });
    for (Index m = 0; m < 32; ++m) {
      const double cosine = 0.3 * random.normal(), sine = 0.3 * random.normal();
      for (Index p = 0; p < 16; ++p)
        members(m, p, 0) = float(wave(double(p) / 16 + 0.25) + cosine * std::cos(6.2831853 * double(p) / 16) +
                                 sine * std::sin(6.2831853 * double(p) / 16));
    }
    set_condition<float, 1>(result, e, initial.view(), 1.0f, e, std::as_const(members).view());
  }
  return result;
}

std::vector<float> weights(const M& model) { return {model.values().begin(), model.values().end()}; }

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("mno-trainer-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TrainingOptions short_run() {
  TrainingOptions options;
  options.epochs = 6;
  options.batch = 7;
  options.seed = 3;
  options.average = 0.9;
  options.clip = 5;
  return options;
}

}  // namespace

TEST_CASE("noise inside of an operator is another in every step, and the same in every run") {
  // [u_0, t] plus noise through a pointwise layer; the rate is zero, so that noise alone changes the loss.
  constexpr auto noisy = (Lift<Line>{} + Noise<2, 8, 1, 3>{}) >> Gelu<8>{} >> Pointwise<8, 1>{};
  const auto train = data(24, 1);
  TrainingOptions options;
  options.epochs = 3;
  options.batch = 24;
  options.adamw.learning_rate = 0;
  std::vector<std::vector<double>> runs;
  mno::test::on_each_device([&](auto& device) {
    auto model = make_model<Line, float>(noisy, 4);
    Trainer trainer(model, train, nullptr, MeanSquaredError{}, options, device);
    auto& losses = runs.emplace_back();
    for (int epoch = 0; epoch < 3; ++epoch) losses.push_back(trainer.run_epoch().loss);
  });
  for (const auto& losses : runs) CHECK(losses == runs.front());
  CHECK(std::abs(runs[0][0] - runs[0][1]) > 1e-6);
  CHECK(std::abs(runs[0][1] - runs[0][2]) > 1e-6);
}

TEST_CASE("training brings the error down to near the noise of the data") {
  const auto train = data(64, 1), validation = data(16, 2);
  M model(1);
  const Scores before = score(model, validation);
  TrainingOptions options;
  options.epochs = 60;
  options.batch = 16;
  options.adamw.learning_rate = 1e-2;
  Trainer trainer(model, train, &validation, Recipe::decoupled(), options, test::device());
  while (!trainer.finished()) trainer.run_epoch();
  trainer.take_best();
  const Scores after = score(model, validation);
  MESSAGE("mean RMSE " << before.mean_rmse << " → " << after.mean_rmse << ", variance RMSE "
                       << before.variance_rmse << " → " << after.variance_rmse);
  CHECK(after.mean_rmse < 0.1 * before.mean_rmse);
  CHECK(after.variance_rmse < 0.03);
}

TEST_CASE("the same seed gives the same run, whatever the threads do; another seed another") {
  const auto train = data(24, 1), validation = data(8, 2);
  const auto run = [&](std::uint64_t seed, test::Device& device) {
    M model(1);
    auto options = short_run();
    options.seed = seed;
    Trainer trainer(model, train, &validation, Recipe::decoupled(), options, device);
    while (!trainer.finished()) trainer.run_epoch();
    return weights(model);
  };
  const auto first = run(3, test::device());
  test::on_each_device([&](test::Device& device) { CHECK(first == run(3, device)); });
  CHECK(first != run(4, test::device()));
}

TEST_CASE("with a symmetry of its law a model knows of conditions that it has not seen") {
  auto above = data(4, 1);  // around 2, and what is asked for is around −2
  for (Field<float, 1>* field : {&above.initial, &above.mean})
    for (float& u : field->span()) u += 2;
  auto below = above;
  for (Index e = 0; e < 4; ++e) move_condition<float, 1>(above, e, Move<1>{.negative = true}, below);
  const auto error = [&](const Symmetries& symmetries) {
    M model(1);
    auto options = short_run();
    options.epochs = 500;
    options.symmetries = symmetries;
    Trainer trainer(model, above, nullptr, Recipe::decoupled(), options, test::device());
    while (!trainer.finished()) trainer.run_epoch();
    return score(model, below).mean_rmse;
  };
  const double without = error({}), with = error({.negative = true});
  MESSAGE("mean RMSE " << without << " without, " << with << " with the symmetry");
  CHECK(with < 0.5 * without);
}

TEST_CASE("a run that goes on from a checkpoint equals an uninterrupted one, bit for bit") {
  const Folder folder;
  const auto train = data(24, 1), validation = data(8, 2);
  const auto normaliser = Normaliser::identity(1);
  for (const char* name : {"decoupled", "paper"}) {
    CAPTURE(std::string(name));
    auto options = short_run();
    Recipe recipe = Recipe::named(name);
    recipe.hutchinson.weight = 0.1;
    recipe.warmup_epochs = 2;
    if (recipe.decoupled_nll.weight > 0) options.symmetries = {.negative = true, .shifted = true};
    M whole(1);
    Trainer uninterrupted(whole, train, &validation, recipe, options, test::device());
    while (!uninterrupted.finished()) uninterrupted.run_epoch();

    for (const int stop_after : {1, 5, 9, 14}) {  // steps: in the middle of an epoch, too
      CAPTURE(stop_after);
      const auto path = folder.path / "run.safetensors";
      {
        M model(1);
        Trainer trainer(model, train, &validation, recipe, options, test::device());
        int steps = 0;
        while (!trainer.finished() && steps < stop_after) {
          trainer.run_epoch([&](const StepReport& step) {
            CHECK(step.step == ++steps);
            return steps >= stop_after;
          });
        }
        write_checkpoint(path, model, normaliser, trainer);
      }
      M model(77);  // other weights: the file must bring them all
      Trainer trainer(model, train, &validation, recipe, options, test::device());
      read_checkpoint(path, model, trainer);
      while (!trainer.finished()) trainer.run_epoch();
      CHECK(weights(model) == weights(whole));
      CHECK(trainer.state().stopping.best == uninterrupted.state().stopping.best);
      trainer.take_best();
      M best = whole;
      std::copy_n(uninterrupted.state().best.data(), M::parameters, best.values().data());
      CHECK(weights(model) == weights(best));
    }
  }
}

TEST_CASE("a checkpoint of another run is refused with what differs") {
  const Folder folder;
  const auto train = data(8, 1);
  M model(1);
  Trainer trainer(model, train, nullptr, Recipe::decoupled(), short_run(), test::device());
  trainer.run_epoch();
  const auto path = folder.path / "run.safetensors";
  write_checkpoint(path, model, Normaliser::identity(1), trainer);
  auto other = short_run();
  other.batch = 5;
  Trainer different(model, train, nullptr, Recipe::decoupled(), other, test::device());
  std::string message;
  try {
    read_checkpoint(path, model, different);
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("batch=5") != std::string::npos);
  CHECK(message.find("batch=7") != std::string::npos);
}

TEST_CASE("early stopping ends a run that no longer improves") {
  const auto train = data(8, 1), validation = data(8, 2);
  M model(1);
  auto options = short_run();
  options.epochs = 500;
  options.decay = Decay::none;
  options.adamw.learning_rate = 0;  // it can't improve
  options.patience = 4;
  Trainer trainer(model, train, &validation, Recipe::decoupled(), options, test::device());
  Index epochs = 0;
  while (!trainer.finished()) epochs = trainer.run_epoch().epoch;
  CHECK(epochs == 5);
}

TEST_CASE("a loss that is no number stops training, with the step and the samples") {
  const auto train = data(8, 1);
  M model(1);
  model.leaf("lift.weight")[0] = std::numeric_limits<float>::quiet_NaN();
  Trainer trainer(model, train, nullptr, Recipe::decoupled(), short_run(), test::device());
  std::string message;
  try {
    trainer.run_epoch();
  } catch (const NonFiniteLoss& error) {
    message = error.what();
  }
  CHECK(message.find("epoch 1, step 1 (samples ") != std::string::npos);
}

TEST_CASE("known fields and times per entry reach the model") {
  auto train = data(8, 1);
  train.known = Field<float, 1>(8, train.grid(), 1);
  for (float& value : train.known.span()) value = 0.5f;
  Mno<Forced> model(1);
  Trainer trainer(model, train, nullptr, Recipe::decoupled(), short_run(), test::device());
  CHECK(std::isfinite(trainer.run_epoch().loss));
  train.known = Field<float, 1>(1, train.grid(), 1);
  Trainer shared(model, train, nullptr, Recipe::decoupled(), short_run(), test::device());
  CHECK(std::isfinite(shared.run_epoch().loss));
}

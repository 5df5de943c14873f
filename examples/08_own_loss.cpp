// A loss of your own: a term of one entry, which runs on every device, a term that is a function, their
// gradient checked, and a run that minimises their sum.
//
//   08_own_loss [FOLDER [SAMPLES [EPOCHS]]]    writes model.safetensors into FOLDER (default: own_loss)
//
// test arguments: 64 4
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mno/mno.hpp>

using namespace mno;

struct HeatLaw {
  static constexpr int dimension = 1, channels = 1, rank = 8, width = 16, modes = 8, depth = 2;
};

// [term]
/// The pinball loss of the τ-quantile q = m + z√v of the law, against one draw u per condition:
///   τ(u − q) above the quantile, (1 − τ)(q − u) below;   ∂q/∂m = 1,  ∂q/∂v = z/(2√v)
struct Pinball {
  static constexpr const char* name = "pinball";
  double weight = 1;
  double tau = 0.9, z = 1.2815515655446004;  // P(ξ ≤ z) = τ for a normal ξ
  double floor = 1e-6;                       // of v: √v has no derivative at 0

  MNO_HOST_DEVICE EntryTerm at(double m, double v, const EntryTarget& e) const {
    const double s = std::sqrt(v + floor), above = e.mean - (m + z * s);
    const double slope = above > 0 ? -tau : 1 - tau;  // in q
    return {-slope * above, slope, slope * z / (2 * s)};
  }
};
// [term] end

// [function]
/// What the mean gains or loses of the mass of u_0, squared: a function of a block of laws, their target and
/// a scale. It returns its value and adds its derivative to the cotangent of the mean.
template <class T> auto mass() {
  return [](const LawBlock<T, 1>& law, const Target<T, 1>& target, double scale) {
    const Index points = law.mean.points();
    double total = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      double gained = 0;
      for (Index x = 0; x < points; ++x)
        gained += (law.mean(b, x, 0) - target.initial(law.first + b, x, 0)) / double(points);
      total += scale * gained * gained;
      for (Index x = 0; x < points; ++x) law.mean_bar(b, x, 0) += T(scale * 2 * gained / double(points));
    }
    return total;
  };
}
// [function] end

// [check]
/// The derivative along the gradient itself against a central difference, in double: the relative error.
template <class L> double error_of_gradient(const L& loss, const Ensemble<double, 1>& data) {
  Mno<HeatLaw, double> model(/*seed=*/2), gradient = model.zeros(), unused = model.zeros();
  value_and_gradient(model, data.condition(), loss.on(data.target()), gradient);
  double squares = 0;
  for (const double g : gradient.values()) squares += g * g;
  const auto at = [&](double h) {
    auto moved = model;
    for (std::size_t i = 0; i < model.parameters; ++i) moved.values()[i] += h * gradient.values()[i];
    return value_and_gradient(moved, data.condition(), loss.on(data.target()), unused);
  };
  const double h = 1e-6 / std::sqrt(squares);
  return std::abs((at(h) - at(-h)) / (2 * h) - squares) / squares;
}
// [check] end

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "own_loss";
  const Index samples = argc > 2 ? std::atol(argv[2]) : 1024, epochs = argc > 3 ? std::atol(argv[3]) : 40;
  std::filesystem::create_directories(folder);
  spde::Heat heat;  // u_t = ν u_xx + σẆ
  heat.points = 32;

  const auto few = simulate_ensemble<double>(heat, {.samples = 4, .members = 1, .seed = 3});
  const double error = error_of_gradient(
      Loss{Pinball{}, Pinball{.tau = 0.1, .z = -1.2815515655446004}, own_term("mass", mass<double>())}, few);
  std::cout << "relative error of the gradient: " << error << "\n";
  if (error > 1e-5) return 1;

  // One draw for every condition, as measured data is; what is learned is judged by ensembles.
  auto train = simulate_ensemble<float>(heat, {.samples = samples, .members = 1, .seed = 1});
  auto test =
      simulate_ensemble<float>(heat, {.samples = 64, .members = 64, .seed = 1, .first_sample = samples});
  const auto normaliser = Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(test);

  // [train]
  Mno<HeatLaw> model(/*seed=*/1, train.grid().domain);
  TrainingOptions options;
  options.epochs = epochs;
  const Loss loss{Pinball{}, Pinball{.tau = 0.1, .z = -1.2815515655446004},
                  own_term("mass", mass<float>(), /*numbers=*/{})};
  Trainer trainer(model, train, nullptr, loss, options);
  while (!trainer.finished()) {
    double largest = 0;
    const EpochReport epoch = trainer.run_epoch([&](const StepReport& step) {  // after every step
      largest = std::max(largest, step.gradient_norm);
    });
    if (epoch.epoch % 10 == 0 || trainer.finished())
      std::cout << "epoch " << epoch.epoch << ": " << loss.names()[0] << " " << epoch.terms[0] << ", "
                << loss.names()[2] << " " << epoch.terms[2] << ", largest gradient " << largest << "\n";
  }
  write_checkpoint(folder / "model.safetensors", model, normaliser, trainer);
  // [train] end
  std::cout << "a checkpoint knows the loss as " << loss.text() << "\n";

  const Scores scores = score(model, test);
  std::cout << "on 64 new initial conditions: mean RMSE " << scores.mean_rmse << ", variance RMSE "
            << scores.variance_rmse << " of " << mean_variance(test) << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

// An architecture of your own: a U-Net as the backbone of a Martingale Neural Operator, tried by the oracle,
// and trained on the stochastic heat equation.
//
//   07_own_architecture [FOLDER [SAMPLES [EPOCHS]]]    writes law.svg into FOLDER (default:
//   own_architecture)
//
// test arguments: 48 4
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <mno/mno.hpp>

#include "support/band_plot.hpp"

// [problem]
struct HeatLaw {
  static constexpr int dimension = 1, channels = 1, rank = 16;
};
// [problem] end

// [heads]
/// A head with a name: its parameters are drift.pointwise0.weight, and so on.
template <int Outputs>
using Head = decltype(mno::Pointwise<16, 32>{} >> mno::Gelu<32>{} >> mno::Pointwise<32, Outputs>{});
struct Drift : Head<HeatLaw::channels> {
  static constexpr const char* name = "drift";
};
struct Factor : Head<HeatLaw::rank * HeatLaw::channels> {
  static constexpr const char* name = "factor";
};
// [heads] end

// [u-net]
using namespace mno;
template <int In, int Out>
using Block = decltype(Conv<In, Out, 1, 3>{} >> GroupNorm<Out, 4>{} >> Gelu<Out>{});

constexpr auto quarter = AveragePool<16, 2>{} >> Block<16, 16>{} >> Block<16, 16>{} >> Nearest<16, 2>{};
constexpr auto half = AveragePool<8, 2>{} >> Block<8, 16>{} >>
                      concat(Identity<16>{}, quarter) >> Block<32, 16>{} >> Nearest<16, 2>{};
constexpr auto u_net = Conv<2, 8, 1, 5>{} >> concat(Identity<8>{}, half) >> Conv<24, 16, 1, 5>{};
constexpr auto expression = u_net >> concat(Drift{}, Factor{}) * Gate{};  // [u_0, t] ↦ [g·A | g·B]
// [u-net] end

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "own_architecture";
  const Index samples = argc > 2 ? std::atol(argv[2]) : 512, epochs = argc > 3 ? std::atol(argv[3]) : 60;
  std::filesystem::create_directories(folder);

  // [oracle]
  using Expression = std::remove_const_t<decltype(expression)>;
  const OracleReport report = check_gradients<Expression, 1>(Grid<1>{{16}});
  std::cout << "runs as " << kernels<Expression>() << "\n"
            << "largest error of a gradient: " << report.largest() << "\n";
  if (report.largest() > 1e-6) return 1;
  // [oracle] end

  // [train]
  const spde::Heat heat;  // u_t = ν u_xx + σẆ, whose law is known
  auto train = simulate_ensemble<float>(heat, {.samples = samples, .members = 64, .seed = 1});
  auto test =
      simulate_ensemble<float>(heat, {.samples = 64, .members = 64, .seed = 1, .first_sample = samples});
  const auto normaliser = Normaliser::fit(train);
  normaliser.apply(train);
  normaliser.apply(test);

  auto model = make_model<HeatLaw>(expression, /*seed=*/1, train.grid().domain);
  model.set_factor_scale(float(4 * std::sqrt(mean_variance(train))));
  TrainingOptions options;
  options.epochs = epochs;
  Trainer trainer(model, train, nullptr, Recipe::decoupled(), options);
  while (!trainer.finished()) trainer.run_epoch();
  // [train] end

  // [score]
  const Scores scores = score(model, test);
  const double floor = std::sqrt(mean_variance(test) / 64);  // 64 members know their mean only so well
  double start = 0;                                          // the error of u_0, where an operator begins
  for (std::size_t i = 0; i < test.mean.size(); ++i)
    start += std::pow(test.initial.span()[i] - test.mean.span()[i], 2) / double(test.mean.size());
  std::cout << "on 64 new initial conditions: mean RMSE " << scores.mean_rmse << " (of u_0 "
            << std::sqrt(start) << ", no model is below " << floor << "), variance RMSE "
            << scores.variance_rmse << " of " << mean_variance(test) << "\n";
  // [score] end

  Field<float, 1> u0(1, test.grid(), 1);
  std::copy_n(test.initial.data(), u0.size(), u0.data());
  const auto law = predict(model, u0, test.times[0]);
  const auto [low, high] = interval(law, 0.9);
  write_band_plot(folder / "law.svg", "The law of u at t = 0.5, by a U-Net", u0, law.mean, low, high,
                  sample(law, 5, 7));
  std::cout << "Wrote " << (folder / "law.svg").string() << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

// From nothing to a law: a Martingale Neural Operator with random weights, evaluated and asked questions.
//
//   01_first_law [FOLDER]    writes law.csv and law.svg into FOLDER (default: first_law)
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mno/mno.hpp>
#include <numbers>

#include "support/band_plot.hpp"

// [shape]
struct Burgers {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
// [shape] end

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "first_law";
  std::filesystem::create_directories(folder);

  // [model]
  mno::Mno<Burgers> model(/*seed=*/1);
  std::cout << "A Martingale Neural Operator of " << model.parameters << " parameters.\n";
  // [model] end

  // [initial]
  mno::Field<float, 1> u0(/*batch=*/1, mno::Grid<1>{{64}}, /*channels=*/1);
  u0.fill([](auto x, mno::Index) { return std::sin(2 * std::numbers::pi * x[0]); });
  // [initial] end

  // [predict]
  const mno::Law<float, 1> law = mno::predict(model, u0, /*time=*/0.5f);
  // [predict] end

  // [ask]
  const auto variance = mno::variance(law);                      // Σ_k B_k²
  const auto draws = mno::sample(law, /*count=*/5, /*seed=*/7);  // m + Σ_k B_k ξ_k
  const auto [low, high] = mno::interval(law, 0.9);              // 90% of the mass, pointwise
  const auto risk = mno::exceedance(law, 1.0);                   // P(u > 1)
  const auto gamma = mno::covariance(law, /*sample=*/0);         // Γ, never formed
  std::cout << "trace Γ = " << gamma.trace() << ", Γ(3,40) = " << gamma(3, 40) << "\n";
  // [ask] end

  // [grids]
  mno::Field<float, 1> fine(1, mno::Grid<1>{{256}}, 1);  // the same weights on another grid
  fine.fill([](auto x, mno::Index) { return std::sin(2 * std::numbers::pi * x[0]); });
  const auto fine_law = mno::predict(model, fine, 0.5f);
  std::cout << "mean at x = 0.25: " << law.mean(0, 16, 0) << " on 64 points, " << fine_law.mean(0, 64, 0)
            << " on 256\n";
  // [grids] end

  // [zero]
  const auto start = mno::predict(model, u0, 0.0f);  // exactly u_0, and no noise
  bool exact = true;
  for (mno::Index x = 0; x < 64; ++x) exact = exact && start.mean(0, x, 0) == u0(0, x, 0);
  std::cout << "at t = 0 the law is u_0: " << (exact ? "yes" : "no") << "\n";
  // [zero] end

  std::ofstream csv(folder / "law.csv");
  csv << "x,u0,mean,variance,low,high,exceedance\n";
  for (mno::Index x = 0; x < 64; ++x)
    csv << double(x) / 64 << ',' << u0(0, x, 0) << ',' << law.mean(0, x, 0) << ',' << variance(0, x, 0) << ','
        << low(0, x, 0) << ',' << high(0, x, 0) << ',' << risk(0, x, 0) << '\n';
  write_band_plot(folder / "law.svg", "The law of u at t = 0.5 (random weights)", u0, law.mean, low, high,
                  draws);
  if (!csv.flush()) throw std::runtime_error("could not write " + (folder / "law.csv").string());
  std::cout << "Wrote " << (folder / "law.csv").string() << " and " << (folder / "law.svg").string() << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

#include "mno/simulate/reaction.hpp"

#include <doctest/doctest.h>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

TEST_CASE("without diffusion and noise every point follows u' = au − bu³, however long a step is") {
  for (const double growth : {1.5, 0.0, -2.0}) {
    Reaction reaction{.diffusion = 0, .growth = growth, .saturation = 0.3, .sigma = 0};
    for (const Index steps : {1, 7}) {
      reaction.steps = steps;
      const auto all = collect<double>(reaction, {.samples = 3, .members = 1, .seed = 4});
      double worst = 0;
      for (Index s = 0; s < 3; ++s)
        for (Index p = 0; p < 64; ++p) {
          double u = all.initial(s, p, 0);  // by the classical Runge–Kutta method
          const auto f = [&](double x) { return growth * x - 0.3 * x * x * x; };
          for (int i = 0; i < 4000; ++i) {
            const double h = 1. / 4000, k1 = f(u), k2 = f(u + h / 2 * k1), k3 = f(u + h / 2 * k2),
                         k4 = f(u + h * k3);
            u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
          }
          worst = std::max(worst, std::abs(all.of(s)(0, p, 0) - u));
        }
      CHECK(worst < 1e-8);
    }
  }
}

TEST_CASE("noise alone: log u is normal, with mean −s²t/2 and variance s²t, and E u stays") {
  const Reaction reaction{
      .diffusion = 0, .growth = 0, .saturation = 0, .sigma = 0.4, .time = 0.5, .steps = 5};
  constexpr Index members = 20000;
  const auto all = collect<double>(reaction, {.samples = 1, .members = members, .seed = 5});
  const double variance = 0.4 * 0.4 * 0.5;
  for (const Index p : {0, 13, 40}) {
    double sum = 0, squares = 0;
    for (Index m = 0; m < members; ++m) {
      const double z = std::log(all.of(0)(m, p, 0) / all.initial(0, p, 0)) + variance / 2;
      sum += z;
      squares += z * z;
    }
    CHECK(std::abs(sum / members) < statistics::normal_bound(3) * std::sqrt(variance / members));
    CHECK(statistics::chi_squared_ok(squares, variance, members, 3));
  }
}

TEST_CASE("without saturation the mean is the heat equation's, grown by e^{at}") {
  const Reaction reaction{.diffusion = 0.01, .growth = 1, .saturation = 0, .sigma = 0.3, .steps = 20};
  constexpr Index members = 20000;
  const auto all = collect<double>(reaction, {.samples = 1, .members = members, .seed = 6});
  FourierSeries mean = reaction.draw(6, 0);
  for (Index k = 1; k <= mean.modes(); ++k)
    for (auto* half : {&mean.cosine, &mean.sine})
      (*half)[std::size_t(k - 1)] *= std::exp(1 - 0.01 * std::pow(2 * std::numbers::pi * double(k), 2));
  for (const Index p : {0, 9, 30, 51}) {
    double sum = 0, squares = 0;
    for (Index m = 0; m < members; ++m) {
      const double e = all.of(0)(m, p, 0) - mean(double(p) / 64);
      sum += e;
      squares += e * e;
    }
    CHECK(std::abs(sum / members) < statistics::normal_bound(4) * std::sqrt(squares) / members);
  }
}

TEST_CASE("the error of the splitting is of first order in the time step") {
  Reaction reaction{.diffusion = 0.01, .saturation = 0.05, .sigma = 0, .steps = 6400};
  const Sampling sampling{.samples = 3, .members = 1, .seed = 2};
  const auto reference = collect<double>(reaction, sampling);
  std::vector<double> errors;
  for (const Index steps : {50, 100, 200}) {
    reaction.steps = steps;
    const auto coarse = collect<double>(reaction, sampling);
    double gap = 0;
    for (std::size_t i = 0; i < coarse.members.size(); ++i)
      gap = std::max(gap, std::abs(coarse.members.data()[i] - reference.members.data()[i]));
    errors.push_back(gap);
  }
  for (std::size_t i = 1; i < errors.size(); ++i)
    CHECK(std::log2(errors[i - 1] / errors[i]) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("sizes of initial fields are log-normal, whatever the grid; one seed, one sequence") {
  const Reaction reaction;
  double sum = 0, squares = 0;
  constexpr Index samples = 2000;
  for (Index s = 0; s < samples; ++s) {
    const FourierSeries series = reaction.draw(1, s);
    double largest = 0;
    for (Index p = 0; p < 512; ++p) largest = std::max(largest, std::abs(series(double(p) / 512)));
    const double z = std::log(largest / 3.6) / 0.5;
    sum += z;
    squares += z * z;
  }
  CHECK(std::abs(sum / samples) < statistics::normal_bound(1) / std::sqrt(double(samples)));
  CHECK(statistics::chi_squared_ok(squares, 1, samples, 1));
  const auto all = collect<float>(reaction, {.samples = 3, .members = 40, .seed = 9});
  const auto piece = collect<float>(reaction, {.samples = 1, .members = 5, .seed = 9, .first_sample = 2});
  for (Index m = 0; m < 5; ++m)
    for (Index p = 0; p < 64; ++p) CHECK(piece.of(0)(m, p, 0) == all.of(2)(m, p, 0));
}

TEST_CASE("numbers that make no sense are refused") {
  CHECK_THROWS_WITH_AS(Reaction{.saturation = -1}.check(), doctest::Contains("saturation"), Error);
  CHECK_THROWS_WITH_AS(Reaction{.sigma = -1}.check(), doctest::Contains("sigma"), Error);
  CHECK_THROWS_WITH_AS(Reaction{.kept = 60}.check(), doctest::Contains("kept"), Error);
}

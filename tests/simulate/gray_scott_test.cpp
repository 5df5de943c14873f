#include "mno/simulate/gray_scott.hpp"

#include <doctest/doctest.h>

#include "planes.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// Without waves: the reaction of two numbers, by a classical Runge–Kutta method.
std::array<double, 2> reaction(const GrayScott& e, std::array<double, 2> w, Index steps) {
  const double dt = e.time / double(steps);
  const auto slope = [&](double u, double v) {
    return std::array{-u * v * v + e.feed * (1 - u), u * v * v - (e.feed + e.kill) * v};
  };
  for (Index step = 0; step < steps; ++step) {
    const auto a = slope(w[0], w[1]), b = slope(w[0] + dt / 2 * a[0], w[1] + dt / 2 * a[1]),
               c = slope(w[0] + dt / 2 * b[0], w[1] + dt / 2 * b[1]),
               d = slope(w[0] + dt * c[0], w[1] + dt * c[1]);
    for (std::size_t i = 0; i < 2; ++i) w[i] += dt / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return w;
}
}  // namespace

TEST_CASE("without waves it is the reaction of two numbers") {
  GrayScott equation{.sigma_u = 0, .sigma_v = 0, .time = 40, .steps = 2000, .simulated = 8, .kept = 4};
  equation.initial = {.modes = 1, .amplitude = 0};
  equation.noise = PlaneNoise(1);
  const auto all = collect<double>(equation, {.samples = 1, .members = 1});
  const auto expected = reaction(equation, equation.initial_mean, 4000);
  REQUIRE(std::abs(expected[1] - 0.1) > 0.01);
  for (Index p = 0; p < 16; ++p)
    for (Index c = 0; c < 2; ++c) CHECK(std::abs(all.of(0)(0, p, c) - expected[std::size_t(c)]) < 1e-5);
}

TEST_CASE("without v, u is a heat equation with feed: each channel has its own diffusion") {
  GrayScott equation{.diffusion_u = 3e-4,
                     .diffusion_v = 1e-4,
                     .sigma_u = 0,
                     .sigma_v = 0,
                     .time = 10,
                     .steps = 5,
                     .simulated = 24,
                     .kept = 24,
                     .initial_mean = {0.7, 0}};
  const auto start = equation.draw(0, 0);
  const auto rate = [&](std::size_t c, double squared) {
    const double wave = std::pow(2 * std::numbers::pi / equation.length, 2) * squared;
    return c == 0 ? -3e-4 * wave - equation.feed : -1e-4 * wave - equation.feed - equation.kill;
  };
  // u v² is of third order in a small v: what is left of it is below the tolerance.
  equation.initial.amplitude = 1e-6;
  const auto all = collect<double>(equation, {.samples = 1, .members = 1});
  for (std::size_t c = 0; c < 2; ++c) {
    PlaneSeries series = equation.draw(0, 0)[c];
    for (std::size_t i = 0; i < series.waves.size(); ++i) {
      const double decay = std::exp(10 * rate(c, series.waves[i].squared()));
      series.cosine[i] *= decay;
      series.sine[i] *= decay;
    }
    series.mean = c == 0 ? 1 - 0.3 * std::exp(-equation.feed * 10) : 0;
    Field<double, 2> expected(1, equation.grid(), 2);
    series.evaluate(expected.view(), 0, Index(c));
    for (Index p = 0; p < 576; ++p)
      CHECK(std::abs(all.of(0)(0, p, Index(c)) - expected(0, p, Index(c))) < 1e-10);
  }
  CHECK(start[0].cosine != start[1].cosine);  // the channels' fields are independent
}

TEST_CASE("patterns form, the error falls with the square of the step, and 64 points are enough") {
  GrayScott equation{.sigma_u = 0, .sigma_v = 0, .kept = 32};
  const Sampling sampling{.samples = 1, .members = 1, .seed = 1};
  const auto run = [&](Index steps) {
    equation.steps = steps;
    return collect<double>(equation, sampling).members;
  };
  const auto truth = run(800), coarse = run(200), fine = run(400);
  const double first = planes::root_mean_square(coarse, truth),
               second = planes::root_mean_square(fine, truth);
  CHECK(first / second ==
        doctest::Approx(5).epsilon(0.15));  // (16 − 1)/(4 − 1), the truth having an error too
  CHECK(first < 5e-3);
  equation.simulated = 96;
  const double space = planes::root_mean_square(run(200), coarse);
  CHECK(space < 3e-3);
  double low = 1, high = 0;
  for (Index p = 0; p < truth.points(); ++p) {
    low = std::min(low, truth(0, p, 1));
    high = std::max(high, truth(0, p, 1));
  }
  CHECK(low < 0.02);  // from a field of 0.1 ± 0.05
  CHECK(high > 0.3);
}

TEST_CASE("each channel has the noise that it was given, independent of the other's") {
  // Without v nothing couples them, and every mode is an Ornstein-Uhlenbeck process.
  GrayScott equation{.sigma_u = 1e-6,
                     .sigma_v = 3e-7,
                     .time = 20,
                     .steps = 4,
                     .simulated = 16,
                     .kept = 4,
                     .initial_mean = {1, 0}};
  equation.initial = {.modes = 1, .amplitude = 0};
  constexpr Index members = 4000;
  const auto all = collect<double>(equation, {.samples = 1, .members = members, .seed = 9});
  double expected[2] = {}, square[2] = {}, mixed = 0;
  for (Index c = 0; c < 2; ++c)
    for (Index i = 0; i < equation.noise.rank(); ++i) {
      const double sigma = c == 0 ? equation.sigma_u : equation.sigma_v;
      expected[c] +=
          std::pow(sigma * equation.noise.amplitude(i) *
                       ornstein_uhlenbeck_deviation(equation.rate(c, equation.noise.wavenumber(i)), 20),
                   2);  // cos² + sin² of a pair is one, and q is there twice, times √2²/2
    }
  for (Index m = 0; m < members; ++m) {
    const double u = all.of(0)(m, 5, 0) - 1, v = all.of(0)(m, 5, 1);
    square[0] += u * u / members;
    square[1] += v * v / members;
    mixed += u * v / members;
  }
  // 4000 squares have a relative deviation of 2.2 %; five of them happen once in a million.
  CHECK(square[0] == doctest::Approx(expected[0]).scale(0).epsilon(0.11));
  CHECK(square[1] == doctest::Approx(expected[1]).scale(0).epsilon(0.11));
  CHECK(std::abs(mixed) < 5 * std::sqrt(expected[0] * expected[1] / members));
}

TEST_CASE("threads do not change a bit, single precision follows double precision") {
  const GrayScott equation{.steps = 100, .simulated = 32, .kept = 16};
  Cpu one(1), three(3);
  const Sampling sampling{.samples = 3, .members = 5, .seed = 7};
  const auto a = collect<float>(equation, sampling, one), b = collect<float>(equation, sampling, three);
  CHECK(planes::largest_gap(a.members, b.members) == 0);
  CHECK(planes::largest_gap(a.members, collect<double>(equation, sampling).members) < 2e-3);
}

TEST_CASE("a blow-up is reported, and bad options are refused with a sentence") {
  GrayScott wild{.time = 40, .steps = 10, .simulated = 24, .kept = 24, .initial_mean = {50, 50}};
  CHECK_THROWS_WITH_AS(collect<float>(wild, {.samples = 1, .members = 1}),
                       doctest::Contains("mno::simulate: GrayScott is no longer finite in sample 0"), Error);
  const auto run = [](const GrayScott& equation) { collect<float>(equation, {.members = 1}); };
  CHECK_THROWS_WITH(
      run({.diffusion_v = -1}),
      "mno::GrayScott: argument 'diffusion_v': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(run({.sigma_v = -1}),
                    "mno::GrayScott: argument 'sigma_v': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(run({.length = 0}),
                    "mno::GrayScott: argument 'length': expected a positive number, got 0.");
  CHECK_THROWS_AS(run({.steps = 0}), Error);
}

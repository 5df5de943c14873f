#include "mno/simulate/phi4_plane.hpp"

#include <doctest/doctest.h>

#include "mno/simulate/phi4.hpp"
#include "planes.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// The waves of the line's u_0 with k ≤ 3, put into a series of the plane.
struct OnAxis : Phi4Plane {
  template <class T> using Solver = PlaneHeun<T, OnAxis>;
  std::array<PlaneSeries, 1> draw(std::uint64_t seed, Index sample) const {
    const FourierSeries line = InitialField{.modes = 3}.draw(seed, sample);
    return {PlaneSeries{0, {{1, 0}, {2, 0}, {3, 0}}, line.cosine, line.sine}};
  }
};
}  // namespace

TEST_CASE("without waves it is the logistic equation, whose solution is known") {
  Phi4Plane equation{.sigma = 0, .time = 1, .steps = 400, .simulated = 12, .kept = 12};
  equation.initial.amplitude = 1e-3;
  equation.nu = 0;  // every point for itself: u² = g u_0² e^{2gt}/(g + u_0²(e^{2gt} − 1))
  const auto all = collect<double>(equation, {.samples = 1, .members = 1});
  for (Index p = 0; p < 144; ++p) {
    const double u0 = all.initial(0, p, 0), growth = std::exp(2 * 3.), square = u0 * u0;
    const double u = std::copysign(std::sqrt(3 * square * growth / (3 + square * (growth - 1))), u0);
    CHECK(all.of(0)(0, p, 0) == doctest::Approx(u).epsilon(1e-4));
  }
}

TEST_CASE("a field that depends on x alone is that of the line") {
  OnAxis plane;
  plane.sigma = 0;
  plane.simulated = plane.kept = 32;
  plane.steps = 500;
  Phi4 line{.sigma = 0, .steps = 20000, .initial = {.modes = 3}};
  line.simulated = line.kept = 32;
  const auto a = collect<double>(plane, {.samples = 1, .members = 1, .seed = 3});
  const auto b = collect<double>(line, {.samples = 1, .members = 1, .seed = 3});
  for (Index p = 0; p < 1024; ++p) CHECK(std::abs(a.of(0)(0, p, 0) - b.of(0)(0, p / 32, 0)) < 2e-4);
}

TEST_CASE("the error falls with the square of the step; one noise on 32, 64 and 128 points is one field") {
  Phi4Plane equation{.sigma = 0, .simulated = 32, .kept = 32};
  const Sampling sampling{.samples = 2, .members = 2, .seed = 2};
  const auto run = [&] { return collect<double>(equation, sampling).members; };
  const auto with_steps = [&](Index steps) {
    equation.steps = steps;
    return run();
  };
  const auto truth = with_steps(800);
  const double coarse = planes::root_mean_square(with_steps(25), truth),
               fine = planes::root_mean_square(with_steps(50), truth);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.2));
  CHECK(fine < 2e-4);  // the default number of steps
  equation.sigma = 0.1;
  const auto small = run();
  equation.simulated = 64;
  const auto middle = run();
  equation.simulated = 128;
  const auto large = run();
  const double first = planes::root_mean_square(small, middle),
               second = planes::root_mean_square(middle, large);
  CHECK(first < 1e-5);
  CHECK(second < 1e-9);  // spectral convergence
}

TEST_CASE("fields settle at the two wells") {
  const auto all = collect<float>(Phi4Plane{.sigma = 0, .time = 8, .steps = 400, .simulated = 16, .kept = 16},
                                  {.samples = 2, .members = 1, .seed = 1});
  for (std::size_t i = 0; i < all.members.size(); ++i)
    CHECK(std::abs(all.members.data()[i]) <= doctest::Approx(std::sqrt(3.)).epsilon(1e-2));
}

TEST_CASE("bad options are refused with a sentence") {
  const auto run = [](const Phi4Plane& equation) { collect<float>(equation, {.members = 1}); };
  CHECK_THROWS_WITH(run({.nu = -1}),
                    "mno::Phi4Plane: argument 'nu': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(run({.growth = std::nan("")}),
                    "mno::Phi4Plane: argument 'growth': expected a finite number, got nan.");
  CHECK_THROWS_WITH(run({.kept = 48}), doctest::Contains("a divisor of the simulated 64, got 48."));
  CHECK_THROWS_AS(run({.steps = 0}), Error);
}

#include "mno/simulate/burgers.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mno;
using namespace mno::spde;

namespace {
/// Burgers without noise by the transform of Cole and Hopf: u = −2ν φ_x/φ, φ_t = νφ_xx,
/// φ_0 = exp(−∫u_0/2ν), its heat equation solved mode by mode on a fine grid.
std::vector<double> cole_hopf(const FourierSeries& u0, double nu, double t, Index points) {
  constexpr Index fine = 512;
  const double tau = 2 * std::numbers::pi;
  std::vector<double> phi(fine), out;
  for (Index p = 0; p < fine; ++p) {
    double integral = 0;
    for (Index k = 1; k <= u0.modes(); ++k) {
      const double angle = tau * double(k * p) / double(fine), a = u0.cosine[std::size_t(k - 1)],
                   b = u0.sine[std::size_t(k - 1)];
      integral += (a * std::sin(angle) + b * (1 - std::cos(angle))) / (tau * double(k));
    }
    phi[std::size_t(p)] = std::exp(-integral / (2 * nu));
  }
  std::vector<std::complex<double>> modes;
  for (Index k = 0; k <= 160; ++k) {
    std::complex<double> sum = 0;
    for (Index p = 0; p < fine; ++p)
      sum += phi[std::size_t(p)] * std::polar(1. / double(fine), -tau * double(k * p % fine) / double(fine));
    modes.push_back(sum * std::exp(-nu * std::pow(tau * double(k), 2) * t));
  }
  for (Index p = 0; p < points; ++p) {
    double value = modes[0].real(), slope = 0;
    for (Index k = 1; k <= 160; ++k) {
      const auto wave = modes[std::size_t(k)] * std::polar(1., tau * double(k * p % points) / double(points));
      value += 2 * wave.real();
      slope -= 2 * tau * double(k) * wave.imag();
    }
    out.push_back(-2 * nu * slope / value);
  }
  return out;
}

double error_against_cole_hopf(const Burgers& burgers) {
  const auto all = collect<double>(burgers, {.samples = 4, .members = 1, .seed = 5});
  double worst = 0;
  for (Index row = 0; row < 4; ++row) {
    const auto exact = cole_hopf(burgers.initial.draw(5, row), burgers.nu, burgers.time, burgers.kept);
    for (Index p = 0; p < burgers.kept; ++p)
      worst = std::max(worst, std::abs(all.of(row)(0, p, 0) - exact[std::size_t(p)]));
  }
  return worst;
}

template <class A, class B> double largest_gap(const Field<A, 1>& a, const Field<B, 1>& b) {
  REQUIRE(a.size() == b.size());
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    gap = std::max(gap, std::abs(double(a.data()[i]) - double(b.data()[i])));
  return gap;
}
}  // namespace

TEST_CASE("without noise the solution is Cole and Hopf's, to first order in the time step") {
  Burgers burgers{.nu = 0.05, .sigma = 0};
  std::vector<double> errors;
  for (Index steps : {250, 500, 1000, 2000}) {
    burgers.steps = steps;
    errors.push_back(error_against_cole_hopf(burgers));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    CAPTURE(errors[i]);
    CHECK(std::log2(errors[i - 1] / errors[i]) == doctest::Approx(1).epsilon(0.1));
  }
  CHECK(errors.back() < 1e-3);
}

TEST_CASE("at the protocol's constants the deterministic error is small") {
  CHECK(error_against_cole_hopf({.sigma = 0}) < 5e-3);  // of a solution of size 1, at its steepest point
}

TEST_CASE("the 2/3 rule leaves no aliases: without viscosity the truncated equation conserves energy") {
  const Burgers inviscid{.nu = 0, .sigma = 0, .time = 0.4, .steps = 40000, .simulated = 32, .kept = 32};
  const auto all = collect<double>(inviscid, {.samples = 3, .members = 1, .seed = 1});
  for (Index row = 0; row < 3; ++row) {
    double before = 0, after = 0;
    for (Index p = 0; p < 32; ++p) {
      before += std::pow(all.initial(row, p, 0), 2);
      after += std::pow(all.of(row)(0, p, 0), 2);
    }
    CHECK(after ==
          doctest::Approx(before).epsilon(0.005));  // the rest is Euler's, of first order in the step
  }
}

TEST_CASE("the spatial mean is conserved: the noise has no mean and neither has a derivative") {
  const auto all = collect<double>(Burgers{.sigma = 0.1, .initial = {.mean_scale = 0.5}},
                                   {.samples = 2, .members = 10, .seed = 2});
  for (Index row = 0; row < 2; ++row) {
    double before = 0;
    for (Index p = 0; p < 64; ++p) before += all.initial(row, p, 0) / 64;
    REQUIRE(std::abs(before) > 1e-3);
    for (Index m = 0; m < 10; ++m) {
      double after = 0;
      for (Index p = 0; p < 64; ++p) after += all.of(row)(m, p, 0) / 64;
      CHECK(after == doctest::Approx(before).epsilon(1e-6));
    }
  }
}

TEST_CASE("one noise realisation on grids of 64, 128 and 256 points agrees at common points") {
  Burgers burgers{.nu = 0.05, .sigma = 0.1, .steps = 500, .simulated = 64, .kept = 64};
  const Sampling sampling{.samples = 4, .members = 8, .seed = 3};
  const auto coarse = collect<double>(burgers, sampling);
  burgers.simulated = burgers.kept = 128;
  const auto fine = collect<double>(burgers, sampling);
  burgers.simulated = burgers.kept = 256;
  const auto finest = collect<double>(burgers, sampling);
  const double first = largest_gap(coarse.members, subsample(fine.members, 64));
  const double second = largest_gap(fine.members, subsample(finest.members, 128));
  CHECK(first < 2e-3);
  CHECK(second < 1e-6);  // spectral convergence
  CHECK(largest_gap(coarse.initial, subsample(finest.initial, 64)) == 0);
}

TEST_CASE("keeping fewer points is subsampling") {
  Burgers burgers{.steps = 20};
  const auto kept = collect<float>(burgers, {.samples = 2, .members = 3});
  burgers.kept = 128;
  const auto all = collect<float>(burgers, {.samples = 2, .members = 3});
  CHECK(largest_gap(kept.members, subsample(all.members, 64)) == 0);
}

TEST_CASE("query times of one run are those of separate runs, together or one per sample") {
  const Burgers burgers{.steps = 100};
  const auto both = collect<float>(burgers, {.samples = 2, .members = 4, .times = {0, 0.1, 0.5}});
  const auto early = collect<float>(burgers, {.samples = 2, .members = 4, .times = {0.1}});
  const auto mixed =
      collect<float>(burgers, {.samples = 2, .members = 4, .times = {0.5, 0.1}, .one_time_per_sample = true});
  for (Index m = 0; m < 4; ++m)
    for (Index p = 0; p < 64; ++p) {
      CHECK(both.of(0)(m, p, 0) == doctest::Approx(both.initial(0, p, 0)).epsilon(1e-5));
      CHECK(both.of(1)(m, p, 0) == early.of(0)(m, p, 0));
      CHECK(both.of(4)(m, p, 0) == early.of(1)(m, p, 0));
      CHECK(mixed.of(0)(m, p, 0) == both.of(2)(m, p, 0));
      CHECK(mixed.of(1)(m, p, 0) == both.of(4)(m, p, 0));
    }
}

TEST_CASE("single precision follows double precision, noise and all, to 1e-4 in every member") {
  const Sampling sampling{.samples = 4, .members = 32, .seed = 1};
  const auto single = collect<float>(Burgers{}, sampling);
  const auto twice = collect<double>(Burgers{}, sampling);
  CHECK(largest_gap(single.members, twice.members) < 1e-4);
  double bias = 0, count = double(single.members.size());
  for (std::size_t i = 0; i < single.members.size(); ++i)
    bias += (double(single.members.data()[i]) - twice.members.data()[i]) / count;
  CHECK(std::abs(bias) < 1e-6);
}

TEST_CASE("threads do not change a bit; seeds do") {
  const Burgers burgers{.steps = 50};
  Cpu one(1), two(2), four(4);
  const Sampling sampling{.samples = 9, .members = 40, .seed = 7};
  const auto a = collect<float>(burgers, sampling, one), b = collect<float>(burgers, sampling, two),
             c = collect<float>(burgers, sampling, four);
  CHECK(largest_gap(a.members, b.members) == 0);
  CHECK(largest_gap(a.members, c.members) == 0);
  const auto other = collect<float>(burgers, {.samples = 9, .members = 40, .seed = 8}, two);
  CHECK(largest_gap(a.members, other.members) > 0.1);
}

TEST_CASE("a blow-up is reported with sample, member, step and remedy") {
  Burgers burgers{.nu = 0.0005, .steps = 20};
  burgers.initial.amplitude = 30;
  CHECK_THROWS_WITH_AS(collect<float>(burgers, {.samples = 3, .members = 2, .first_sample = 5}),
                       doctest::Contains("mno::simulate: Burgers is no longer finite in sample 5, member 0, "
                                         "after step "),
                       Error);
  CHECK_THROWS_WITH(collect<double>(burgers, {.samples = 1, .members = 1}),
                    doctest::Contains("take more steps, or a larger nu."));
}

TEST_CASE("bad options are refused with a sentence") {
  const auto run = [](Burgers burgers, Sampling sampling = {.members = 1}) {
    collect<float>(burgers, sampling);
  };
  CHECK_THROWS_WITH(run({.nu = -1}),
                    "mno::Burgers: argument 'nu': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(run({.steps = 0}), "mno::Burgers: argument 'steps': expected at least one, got 0.");
  CHECK_THROWS_WITH(run({.kept = 48}),
                    "mno::Burgers: argument 'kept': expected a divisor of the simulated 128, got 48.");
  CHECK_THROWS_WITH(
      run({.simulated = 16, .kept = 16}),
      "mno::Burgers: argument 'initial.modes': expected at most 5, what 16 points carry, got 6.");
  CHECK_THROWS_WITH(run({.noise = ModalNoise::without_mean(60)}),
                    doctest::Contains("at most 42 modes on 128 points"));
  CHECK_THROWS_WITH(run({}, {.times = {0.1, 0.30001}}),
                    doctest::Contains("multiples of the time step 0.0005"));
  CHECK_THROWS_AS(run({.time = -1}), Error);
  CHECK_THROWS_AS(run({.sigma = -1}), Error);
}

#include "mno/simulate/navier_stokes.hpp"

#include <doctest/doctest.h>

#include <map>

#include "mno/simulate/ensemble.hpp"
#include "planes.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// The equation of finitely many waves by sums over all triads, a classical Runge–Kutta method in time:
///     dω_k/dt = −Σ_{p+q=k} (u_p · iq) ω_q − ν|k|² ω_k + F_k,    u_p = i(p_y, −p_x) ω_p/|p|².
struct Triads {
  using Waves = std::map<std::pair<Index, Index>, std::complex<double>>;
  Index highest;
  double nu;
  double amplitude;
  Index wavenumber;

  Waves slope(const Waves& w) const {
    Waves out;
    for (const auto& [k, value] : w) {
      std::complex<double> sum = -nu * double(k.first * k.first + k.second * k.second) * value;
      if (k.first == 0 && std::abs(k.second) == wavenumber) sum += amplitude / 2;
      for (const auto& [p, of_p] : w) {
        const auto q = w.find({k.first - p.first, k.second - p.second});
        const Index squared = p.first * p.first + p.second * p.second;
        if (q == w.end() || squared == 0) continue;
        const Index cross = p.second * q->first.first - p.first * q->first.second;
        sum += of_p * q->second * (double(cross) / double(squared));  // −(i)(i) = 1
      }
      out[k] = sum;
    }
    return out;
  }
  static Waves moved(Waves w, const Waves& by, double step) {
    for (auto& [k, value] : w) value += step * by.at(k);
    return w;
  }
  Waves after(Waves w, double time, Index steps) const {
    const double dt = time / double(steps);
    for (Index step = 0; step < steps; ++step) {
      const Waves a = slope(w), b = slope(moved(w, a, dt / 2)), c = slope(moved(w, b, dt / 2)),
                  d = slope(moved(w, c, dt));
      w = moved(moved(moved(moved(w, a, dt / 6), b, dt / 3), c, dt / 3), d, dt / 6);
    }
    return w;
  }
  Waves of(const PlaneSeries& series) const {
    Waves w;
    for (Index x = -highest; x <= highest; ++x)
      for (Index y = -highest; y <= highest; ++y) w[{x, y}] = 0;
    for (std::size_t i = 0; i < series.waves.size(); ++i) {
      const PlaneWave k = series.waves[i];
      w[{k.x, k.y}] = series.coefficient(i);
      w[{-k.x, -k.y}] = std::conj(series.coefficient(i));
    }
    return w;
  }
};

/// Σ_k |ω_k|² and Σ_k |ω_k|²/|k|² over two: enstrophy and energy, by sums over points and waves.
std::pair<double, double> enstrophy_and_energy(View<const double, 2> field, Index b, Index highest) {
  const Index points = field.points();
  double enstrophy = 0, energy = 0;
  for (Index x = -highest; x <= highest; ++x)
    for (Index y = -highest; y <= highest; ++y) {
      if (x == 0 && y == 0) continue;
      const PlaneWave k{x, y};
      std::complex<double> sum = 0;
      for (Index p = 0; p < points; ++p)
        sum += field(b, p, 0) * std::polar(1. / double(points), -k.angle(field.grid.points, p));
      enstrophy += std::norm(sum) / 2;
      energy += std::norm(sum) / (2 * k.squared());
    }
  return {enstrophy, energy};
}
}  // namespace

TEST_CASE("the flow is that of the sums over triads") {
  const NavierStokes flow{
      .wavenumber = 3, .sigma = 0, .time = 0.5, .steps = 1000, .simulated = 16, .kept = 16};
  const Index highest = flow.scheme().highest;
  REQUIRE(highest == 5);
  const auto all = collect<double>(flow, {.samples = 2, .members = 1, .seed = 4});
  for (Index sample = 0; sample < 2; ++sample) {
    const Triads triads{highest, flow.nu, flow.amplitude, flow.wavenumber};
    const auto waves = triads.after(triads.of(flow.draw(4, sample)[0]), flow.time, 40);
    for (Index p = 0; p < 256; ++p) {
      std::complex<double> sum = 0;
      for (const auto& [k, value] : waves)
        sum += value * std::polar(1., PlaneWave{k.first, k.second}.angle({16, 16}, p));
      CHECK(std::abs(sum.imag()) < 1e-12);
      CHECK(std::abs(all.of(sample)(0, p, 0) - sum.real()) < 2e-6);
    }
  }
}

TEST_CASE("waves of one length do not interact: they decay by viscosity alone") {
  const NavierStokes flow{.nu = 0.1,
                          .amplitude = 0,
                          .wavenumber = 1,
                          .sigma = 0,
                          .steps = 10,
                          .simulated = 12,
                          .kept = 12,
                          .initial = {.modes = 1},
                          .noise = PlaneNoise::without_mean(1, 2, 1)};
  const auto all = collect<double>(flow, {.samples = 1, .members = 1});
  for (Index p = 0; p < 144; ++p)
    CHECK(std::abs(all.of(0)(0, p, 0) - std::exp(-0.1 * flow.time) * all.initial(0, p, 0)) < 1e-13);
}

TEST_CASE("without viscosity, force and noise energy and enstrophy are conserved, but for the step's error") {
  NavierStokes flow{
      .nu = 0, .amplitude = 0, .sigma = 0, .time = 1, .steps = 100, .simulated = 24, .kept = 24};
  const Index highest = flow.scheme().highest;
  double loss[2];
  for (double& change : loss) {
    const auto all = collect<double>(flow, {.samples = 1, .members = 1});
    const auto [enstrophy, energy] = enstrophy_and_energy(all.of(0), 0, highest);
    const auto [enstrophy0, energy0] = enstrophy_and_energy(std::as_const(all.initial).view(), 0, highest);
    CHECK(energy == doctest::Approx(energy0).epsilon(1e-5));
    change = std::abs(enstrophy / enstrophy0 - 1);
    CHECK(change < 1e-4);
    flow.steps *= 2;
  }
  CHECK(loss[0] / loss[1] > 7);  // of third order: Heun's amplification is 1 + O(dt⁴) a step
}

TEST_CASE("the error falls with the square of the step") {
  NavierStokes flow{.sigma = 0, .simulated = 32, .kept = 32};
  const Sampling sampling{.samples = 2, .members = 1, .seed = 2};
  const auto run = [&](Index steps) {
    flow.steps = steps;
    return collect<double>(flow, sampling).members;
  };
  const auto truth = run(1600);
  const double coarse = planes::root_mean_square(run(50), truth),
               middle = planes::root_mean_square(run(100), truth),
               fine = planes::root_mean_square(run(200), truth);
  CHECK(coarse / middle == doctest::Approx(4).epsilon(0.15));
  CHECK(middle / fine == doctest::Approx(4).epsilon(0.15));
  CHECK(middle < 3e-4);  // the default number of steps
}

TEST_CASE("one noise realisation on grids of 32, 64 and 128 points agrees at common points") {
  NavierStokes flow{.steps = 50, .simulated = 32, .kept = 32};
  const Sampling sampling{.samples = 2, .members = 2, .seed = 3};
  const auto coarse = collect<double>(flow, sampling);
  flow.simulated = flow.kept = 64;
  const auto fine = collect<double>(flow, sampling);
  flow.simulated = 128;
  const auto finest = collect<double>(flow, sampling);
  const double first = planes::root_mean_square(coarse.members, subsample(fine.members, 32)),
               second = planes::root_mean_square(fine.members, finest.members);
  CHECK(first < 2e-2);
  CHECK(second < 1e-4);
  CHECK(planes::largest_gap(coarse.initial, subsample(fine.initial, 32)) < 1e-13);
}

TEST_CASE("keeping fewer points is subsampling; query times of one run are those of separate runs") {
  NavierStokes flow{.time = 0.4, .steps = 20, .kept = 16};
  const auto kept = collect<float>(flow, {.samples = 2, .members = 3, .times = {0, 0.1, 0.4}});
  flow.kept = 64;
  const auto early = collect<float>(flow, {.samples = 2, .members = 3, .times = {0.1}});
  const auto coarse = subsample(early.members, 16);
  for (Index sample = 0; sample < 2; ++sample)
    for (Index m = 0; m < 3; ++m)
      for (Index p = 0; p < 256; ++p) {
        CHECK(kept.of(3 * sample)(m, p, 0) == doctest::Approx(kept.initial(3 * sample, p, 0)).epsilon(1e-4));
        CHECK(kept.of(3 * sample + 1)(m, p, 0) == coarse(3 * sample + m, p, 0));
      }
}

TEST_CASE("the mean vorticity stays zero, whatever the noise") {
  const auto all = collect<double>(NavierStokes{.sigma = 0.5, .steps = 50, .simulated = 32, .kept = 32},
                                   {.samples = 1, .members = 3});
  for (Index m = 0; m < 3; ++m) {
    double sum = 0;
    for (Index p = 0; p < 1024; ++p) sum += all.of(0)(m, p, 0);
    CHECK(std::abs(sum) < 1e-10);
  }
}

TEST_CASE("single precision follows double precision, noise and all") {
  const NavierStokes flow{.simulated = 32, .kept = 32};
  const Sampling sampling{.samples = 1, .members = 20, .seed = 1};
  CHECK(planes::largest_gap(collect<float>(flow, sampling).members, collect<double>(flow, sampling).members) <
        1e-4);
}

TEST_CASE("threads do not change a bit; seeds do") {
  const NavierStokes flow{.steps = 20, .simulated = 32, .kept = 32};
  Cpu one(1), two(2), four(4);
  const Sampling sampling{.samples = 5, .members = 18, .seed = 7};
  const auto a = collect<float>(flow, sampling, one), b = collect<float>(flow, sampling, two),
             c = collect<float>(flow, sampling, four);
  CHECK(planes::largest_gap(a.members, b.members) == 0);
  CHECK(planes::largest_gap(a.members, c.members) == 0);
  const auto other = collect<float>(flow, {.samples = 5, .members = 18, .seed = 8}, two);
  CHECK(planes::largest_gap(a.members, other.members) > 0.1);
}

TEST_CASE("a blow-up is reported with sample, member, step and remedy") {
  NavierStokes flow{.nu = 1e-4, .time = 20, .steps = 20, .simulated = 16, .kept = 16};
  flow.initial.amplitude = 100;
  CHECK_THROWS_WITH_AS(
      collect<float>(flow, {.samples = 2, .members = 2, .first_sample = 5}),
      doctest::Contains("mno::simulate: NavierStokes is no longer finite in sample 5, member 0, after step "),
      Error);
  CHECK_THROWS_WITH(collect<double>(flow, {.samples = 1, .members = 1}),
                    doctest::Contains("take more steps, or a larger nu."));
}

TEST_CASE("bad options are refused with a sentence") {
  const auto run = [](const NavierStokes& flow) { collect<float>(flow, {.members = 1}); };
  CHECK_THROWS_WITH(run({.nu = -1}),
                    "mno::NavierStokes: argument 'nu': expected a number that is not negative, got -1.");
  CHECK_THROWS_WITH(
      run({.wavenumber = 30}),
      "mno::NavierStokes: argument 'wavenumber': expected a number from 1 to 21, what 64 points "
      "carry, got 30.");
  CHECK_THROWS_WITH(run({.kept = 48}),
                    "mno::NavierStokes: argument 'kept': expected a divisor of the simulated 64, got 48.");
  CHECK_THROWS_WITH(run({.noise = PlaneNoise(3)}), doctest::Contains("no noise in the mean"));
  CHECK_THROWS_WITH(run({.simulated = 12, .kept = 12}),
                    doctest::Contains("'initial.modes': expected at most 3, what 12 points carry, got 5."));
  CHECK_THROWS_AS(run({.steps = 0}), Error);
  CHECK_THROWS_AS(run({.sigma = -1}), Error);
  CHECK_THROWS_AS(run({.time = -1}), Error);
}

TEST_CASE("the known field is the force: a fluid at rest without viscosity is moved by it alone") {
  NavierStokes flow{.nu = 0, .amplitude = 0.5, .wavenumber = 3, .sigma = 0, .time = 0.5, .steps = 4};
  flow.simulated = 32;
  flow.kept = 16;
  flow.initial.amplitude = 0;
  const auto all = collect<double>(flow, {.samples = 1, .members = 2});
  const Field<double, 2> force = flow.known<double>();
  REQUIRE(force.points() == all.members.points());
  for (Index p = 0; p < force.points(); ++p)
    CHECK(all.members(1, p, 0) == doctest::Approx(0.5 * force(0, p, 0)).epsilon(1e-9));
  const auto data = simulate_ensemble<double>(flow, {.samples = 2, .members = 2}, {.members = true});
  CHECK(std::ranges::equal(data.known.span(), force.span()));
  flow.force_known = false;
  CHECK(flow.known<double>().size() == 0);
}

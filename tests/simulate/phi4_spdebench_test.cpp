#include "mno/simulate/phi4_spdebench.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <vector>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// Δ_h on a periodic grid of n cells.
Eigen::MatrixXd laplacian(Index n) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) -= 2;
    a(i, (i + 1) % n) += 1;
    a(i, (i + n - 1) % n) += 1;
  }
  return a * double(n * n);
}
Eigen::VectorXd reaction(const Eigen::VectorXd& u) { return 3 * u - Eigen::VectorXd(u.array().cube()); }
Eigen::VectorXd initial(const Phi4SpdeBench& equation, std::uint64_t seed, Index sample) {
  const auto values = equation.initial(seed, sample);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), Index(values.size()));
}
double gap(View<const double, 1> members, Index m, const Eigen::VectorXd& u) {
  double worst = 0;
  for (Index p = 0; p < u.size(); ++p) worst = std::max(worst, std::abs(members(m, p, 0) - u(p)));
  return worst;
}
}  // namespace

TEST_CASE("without noise a run is the scheme, solved with a dense matrix") {
  for (Index points : {3, 17, 128}) {
    CAPTURE(points);
    const Phi4SpdeBench equation{.sigma = 0, .points = points};
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(points, points) - 1e-3 * laplacian(points);
    const Eigen::PartialPivLU<Eigen::MatrixXd> solve(matrix);
    const auto all =
        collect<double>(equation, {.samples = 2, .members = 1, .seed = 4, .times = {0.001, 0.05}});
    for (Index sample = 0; sample < 2; ++sample) {
      Eigen::VectorXd u = initial(equation, 4, sample);
      for (int step = 1; step <= 50; ++step) {
        u = solve.solve(u + 1e-3 * reaction(u)).eval();
        if (step == 1) CHECK(gap(all.of(2 * sample), 0, u) < 1e-12);
      }
      CHECK(gap(all.of(2 * sample + 1), 0, u) < 1e-12);
    }
  }
}

TEST_CASE("as the step shrinks, the scheme tends to its ordinary differential equation, to first order") {
  Phi4SpdeBench equation{.sigma = 0, .points = 24};
  const Eigen::MatrixXd diffusion = laplacian(24);
  Eigen::VectorXd u = initial(equation, 1, 0);
  const auto f = [&](const Eigen::VectorXd& v) { return Eigen::VectorXd(diffusion * v + reaction(v)); };
  const double h = 0.05 / 2000;  // Runge–Kutta of fourth order
  for (int step = 0; step < 2000; ++step) {
    const Eigen::VectorXd a = f(u), b = f(u + h / 2 * a), c = f(u + h / 2 * b), d = f(u + h * c);
    u += h / 6 * (a + 2 * b + 2 * c + d);
  }
  std::vector<double> errors;
  for (Index steps : {200, 400, 800}) {
    equation.steps = steps;
    errors.push_back(gap(collect<double>(equation, {.samples = 1, .members = 1, .seed = 1}).of(0), 0, u));
  }
  for (std::size_t i = 1; i < errors.size(); ++i)
    CHECK(std::log2(errors[i - 1] / errors[i]) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("small noise has the covariance of the scheme linearised around its path without noise") {
  // v ← (I − dt Δ_h)^−1 ((1 + dt (3 − 3u²)) v + σ √(dt/dx) ξ)
  for (const bool noise_at_zero : {true, false}) {
    CAPTURE(noise_at_zero);
    constexpr Index points = 10, members = 20000;
    const double dt = 1e-3, sigma = 1e-3;
    const Phi4SpdeBench equation{.sigma = sigma, .points = points, .noise_at_zero = noise_at_zero};
    const auto all = collect<double>(
        equation, {.samples = 1, .members = members, .seed = 9, .times = {dt, 2 * dt, 5 * dt}});
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(points, points);
    const Eigen::MatrixXd inverse = (identity - dt * laplacian(points)).inverse();
    Eigen::MatrixXd noise = sigma * sigma * dt * points * identity;
    if (!noise_at_zero) noise(0, 0) = 0;
    Eigen::VectorXd u = initial(equation, 9, 0);
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(points, points);
    for (Index step = 1, row = 0; step <= 5; ++step) {
      const Eigen::MatrixXd growth = (1 + dt * (3 - 3 * u.array().square())).matrix().asDiagonal();
      covariance = (inverse * (growth * covariance * growth + noise) * inverse.transpose()).eval();
      u = (inverse * (u + dt * reaction(u))).eval();
      if (step != 1 && step != 2 && step != 5) continue;
      CAPTURE(step);
      statistics::Draws draws(members, points);
      for (Index m = 0; m < members; ++m)
        for (Index p = 0; p < points; ++p) draws(m, p) = all.of(row)(m, p, 0);
      ++row;
      const auto verdict = statistics::gaussian_law(draws, u, covariance);
      CHECK(verdict.worst_mean < 1);
      CHECK(verdict.worst_covariance < 1);
      CHECK(verdict.variances);
    }
  }
}

TEST_CASE("initial fields are x(1−x) and a varied part of the stated size") {
  const Phi4SpdeBench fixed{.varied = 0}, varied;
  for (Index p = 0; p < 128; ++p) {
    const double x = double(p) / 128;
    CHECK(fixed.initial(1, 2)[std::size_t(p)] == doctest::Approx(x * (1 - x)));
  }
  const Index p = 37;
  const double x = double(p) / 128;
  double variance = 0, sum = 0;
  for (int k = 1; k <= 10; ++k)
    variance += 0.02 * std::pow(std::sin(2 * std::numbers::pi * k * (x - 0.5)), 2) / std::pow(k + 1, 4);
  for (Index sample = 0; sample < 3000; ++sample)
    sum += std::pow(varied.initial(1, sample)[std::size_t(p)] - x * (1 - x), 2);
  CHECK(statistics::chi_squared_ok(sum, variance, 3000, 1));
}

TEST_CASE("threads do not change a bit; seeds do; float follows double") {
  const Phi4SpdeBench equation{.sigma = 1};
  Cpu one(1), two(2), four(4);
  const Sampling sampling{.samples = 5, .members = 33, .seed = 7};
  const auto a = collect<double>(equation, sampling, one), b = collect<double>(equation, sampling, two),
             c = collect<double>(equation, sampling, four),
             other = collect<double>(equation, {.samples = 5, .members = 33, .seed = 8}, two);
  const auto single = collect<float>(equation, sampling);
  double differ = 0;
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    REQUIRE(a.members.data()[i] == b.members.data()[i]);
    REQUIRE(a.members.data()[i] == c.members.data()[i]);
    REQUIRE(std::abs(a.members.data()[i] - double(single.members.data()[i])) < 1e-4);
    differ = std::max(differ, std::abs(a.members.data()[i] - other.members.data()[i]));
  }
  CHECK(differ > 0.1);
}

TEST_CASE("a blow-up and bad options are reported with sentences") {
  CHECK_THROWS_WITH(collect<float>(Phi4SpdeBench{.sigma = 1e6}, {.members = 2}),
                    doctest::Contains("Phi4SpdeBench is no longer finite in sample 0, member 0, after step"));
  CHECK_THROWS_WITH(collect<float>(Phi4SpdeBench{.points = 2}, {}),
                    "mno::Phi4SpdeBench: argument 'points': expected at least 3, got 2.");
  CHECK_THROWS_AS(collect<float>(Phi4SpdeBench{.sigma = -1}, {}), Error);
  CHECK_THROWS_AS(collect<float>(Phi4SpdeBench{}, {.times = {0.0005}}), Error);
}

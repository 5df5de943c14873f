#include "mno/simulate/plane_heun.hpp"

#include <doctest/doctest.h>

#include "mno/simulate/plane_heat.hpp"
#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// The heat equation through the stepper: without a nonlinear term it is exact at any step size, and so is a
/// constant force.
struct SteppedHeat : PlaneHeat {
  static constexpr Index steps = 5, inputs = 1, outputs = 1;
  double push = 0;  // 2 · push · cos(2πy)
  template <class T> using Solver = PlaneHeun<T, SteppedHeat>;
  PlaneScheme<> scheme() const {
    return {"SteppedHeat",       "nothing", {sigma}, time / double(steps), points[0], points[0],
            (points[0] - 1) / 2, initial,   noise};
  }
  std::array<PlaneSeries, 1> draw(std::uint64_t seed, Index sample) const {
    return {initial.draw(seed, sample)};
  }
  double rate(Index, PlaneWave k) const { return PlaneHeat::rate(k); }
  double force(Index, PlaneWave k) const { return k.x == 0 && std::abs(k.y) == 1 ? push : 0; }
  std::complex<double> input_symbol(Index, PlaneWave) const { return 1; }
  std::complex<double> output_symbol(Index, Index, PlaneWave) const { return 0; }
  template <class T> static std::array<T, 1> nonlinearity(const std::array<T, 1>& u) { return u; }
};

/// … and with half of the diffusion treated as the nonlinear term, made of 2u by −¼ν|2πk|².
struct HalfExplicitHeat : SteppedHeat {
  template <class T> using Solver = PlaneHeun<T, HalfExplicitHeat>;
  double rate(Index, PlaneWave k) const { return PlaneHeat::rate(k) / 2; }
  std::complex<double> input_symbol(Index, PlaneWave) const { return 2; }
  std::complex<double> output_symbol(Index, Index, PlaneWave k) const { return PlaneHeat::rate(k) / 4; }
};

double gap(const Field<double, 2>& a, Index row, const Field<double, 2>& b) {
  double worst = 0;
  for (Index p = 0; p < b.points(); ++p) worst = std::max(worst, std::abs(a(row, p, 0) - b(0, p, 0)));
  return worst;
}
}  // namespace

TEST_CASE("a linear equation is stepped exactly: mean, variance and covariance of the heat equation") {
  for (const bool with_mean : {true, false}) {
    CAPTURE(with_mean);
    SteppedHeat heat;
    heat.points = {7, 7};
    heat.sigma = 0.3;
    heat.noise = with_mean ? PlaneNoise(2) : PlaneNoise::without_mean(3, 2, 1);
    constexpr Index members = 20000;
    const auto all =
        collect<double>(heat, {.samples = 2, .members = members, .seed = 21, .times = {0.1, 0.5}});
    for (Index query = 0; query < 4; ++query) {
      CAPTURE(query);
      const auto law =
          exact_law(static_cast<const PlaneHeat&>(heat), 21, query / 2, all.times[std::size_t(query)]);
      constexpr Index seen = 6;  // points of which the covariance is taken
      statistics::Draws draws(members, seen);
      Eigen::VectorXd mean(seen);
      Eigen::MatrixXd factor(law.factor.rows(), seen);
      for (Index i = 0; i < seen; ++i) {
        const Index p = 8 * i;
        for (Index m = 0; m < members; ++m) draws(m, i) = all.of(query)(m, p, 0);
        mean(i) = law.mean(0, p, 0);
        factor.col(i) = law.factor.col(p);
      }
      const auto verdict = statistics::gaussian_law(draws, mean, factor.transpose() * factor);
      CHECK(verdict.worst_mean < 1);
      CHECK(verdict.worst_covariance < 1);
      CHECK(verdict.variances);
    }
  }
}

TEST_CASE("without noise the mean is exact to rounding on any grid, and so is what a constant force does") {
  for (const Index points : {7, 15, 16}) {
    CAPTURE(points);
    SteppedHeat heat;
    heat.points = {points, points};
    heat.sigma = 0;
    heat.push = 0.3;
    const auto all = collect<double>(heat, {.samples = 2, .members = 20});
    for (Index sample = 0; sample < 2; ++sample) {
      auto law = exact_law(static_cast<const PlaneHeat&>(heat), 0, sample, 0.5);
      const double rate = heat.PlaneHeat::rate({0, 1});
      for (Index p = 0; p < law.mean.points(); ++p)
        law.mean(0, p, 0) +=
            2 * heat.push * std::expm1(rate * 0.5) / rate * std::cos(PlaneWave{0, 1}.angle(heat.points, p));
      for (Index m = 0; m < 20; ++m) CHECK(gap(all.members, sample * 20 + m, law.mean) < 1e-13);
    }
  }
}

TEST_CASE("the nonlinear term enters with its transform's scale and the weights of Heun's method") {
  HalfExplicitHeat heat;
  heat.points = {9, 9};
  heat.sigma = 0;
  const auto all = collect<double>(heat, {.samples = 1, .members = 1});
  PlaneSeries series = heat.initial.draw(0, 0);
  for (std::size_t i = 0; i < series.waves.size(); ++i) {  // five steps of e^x (1 + x + ½x²), x = λ dt
    const double x = heat.rate(0, series.waves[i]) * 0.1;
    const double growth = std::pow(std::exp(x) * (1 + x + x * x / 2), 5);
    series.cosine[i] *= growth;
    series.sine[i] *= growth;
  }
  Field<double, 2> expected(1, heat.grid(), 1);
  series.evaluate(expected.view());
  CHECK(gap(all.members, 0, expected) < 1e-13);
}

TEST_CASE("a member does not depend on how many there are") {
  SteppedHeat heat;
  heat.points = {8, 8};
  const auto many = collect<float>(heat, {.samples = 1, .members = 37}),
             few = collect<float>(heat, {.samples = 1, .members = 3});
  for (Index m = 0; m < 3; ++m)
    for (Index p = 0; p < 64; ++p) CHECK(many.of(0)(m, p, 0) == few.of(0)(m, p, 0));
}

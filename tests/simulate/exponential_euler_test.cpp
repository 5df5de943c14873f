#include "mno/simulate/exponential_euler.hpp"

#include <doctest/doctest.h>

#include "mno/simulate/heat.hpp"
#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

namespace {
/// The heat equation through the stepper: without a nonlinear term it must be exact at any step size.
struct SteppedHeat : Heat {
  static constexpr Index steps = 5;
  template <class T> using Solver = ExponentialEuler<T, SteppedHeat>;
  SpectralScheme scheme() const {
    return {"SteppedHeat",    "nothing", {sigma}, time / double(steps), points, points,
            (points - 1) / 2, initial,   noise};
  }
  std::complex<double> nonlinear_symbol(Index) const { return 0; }
  template <class T> static T nonlinearity(T u) { return u; }
};

/// … and with half of the diffusion treated as the nonlinear term, f(u) = u, n_k = −½ν(2πk)².
struct HalfExplicitHeat : SteppedHeat {
  template <class T> using Solver = ExponentialEuler<T, HalfExplicitHeat>;
  double rate(Index k) const { return Heat::rate(k) / 2; }
  std::complex<double> nonlinear_symbol(Index k) const { return Heat::rate(k) / 2; }
};
}  // namespace

TEST_CASE("a linear equation is stepped exactly: mean, variance and covariance of the heat equation") {
  for (const bool with_mean : {true, false}) {
    CAPTURE(with_mean);
    SteppedHeat heat;
    heat.points = 14;
    heat.sigma = 0.3;
    heat.noise =
        with_mean ? ModalNoise::with_mean(5) : ModalNoise::without_mean(4);  // odd and even numbers of modes
    constexpr Index members = 20000;
    const auto all =
        collect<double>(heat, {.samples = 2, .members = members, .seed = 21, .times = {0.1, 0.5}});
    for (Index row = 0; row < 4; ++row) {
      CAPTURE(row);
      const ExactLaw law =
          exact_law(static_cast<const Heat&>(heat), 21, row / 2, all.times[std::size_t(row)]);
      statistics::Draws draws(members, 5);
      Eigen::VectorXd mean(5);
      Eigen::MatrixXd factor(law.factor.rows(), 5);
      for (Index i = 0; i < 5; ++i) {  // 14 points have rank 9 or 11: five of them are independent
        for (Index m = 0; m < members; ++m) draws(m, i) = all.of(row)(m, 2 * i, 0);
        mean(i) = law.mean(0, 2 * i, 0);
        factor.col(i) = law.factor.col(2 * i);
      }
      const auto verdict = statistics::gaussian_law(draws, mean, factor.transpose() * factor);
      CHECK(verdict.worst_mean < 1);
      CHECK(verdict.worst_covariance < 1);
      CHECK(verdict.variances);
    }
  }
}

TEST_CASE("without noise the mean is exact to rounding on any grid") {
  for (Index points : {14, 15, 32, 45, 128}) {
    CAPTURE(points);
    SteppedHeat heat;
    heat.points = points;
    heat.sigma = 0;
    heat.noise = ModalNoise::with_mean(3);
    const auto all = collect<double>(heat, {.samples = 3, .members = 20});
    for (Index row = 0; row < 3; ++row) {
      const ExactLaw law = exact_law(static_cast<const Heat&>(heat), 0, row, 0.5);
      for (Index m = 0; m < 20; ++m)
        for (Index p = 0; p < points; ++p) CHECK(std::abs(all.of(row)(m, p, 0) - law.mean(0, p, 0)) < 1e-13);
    }
  }
}

TEST_CASE("the nonlinear term enters with its transform's scale and the right weight") {
  HalfExplicitHeat heat;
  heat.sigma = 0;
  const auto all = collect<double>(heat, {.samples = 1, .members = 1});
  FourierSeries series = heat.initial.draw(0, 0);
  for (Index k = 1; k <= 6; ++k) {  // five steps of e^x + ((e^x − 1)/λ) λ, x = λ dt
    const double growth = std::pow(2 * std::exp(heat.rate(k) * 0.1) - 1, 5);
    series.cosine[std::size_t(k - 1)] *= growth;
    series.sine[std::size_t(k - 1)] *= growth;
  }
  for (Index p = 0; p < 64; ++p) CHECK(std::abs(all.of(0)(0, p, 0) - series(double(p) / 64)) < 1e-13);
}

TEST_CASE("a member does not depend on how many there are") {
  SteppedHeat heat;
  const auto many = collect<float>(heat, {.samples = 1, .members = 70}),
             few = collect<float>(heat, {.samples = 1, .members = 3});
  for (Index m = 0; m < 3; ++m)
    for (Index p = 0; p < 64; ++p) CHECK(many.of(0)(m, p, 0) == few.of(0)(m, p, 0));
}

// Wiener chaos: laws that are known in closed form, and draws that have the law of the model.
#include "mno/baseline/wiener_chaos.hpp"

#include "mno/law/covariance.hpp"
#include "mno/law/sample.hpp"
#include "mno/simulate/heat.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 3, width = 6, modes = 4, depth = 2, projection = 8;
};
struct OneChannel : Line {
  static constexpr int channels = 1;
};
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};

/// Geometric Brownian motion at time T: x = x_0 exp((μ − σ²/2)T + σ√T ξ) has the coefficients
/// u_n = x_0 e^{μT} (σ√T)ⁿ/√n! in the chaos of the one Gaussian ξ.
template <int Order> struct GeometricBrownianMotion {
  static constexpr double x0 = 1.3, mu = 0.2, sigma = 0.6, time = 0.8;
  Law<double, 1> law{Field<double, 1>(1, {{1}}, 1), Field<double, 1>(1, {{1}}, Order)};
  GeometricBrownianMotion() {
    law.mean(0, 0, 0) = x0 * std::exp(mu * time);
    double u = law.mean(0, 0, 0);
    for (int n = 1; n <= Order; ++n) law.factor(0, 0, n - 1) = u *= sigma * std::sqrt(time / n);
  }
};
}  // namespace

TEST_CASE("geometric Brownian motion: the variance of the truncated expansion") {
  const auto check = []<int K>(const GeometricBrownianMotion<K>& motion) {
    double sum = 0, term = 1;
    for (int n = 1; n <= K; ++n) sum += term *= 0.6 * 0.6 * 0.8 / n;
    CHECK(variance(motion.law)(0, 0, 0) == doctest::Approx(1.3 * 1.3 * std::exp(2 * 0.2 * 0.8) * sum));
  };
  check(GeometricBrownianMotion<1>{});
  check(GeometricBrownianMotion<3>{});
}

TEST_CASE("geometric Brownian motion: draws of high order are the motion itself, path by path") {
  constexpr int order = 14;
  const GeometricBrownianMotion<order> motion;
  const auto draws = sample(with_residual(motion.law, ChaosResidual<1, order>{}), 200, 5);
  const Law<double, 1> normal(Field<double, 1>(1, {{1}}, 1), [] {
    Field<double, 1> one(1, {{1}}, 1);
    one(0, 0, 0) = 1;
    return one;
  }());
  const auto xi = sample(normal, 200, 5);  // the Gaussians that the draws were made of
  for (Index j = 0; j < 200; ++j) {
    const double exact = 1.3 * std::exp((0.2 - 0.18) * 0.8 + 0.6 * std::sqrt(0.8) * xi(j, 0, 0));
    CHECK(draws(j, 0, 0) == doctest::Approx(exact).epsilon(1e-4));
  }
}

TEST_CASE("the heat equation with additive noise is exact at order 1: nothing is left for order 2") {
  spde::Heat heat;
  heat.points = 16;
  heat.noise = ModalNoise::with_mean(1);
  const ExactLaw known = exact_law(heat, /*seed=*/3, /*sample=*/0, 0.5);
  REQUIRE(known.factor.rows() == 3);
  Law<double, 1> exact(known.mean, Field<double, 1>(1, heat.grid(), 3)),
      chaos(known.mean, Field<double, 1>(1, heat.grid(), Hermite<3, 2>::outputs));
  for (Index p = 0; p < 16; ++p)
    for (Index k = 0; k < 3; ++k) exact.factor(0, p, k) = chaos.factor(0, p, k) = known.factor(k, p);
  CHECK((covariance(chaos, 0).dense() - covariance(exact, 0).dense()).norm() <= 1e-15);
  const auto draws = sample(with_residual(chaos, ChaosResidual<3, 2>{}), 5, 9),
             gaussian = sample(exact, 5, 9);
  for (std::size_t i = 0; i < draws.size(); ++i)
    CHECK(draws.data()[i] == doctest::Approx(gaussian.data()[i]).epsilon(1e-13));
}

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<WienerChaosDraws<Line>::Expression>(lines[6], 2);
}

TEST_CASE("every draw begins at u_0, and the noise is the same on every grid") {
  check_draws<WienerChaosDraws<Line>>(Grid<1>{{16}});
  CHECK(distance_between_grids<WienerChaosDraws<OneChannel, 2, double>>() < 1e-6);
}

TEST_CASE("a model's draws are those of its law, path by path") {
  WienerChaosDraws<Line, 2, double> model(4);
  model.set_input_units({{0.1, 0.2}, {2, 3}});
  model.set_least_points(20);
  const auto u = smooth_fields<double, 1>(1, Grid<1>{{16}}, 2);
  const auto law = chaos_law<Line>(predict(closed_form(model), u, 0.5));
  const auto draws = draws_of(model, u, 0.5, 4, 3);
  static_assert(decltype(law.residual)::terms == 9);
  for (Index s = 0; s < 4; ++s) {
    Stream random = noise_stream(3, s, 0).from_block(0);
    const double x[3] = {random.normal(), random.normal(), random.normal()};
    std::vector<double> xi;
    Hermite<3, 2>::products(x, [&](double value) { xi.push_back(value); });
    for (Index p = 0; p < 16; ++p)
      for (Index c = 0; c < 2; ++c) {
        double expected = law.mean(0, p, c);
        for (Index k = 0; k < 9; ++k) expected += law.factor(0, p, 2 * k + c) * xi[std::size_t(k)];
        CHECK(draws(s, p, c) == doctest::Approx(expected).epsilon(1e-12));
      }
  }
}

TEST_CASE("sizes, and a law that does not fit") {
  CHECK(WienerChaosDraws<Standard>::parameters == 144 + 4 * 76080 + 6401 + (6272 + 129 * 152) + 2);
  CHECK(WienerChaos<Standard, 1>::parameters == PathMno<Standard>::parameters);
  CHECK_THROWS_WITH(sample(with_residual(GeometricBrownianMotion<2>{}.law, ChaosResidual<1, 3>{}), 1, 1),
                    "mno::ChaosResidual: argument 'law': expected a factor of 3 rows, one for every product, "
                    "and no nugget, "
                    "got 2.");
}

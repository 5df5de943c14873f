// A drift of known rank: what is simulated is what the formula says, and its drift has that rank.
#include "mno/simulate/finite_rank.hpp"

#include <doctest/doctest.h>

#include <Eigen/SVD>

#include "statistics.hpp"

using namespace mno;
using namespace mno::spde;

TEST_CASE("functions have norm 1, and the mean is u_0 + t Σ α_i φ_i ⟨ψ_i, u_0⟩ by quadrature") {
  FiniteRank equation;
  equation.check();
  constexpr Index n = 256;
  const auto integral = [](const auto& f) {
    double sum = 0;
    for (Index p = 0; p < n; ++p) sum += f(double(p) / n) / n;
    return sum;
  };
  const FourierSeries u0 = equation.draw(3, 5);
  for (const double t : {0., 0.4, 1.})
    for (const double x : {0., 0.13, 0.71}) {
      double expected = u0(x);
      for (Index i = 0; i < equation.terms; ++i) {
        const auto phi = equation.actuation(i), psi = equation.sensing(i);
        CHECK(integral([&](double y) { return phi(y) * phi(y); }) == doctest::Approx(1));
        CHECK(integral([&](double y) { return psi(y) * psi(y); }) == doctest::Approx(1));
        expected += t * equation.coefficient(i) * phi(x) * integral([&](double y) { return psi(y) * u0(y); });
      }
      CHECK(equation.mean(u0, t)(x) == doctest::Approx(expected));
    }
}

TEST_CASE("the drift has as many directions as terms, the covariance as many as waves of noise") {
  const FiniteRank equation;
  constexpr Index samples = 20;
  Eigen::MatrixXd drift(samples, equation.points);
  for (Index s = 0; s < samples; ++s) {
    const auto law = exact_law(equation, 1, s, 1.0);
    const FourierSeries u0 = equation.draw(1, s);
    for (Index p = 0; p < equation.points; ++p)
      drift(s, p) = law.mean(0, p, 0) - u0(double(p) / double(equation.points));
    CHECK(law.factor.rows() == 5);
  }
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(drift).singularValues();
  CHECK(values[equation.terms - 1] > 0.05 * values[0]);
  CHECK(values[equation.terms] < 1e-10 * values[0]);
}

TEST_CASE("members have the exact law's mean and variance") {
  const FiniteRank equation;
  constexpr Index members = 20000;
  const auto all =
      collect<double>(equation, {.samples = 1, .members = members, .seed = 4, .times = {0.5, 1}});
  for (Index row = 0; row < 2; ++row) {
    const auto law = exact_law(equation, 4, 0, row == 0 ? 0.5 : 1);
    for (Index p : {0, 17, 40}) {
      double sum = 0;
      for (Index m = 0; m < members; ++m) sum += std::pow(all.of(row)(m, p, 0) - law.mean(0, p, 0), 2);
      CHECK(statistics::chi_squared_ok(sum, law.variance(0, p, 0), members, 6));
    }
  }
}

TEST_CASE("an equation without terms is refused") {
  CHECK_THROWS_WITH(collect<double>(FiniteRank{.terms = 0}, {}),
                    "mno::FiniteRank: argument 'terms': expected at least one, got 0.");
}

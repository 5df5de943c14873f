// The tanh–sinh rule: integrable singularities at the left end, pieces at the ends of an atom.
#include "mno/law/quadrature.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/gaussian.hpp"

using namespace mno;

TEST_CASE("polynomials, logarithms and powers that are infinite at the left end") {
  const auto integral = [](auto f, double a, double b) { return detail::tanh_sinh(f, a, b); };
  CHECK(integral([](double p) { return 3 * p * p; }, 0.5, 2) == doctest::Approx(8 - 0.125).epsilon(1e-13));
  CHECK(integral([](double p) { return std::log(p); }, 0, 1) == doctest::Approx(-1).epsilon(1e-12));
  CHECK(integral([](double p) { return std::pow(p, -0.9); }, 0, 1) == doctest::Approx(10).epsilon(1e-12));
  CHECK(integral([](double p) { return 1 / p; }, 1e-3, 1) == doctest::Approx(std::log(1e3)).epsilon(1e-11));
}

TEST_CASE("an integrand that overflows within rounding of an end has no weight there, and elsewhere it has") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto beyond = [&](double from) {
    return detail::tanh_sinh([&](double p) { return p > from ? infinity : 1; }, 0, 1);
  };
  CHECK(beyond(1 - 5e-15) == doctest::Approx(1).epsilon(1e-12));
  CHECK(beyond(1 - 1e-12) == infinity);
}

TEST_CASE("what the quantiles of a law integrate to") {
  const auto square = [](const auto& residual) {  // E ζ² = 1 = 2 ∫_0^½ q(p)² dp
    return 2 * detail::integrate_quantiles(
                   residual, [&](double p) { return std::pow(residual.quantile(p), 2); }, 0.5);
  };
  CHECK(square(Gaussian{}) == doctest::Approx(1).epsilon(1e-12));
  CHECK(square(CompoundPoisson(0.7)) == doctest::Approx(1).epsilon(1e-10));
  // ∫_0^b over the atom and beyond: −∫_0^b q = E[−ζ; ζ ≤ q(b)], here by its complement, as E ζ = 0
  const CompoundPoisson jumps(0.7);
  const auto below = [&](double b) {
    return detail::integrate_quantiles(
        jumps, [&](double p) { return jumps.quantile(p); }, b);
  };
  CHECK(below(0.9) == doctest::Approx(below(0.1)).epsilon(1e-9));  // ζ is symmetric
}

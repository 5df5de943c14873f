// The CRPS of marginals: closed forms against the integral over the quantiles, the log-normal's closed form,
// and the average over draws.
#include "mno/law/marginal_crps.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"
#include "mno/law/warp/asinh.hpp"
#include "mno/law/warp/log.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// The identity as a warp of a user's own: the CRPS of a law without a warp, by quadrature.
struct Plain {
  double map(double z, Index) const { return z; }
  double inverse(double u, Index) const { return u; }
  double slope(double, Index) const { return 1; }
};

}  // namespace

TEST_CASE("closed forms equal the integral over quantiles to 1e-9") {
  const auto check = []<class R>(const R& residual) {
    for (const double u : {-30.0, -3.0, -0.2, 0.5, 0.50001, 2.0, 40.0}) {
      CAPTURE(u);
      const Marginal<R> exact{0.5, 1.7, residual};
      const Marginal<R, Plain> integrated{0.5, 1.7, residual};
      CHECK(crps(integrated, u) == doctest::Approx(crps(exact, u)).epsilon(1e-9));
    }
  };
  check(Gaussian{});
  check(Laplace{});
  check(StudentT(2.5));
  check(StudentT(30));
  check(CompoundPoisson(0.3));
  check(CompoundPoisson(12));
}

TEST_CASE("values by hand") {
  CHECK(crps(Marginal<>{1, 2}, 1) == doctest::Approx(2 * (std::sqrt(2.0) - 1) / std::sqrt(std::numbers::pi)));
  CHECK(crps(Marginal<Laplace>{0, std::sqrt(2.0)}, 0) == doctest::Approx(0.25));  // scale 1: 1 − ¾
  CHECK(crps(Marginal<>{1, 0}, 3.5) == 2.5);
  CHECK(crps(Marginal<Gaussian, LogWarp>{0, 0}, 3.5) == 2.5);
  CHECK(crps(Marginal<StudentT>{0, 1, StudentT(1e7)}, 0.3) ==
        doctest::Approx(crps(Marginal<>{0, 1}, 0.3)).epsilon(1e-6));
}

TEST_CASE("the log-normal in closed form") {
  // u(2Φ(ω) − 1) − 2 e^{m+σ²/2} (Φ(ω − σ) + Φ(σ/√2) − 1), ω = (log u − m)/σ
  //   S. Baran, S. Lerch, "Log-normal distribution based EMOS models", 2015.
  const double m = 0.2, sigma = 0.8;
  const auto phi = [](double z) { return Gaussian{}.cdf(z); };
  for (const double u : {0.01, 0.4, 1.2, 9.0}) {
    const double omega = (std::log(u) - m) / sigma;
    const double expected =
        u * (2 * phi(omega) - 1) -
        2 * std::exp(m + sigma * sigma / 2) * (phi(omega - sigma) + phi(sigma / std::sqrt(2.0)) - 1);
    CHECK(crps(Marginal<Gaussian, LogWarp>{m, sigma}, u) == doctest::Approx(expected).epsilon(1e-9));
  }
  // Below all that the law reaches it is E X − ½ E|X − X'| − u: linear with slope −1.
  const Marginal<Gaussian, LogWarp> x{m, sigma};
  CHECK(crps(x, -2) - crps(x, 0) == doctest::Approx(2).epsilon(1e-9));
}

TEST_CASE("of every entry, with nugget and warp, against draws") {
  // E|X − u| − ½E|X − X'| from 20000 draws, paired; a false alarm once in 1e6 by the central limit theorem.
  const Index count = 40000;
  auto law = with_warp(with_residual(with_nugget(random_law<double, 1>(1, {{3}, {}}, 2, 2, 3), 4), Laplace{}),
                       AsinhWarp({0.5, 2}));
  for (double& b : law.factor.span()) b *= 0.2;
  for (double& eta : law.nugget.span()) eta *= 0.2;
  Field<double, 1> values(1, law.grid(), 2);
  fill_normal(values, 6);
  const auto score = crps(law, values);
  const auto draws = sample(law, count, 8);
  for (Index x = 0; x < 3; ++x)
    for (Index c = 0; c < 2; ++c) {
      double sum = 0, square = 0;
      for (Index j = 0; j < count; j += 2) {
        const double a = draws(j, x, c), b = draws(j + 1, x, c), u = values(0, x, c);
        const double one = 0.5 * (std::abs(a - u) + std::abs(b - u)) - 0.5 * std::abs(a - b);
        sum += one;
        square += one * one;
      }
      const double n = double(count) / 2, average = sum / n;
      const double deviation = std::sqrt((square / n - average * average) / n);
      CHECK(std::abs(score(0, x, c) - average) < critical_z(1e-6, 6) * deviation);
    }
}

TEST_CASE("an infinite score is said to be infinite") {
  CHECK(std::isfinite(crps(Marginal<Laplace, LogWarp>{0, 2.7}, 1)));  // σ < 2√2, though the mean is infinite
  CHECK(std::isinf(crps(Marginal<Laplace, LogWarp>{0, 2.9}, 1)));
}

TEST_CASE("values of another shape are refused with a sentence") {
  const auto law = random_law<double, 1>(3, {{4}, {}}, 2, 2, 9);
  CHECK(
      sentence([&] {
        crps(law, Field<double, 1>(3, {{4}, {}}, 1));
      }) ==
      "mno::crps: argument 'values': expected batch 1 or 3, grid 4 and its domain, 2 channels, got batch 3, "
      "grid 4, 1 channels.");
}

// Mean and variance in the user's units: closed forms against samples' limits, and quadrature for warps that
// have none.
#include "mno/law/moments.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/warp/asinh.hpp"
#include "mno/law/warp/log.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// A warp of a user's own, which has no moments: those of the log warp must come out by quadrature.
struct OwnLog {
  double map(double z, Index) const { return std::exp(z); }
  double inverse(double u, Index) const { return std::log(u); }
  double slope(double z, Index) const { return std::exp(z); }
};
struct Cubic {  // u = z³ + z: polynomial moments, which a Student t has if ν > 6
  double map(double z, Index) const { return z * z * z + z; }
  double inverse(double, Index) const { return 0; }
  double slope(double z, Index) const { return 3 * z * z + 1; }
};

Law<double, 1> small_law(double spread) {
  auto law = with_nugget(random_law<double, 1>(2, {{5}, {}}, 2, 3, 4), 5);
  for (double& b : law.factor.span()) b *= spread;
  for (double& eta : law.nugget.span()) eta *= spread;
  return law;
}

}  // namespace

TEST_CASE("without a warp they are m and the squares of factor and nugget") {
  const auto law = small_law(1);
  CHECK(std::ranges::equal(mean(law).span(), law.mean.span()));
  const auto v = variance(law);
  for (Index s = 0; s < 2; ++s)
    for (Index x = 0; x < 5; ++x)
      for (Index c = 0; c < 2; ++c)
        CHECK(v(s, x, c) == doctest::Approx(detail::factor_at(law, s, x).col(c).squaredNorm() +
                                            std::pow(law.nugget(s, x, c), 2))
                                .epsilon(1e-14));
}

TEST_CASE("a log-warped Gaussian is log-normal") {
  const auto law = small_law(0.3);
  const auto positive = with_warp(law, LogWarp{});
  const auto m = mean(positive), v = variance(positive), own = variance(law);
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double mu = law.mean.data()[i], s2 = own.data()[i];
    CHECK(m.data()[i] == doctest::Approx(std::exp(mu + s2 / 2)).epsilon(1e-13));
    CHECK(v.data()[i] == doctest::Approx((std::exp(s2) - 1) * std::exp(2 * mu + s2)).epsilon(1e-11));
  }
}

TEST_CASE("closed forms equal quadrature to 1e-10, for every residual law that has the moments") {
  const auto law = small_law(0.15);  // σ below √½: a log-warped Laplace has a variance
  const auto check = [&](const auto& residual) {
    const auto carried = with_residual(law, residual);
    const auto exact = with_warp(carried, LogWarp{});
    const auto integrated = with_warp(carried, OwnLog{});
    const auto m = mean(exact), m_integrated = mean(integrated), v = variance(exact),
               v_integrated = variance(integrated);
    for (std::size_t i = 0; i < m.size(); ++i) {
      CHECK(m_integrated.data()[i] == doctest::Approx(m.data()[i]).epsilon(1e-10));
      CHECK(v_integrated.data()[i] == doctest::Approx(v.data()[i]).epsilon(1e-9));
    }
  };
  check(Gaussian{});
  check(Laplace{});
  check(CompoundPoisson(1.5));  // with an atom of 0.22
}

TEST_CASE("quadrature by hand: z³ + z of a standard law about 0") {
  // E(ζ³+ζ)² = E ζ⁶ + 2 E ζ⁴ + 1 with the moments of each law.
  Law<double, 1> law(Field<double, 1>(1, {{1}, {}}, 1), Field<double, 1>(1, {{1}, {}}, 1));
  law.factor(0, 0, 0) = 1;
  const auto of = [&](const auto& residual) {
    const auto warped = with_warp(with_residual(law, residual), Cubic{});
    CHECK(std::abs(mean(warped)(0, 0, 0)) < 1e-10);
    return variance(warped)(0, 0, 0);
  };
  CHECK(of(Gaussian{}) == doctest::Approx(15 + 6 + 1).epsilon(1e-10));
  CHECK(of(Laplace{}) == doctest::Approx(90 + 12 + 1).epsilon(1e-10));  // E ζ^{2k} = (2k)!/2^k
  const double nu = 15;  // E ζ⁴ = 3(ν−2)/(ν−4), E ζ⁶ = 15(ν−2)²/((ν−4)(ν−6))
  const double fourth = 3 * (nu - 2) / (nu - 4), sixth = 15 * (nu - 2) * (nu - 2) / ((nu - 4) * (nu - 6));
  CHECK(of(StudentT(nu)) == doctest::Approx(sixth + 2 * fourth + 1).epsilon(1e-9));
}

TEST_CASE("a small spread keeps its digits, a moment that does not exist is infinite, no spread is a point") {
  const auto one = [](double m, double b, const auto& residual, const auto& warp) {
    Field<double, 1> mean(1, {{1}, {}}, 1), factor(1, {{1}, {}}, 1);
    mean(0, 0, 0) = m;
    factor(0, 0, 0) = b;
    return with_warp(with_residual(Law<double, 1>(mean, factor), residual), warp);
  };
  // Var w(z) = w'(m)² σ² to first order
  CHECK(variance(one(0.5, 1e-7, Gaussian{}, LogWarp{}))(0, 0, 0) ==
        doctest::Approx(std::exp(1.0) * 1e-14).scale(0).epsilon(1e-12));
  CHECK(variance(one(0.5, 1e-7, Laplace{}, AsinhWarp(3)))(0, 0, 0) ==
        doctest::Approx(std::pow(3 * std::cosh(0.5), 2) * 1e-14).scale(0).epsilon(1e-12));
  CHECK(std::isinf(variance(one(0, 0.9, Laplace{}, LogWarp{}))(0, 0, 0)));  // 2σ > √2
  CHECK(mean(one(0, 0.9, Laplace{}, LogWarp{}))(0, 0, 0) ==
        doctest::Approx(1 / (1 - 0.405)).scale(0).epsilon(1e-13));
  CHECK(std::isinf(mean(one(0, 1.5, Laplace{}, LogWarp{}))(0, 0, 0)));
  CHECK(std::isnan(mean(one(0, 1.5, Laplace{}, AsinhWarp(1)))(0, 0, 0)));  // ∞ − ∞
  CHECK(mean(one(0.7, 0, Gaussian{}, LogWarp{}))(0, 0, 0) == std::exp(0.7));
  CHECK(variance(one(0.7, 0, Gaussian{}, LogWarp{}))(0, 0, 0) == 0);
}

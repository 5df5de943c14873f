// What a type must offer to serve as a residual law; the laws in residual/ have tests of their own.
#include "mno/law/residual.hpp"

#include <doctest/doctest.h>

#include <array>

#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/gaussian.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"

using namespace mno;

namespace {

struct Rademacher {  // independent signs: centred, Cov ξ = I, not elliptical
  void draw(Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.uniform() < 0.5 ? -1 : 1;
  }
};
struct Uniform {  // elliptical in one dimension; has no exceedance of its own
  void draw(Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = std::sqrt(3.0) * (2 * stream.uniform() - 1);
  }
  double cdf(double z) const { return 0.5 + z / (2 * std::sqrt(3.0)); }
  double quantile(double p) const { return std::sqrt(3.0) * (2 * p - 1); }
};
struct NoLaw {
  double cdf(double) const { return 0; }
  double quantile(double) const { return 0; }
};

}  // namespace

TEST_CASE("the four laws are elliptical; sampling alone makes a residual law, a cdf alone does not") {
  CHECK(EllipticalLaw<Gaussian>);
  CHECK(EllipticalLaw<StudentT>);
  CHECK(EllipticalLaw<Laplace>);
  CHECK(EllipticalLaw<CompoundPoisson>);
  CHECK(ResidualLaw<Rademacher>);
  CHECK_FALSE(EllipticalLaw<Rademacher>);
  CHECK_FALSE(ResidualLaw<NoLaw>);
  CHECK_FALSE(EllipticalLaw<NoLaw>);
}

TEST_CASE("exceedance is the law's own where it has one, else one minus the cdf") {
  CHECK(detail::exceedance(Uniform{}, 0.5) == 1 - Uniform{}.cdf(0.5));
  CHECK(detail::exceedance(Gaussian{}, 20.0) > 0);  // 1 − cdf would be 0
  CHECK(detail::exceedance(Gaussian{}, 20.0) ==
        doctest::Approx(2.7536241186061556e-89).scale(0).epsilon(1e-12));
}

TEST_CASE("one scale serves all coefficients of a draw") {
  std::array<double, 4> scaled{}, plain{};
  Stream first(3), second(3);
  detail::draw_scaled(first, 4, scaled);
  Gaussian{}.draw(second, plain);
  for (std::size_t k = 0; k < 4; ++k) CHECK(scaled[k] == 2 * plain[k]);
}

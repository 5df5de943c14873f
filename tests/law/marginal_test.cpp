// mean + sd·ζ, and the point mass at sd = 0.
#include "mno/law/marginal.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/laplace.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("a marginal shifts and scales the residual law") {
  const Marginal<> u{2, 3, {}};
  CHECK(u.quantile(0.975) == doctest::Approx(2 + 3 * 1.959963984540054).scale(0).epsilon(1e-14));
  CHECK(u.cdf(2) == 0.5);
  CHECK(u.exceedance(2 + 3 * 20) == doctest::Approx(2.7536241186061556e-89).scale(0).epsilon(1e-12));
  const Marginal<Laplace> v{-1, 2, {}};
  CHECK(v.cdf(v.quantile(0.01)) == doctest::Approx(0.01).scale(0).epsilon(1e-12));
  CHECK(v.exceedance(-1) == 0.5);
}

TEST_CASE("without spread it is a point mass") {
  const Marginal<> u{2, 0, {}};
  CHECK(u.cdf(1.999) == 0);
  CHECK(u.cdf(2) == 1);
  CHECK(u.exceedance(1.999) == 1);
  CHECK(u.exceedance(2) == 0);
  CHECK(u.quantile(0.001) == 2);
  CHECK(u.quantile(0.999) == 2);
}

TEST_CASE("probabilities outside (0,1) are refused with a sentence") {
  CHECK(sentence([] { Marginal<>{}.quantile(1); }) ==
        "mno::quantile: argument 'p': expected a probability strictly between 0 and 1, got 1.");
  CHECK(sentence([] { Marginal<>{}.quantile(0); }) != "no error");
  CHECK(sentence([] { Marginal<>{}.quantile(std::nan("")); }) != "no error");
}

// The layout of a factor's row: channel k·C + c, and the variance that is read off it.
#include "mno/law/factor.hpp"

#include <doctest/doctest.h>

#include "mno/law/moments.hpp"

using namespace mno;

TEST_CASE("a row's variance is that of the law, and its adjoint twice the factor") {
  const Index rank = 3, channels = 2;
  Law<double, 1> law(Field<double, 1>(1, {{4}}, channels), Field<double, 1>(1, {{4}}, rank * channels));
  for (Index p = 0; p < 4; ++p)
    for (Index k = 0; k < rank; ++k)
      for (Index c = 0; c < channels; ++c)
        law.factor(0, p, detail::factor_channel(k, c, channels)) =
            double(p + 1) + 10 * double(k) + 0.5 * double(c);
  const Field<double, 1> v = variance(law);
  for (Index p = 0; p < 4; ++p)
    for (Index c = 0; c < channels; ++c) {
      double expected = 0;
      for (Index k = 0; k < rank; ++k)
        expected += std::pow(double(p + 1) + 10 * double(k) + 0.5 * double(c), 2);
      CHECK(v(0, p, c) == doctest::Approx(expected).epsilon(1e-14));
      CHECK(detail::row_variance(&law.factor(0, p, 0), c, channels, rank) ==
            doctest::Approx(expected).epsilon(1e-14));
    }
  double bar[rank * channels] = {};
  detail::add_row_variance_bar(&law.factor(0, 1, 0), 1, channels, rank, 0.25, bar);
  for (Index k = 0; k < rank; ++k) {
    CHECK(bar[k * channels] == 0);
    CHECK(bar[k * channels + 1] == doctest::Approx(0.5 * (2 + 10 * double(k) + 0.5)));
  }
}

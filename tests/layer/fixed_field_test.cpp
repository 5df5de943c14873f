// A learned field that is the same for every sample: gradients, and what it gives.
#include "mno/layer/fixed_field.hpp"

#include <numbers>

#include "gradients.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("fixed field: gradients") {
  for (const auto& grid : lines) check_vjp<FixedField<3, 2, 1, 4>>(grid, 2);
  for (const auto& grid : planes) check_vjp<FixedField<3, 1, 2, 3>>(grid, 1);
}

TEST_CASE("a Fourier series, alike for every sample and on every grid, whatever the input is") {
  using L = FixedField<1, 2, 1, 3>;
  for (const Index points : {8, 12}) {
    Probe<L, 1> probe(Grid<1>{{points}}, 2, 1, 1);
    probe.w.assign(L::parameters, 0);
    probe.w[0] = 5;              // k = 0, real, channel 0
    probe.w[1 * 4 + 1] = 3;      // k = 1, real, channel 1
    probe.w[2 * 4 + 2 + 0] = 2;  // k = 2, imaginary, channel 0
    const auto y = probe.forward();
    for (Index b = 0; b < 2; ++b)
      for (Index p = 0; p < points; ++p) {
        const double x = 2 * std::numbers::pi * double(p) / double(points);
        CHECK(y(b, p, 0) == doctest::Approx(5 - 2 * 2 * std::sin(2 * x)).epsilon(1e-12));
        CHECK(y(b, p, 1) == doctest::Approx(2 * 3 * std::cos(x)).epsilon(1e-12));
      }
  }
}

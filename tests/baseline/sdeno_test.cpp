// SDENO and F-SPDENO: Wick products of a draw's Gaussians, in every layer or at every point.
#include "mno/baseline/sdeno.hpp"

#include "mno/baseline/f_spdeno.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 6, modes = 4, depth = 2, projection = 8,
                       noise_channels = 2, latents = 3;
};
struct Plane : Line {
  static constexpr int dimension = 2, channels = 2, width = 4, modes = 3, depth = 1;
};
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
}  // namespace

TEST_CASE("gradients, in one pass and as they are trained") {
  check_vjp<Sdeno<Line>::Expression>(lines[6], 1);
  check_vjp<FSpdeno<Line>::Expression>(lines[6], 1);
  check_vjp<Sdeno<Plane>::Expression>(planes[1], 2);
}

TEST_CASE("every draw begins at u_0, and the noise is the same on every grid") {
  check_draws<Sdeno<Line>>(Grid<1>{{16}});
  check_draws<Sdeno<Plane, double>>(Grid<2>{{8, 6}});
  check_draws<FSpdeno<Line>>(Grid<1>{{16}});
  const double global = distance_between_grids<Sdeno<Line, double>>(),
               fields = distance_between_grids<FSpdeno<Line, double>>();
  MESSAGE("draws on three grids: ", global, " and ", fields, " of their spread apart");
  CHECK(global < 1e-6);
  CHECK(fields < 1e-3);  // products have waves of twice the number, and some fold back
}

TEST_CASE("SDENO: one set of products for every point and every layer, and v modulated by them") {
  using Parts = baseline::Modulated<Line>;
  const Grid<1> grid{{8}};
  const auto first = Probe<Parts::First, 1, double, Device>(grid, 2, 1, 3).forward();
  Stream random = noise_stream(0, 1, 0).from_block(0);
  const double x[3] = {random.normal(), random.normal(), random.normal()};
  for (Index p = 0; p < 8; ++p) {
    Index k = 6;
    Hermite<3, 2>::products(
        x, [&](double value) { CHECK(first(1, p, k++) == doctest::Approx(value).epsilon(1e-12)); });
    CHECK(k == first.channels());
  }
  // A layer hands them on, and with s = c = 0 it is a Fourier layer.
  Probe<Parts::Step, 1, double, Device> step(grid, 1, 1, 4);
  Probe<FourierLayer<Line>, 1, double, Device> plain(grid, 1, 1, 4);
  const auto shared = plain.w.size();
  std::copy_n(step.w.begin(), shared, plain.w.begin());
  for (Index p = 0; p < 8; ++p)
    for (Index c = 0; c < 6; ++c) plain.x(0, p, c) = step.x(0, p, c);
  const auto modulated = step.forward();
  std::fill(step.w.begin() + Index(shared), step.w.end(), 0.0);
  const auto through = step.forward(), expected = plain.forward();
  double effect = 0;
  for (Index p = 0; p < 8; ++p) {
    for (Index c = 0; c < 6; ++c) {
      CHECK(through(0, p, c) == doctest::Approx(expected(0, p, c)).epsilon(1e-12));
      effect = std::max(effect, std::abs(modulated(0, p, c) - through(0, p, c)));
    }
    for (Index k = 6; k < 15; ++k) CHECK(through(0, p, k) == step.x(0, p, k));
  }
  CHECK(effect > 0.1);
}

TEST_CASE("F-SPDENO: products of the noise at every point") {
  Probe<baseline::WickInput<Line>, 1, double, Device> probe(Grid<1>{{16}}, 2, 1, 3);
  const auto y = probe.forward();
  REQUIRE(y.channels() == 2 + 5);
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 16; ++p) {
      const double a = y(b, p, 2), c = y(b, p, 3);
      CHECK(y(b, p, 0) == probe.x(b, p, 0));
      CHECK(y(b, p, 4) == doctest::Approx((a * a - 1) / std::sqrt(2.0)));
      CHECK(y(b, p, 5) == doctest::Approx(a * c));
      CHECK(y(b, p, 6) == doctest::Approx((c * c - 1) / std::sqrt(2.0)));
    }
}

TEST_CASE("about as large as the paper's operator") {
  CHECK(Sdeno<Standard>::parameters == 144 + 4 * (76080 + 45 * 96) + 6401 + 2);
  CHECK(FSpdeno<Standard>::parameters == 17 * 48 + 4 * 76080 + 6401 + 2);
}

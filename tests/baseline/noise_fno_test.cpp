// Noise-FNO: gradients, exactness at t = 0, and the same noise on every grid.
#include "mno/baseline/noise_fno.hpp"

#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 6, modes = 4, depth = 2, projection = 8;
};
struct Plane {
  static constexpr int dimension = 2, channels = 2, rank = 2, width = 4, modes = 3, depth = 1, projection = 5,
                       noise_channels = 2;
};
/// What the tables use.
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
}  // namespace

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<NoiseFno<Line>::Expression>(lines[6], 1);
  check_vjp<NoiseFno<Plane>::Expression>(planes[1], 2);
}

TEST_CASE("every draw begins at u_0, and no two are the same") {
  check_draws<NoiseFno<Line>>(Grid<1>{{16}});
  check_draws<NoiseFno<Plane, double>>(Grid<2>{{8, 6}});
}

TEST_CASE("the noise is the same on 32, 64 and 128 points") {
  const double distance = distance_between_grids<NoiseFno<Line, double>>();
  MESSAGE("draws on three grids: ", distance, " of their spread apart");
  CHECK(distance < 1e-6);
  Probe<baseline::NoisyInput<Line>, 1, double, Device> coarse(Grid<1>{{32}}, 2, 1, 7),
      fine(Grid<1>{{128}}, 2, 1, 7);
  const auto a = coarse.forward(), b = fine.forward();
  CHECK(a(1, 0, 2) != a(1, 1, 2));  // a field, not one number
  for (Index p = 0; p < 32; ++p)
    for (Index c = 2; c < 6; ++c) CHECK(a(1, p, c) == doctest::Approx(b(1, 4 * p, c)).epsilon(1e-12));
}

TEST_CASE("about as large as the paper's operator") {
  CHECK(NoiseFno<Standard>::parameters == 336 + 4 * 76080 + 6401 + 2);  // lift, layers, head, path and gate
  CHECK(std::abs(double(NoiseFno<Standard>::parameters) / double(Mno<Standard>::parameters) - 1) < 0.1);
}

// F-FNO: the axes change places with the field, and its version with noise has what every rival has.
#include "mno/baseline/noise_ffno.hpp"

#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 6, modes = 4, depth = 2, projection = 8;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 2, width = 4, modes = 3, depth = 2, projection = 5;
};
struct Standard {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
struct StandardPlane : Standard {
  static constexpr int dimension = 2;
};
}  // namespace

TEST_CASE("gradients, in one pass and as it is trained") {
  check_vjp<NoiseFfno<Line>::Expression>(lines[6], 1);
  check_vjp<NoiseFfno<Plane>::Expression>(planes[1], 1);
  check_vjp<FactorisedMno<Plane>::Expression>(planes[1], 1);
}

TEST_CASE("a layer is a residual one: without its last weights it lets everything through") {
  Probe<FactorisedLayer<Line>, 1, double, Device> probe(lines[3], 1, 1, 3);
  const auto with = probe.forward();
  std::fill(probe.w.end() - 13 * 6, probe.w.end(), 0.0);  // W_2 and b_2
  const auto through = probe.forward();
  for (std::size_t i = 0; i < through.size(); ++i) CHECK(through.data()[i] == probe.x.data()[i]);
  CHECK(std::abs(with(0, 0, 0) - through(0, 0, 0)) > 1e-3);
}

TEST_CASE("a field with its axes swapped gives the swapped field, where the axes' weights change places") {
  Ffno<Plane, double> model(3), swapped(3);
  for (const char* leaf : {"layer0.factorised-spectral.weight", "layer1.factorised-spectral.weight"}) {
    const auto from = std::as_const(model).leaf(leaf);
    const auto to = swapped.leaf(leaf);
    const auto axis = std::ptrdiff_t(from.size() / 2);
    std::rotate_copy(from.begin(), from.begin() + axis, from.end(), to.begin());
  }
  const auto u = smooth_fields<double, 2>(1, Grid<2>{{8, 6}});
  Field<double, 2> turned(1, Grid<2>{{6, 8}}, 1);
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 6; ++j) turned(0, j * 8 + i, 0) = u(0, i * 6 + j, 0) + 0.3 * double(i == 2);
  auto bumped = u;
  for (Index j = 0; j < 6; ++j) bumped(0, 2 * 6 + j, 0) += 0.3;
  const auto a = predict(model, bumped, 0.5, device()), b = predict(swapped, turned, 0.5, device()),
             other = predict(model, turned, 0.5, device());
  double difference = 0;
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 6; ++j) {
      CHECK(a(0, i * 6 + j, 0) == doctest::Approx(b(0, j * 8 + i, 0)).epsilon(1e-12));
      difference = std::max(difference, std::abs(a(0, i * 6 + j, 0) - other(0, j * 8 + i, 0)));
    }
  CHECK(difference > 1e-3);  // the axes' weights differ
}

TEST_CASE("every draw begins at u_0, and the noise is the same on every grid") {
  check_draws<NoiseFfno<Line>>(Grid<1>{{16}});
  check_draws<NoiseFfno<Plane>>(Grid<2>{{8, 6}});
  const double distance = distance_between_grids<NoiseFfno<Line, double>>();
  MESSAGE("draws on three grids: ", distance, " of their spread apart");
  CHECK(distance < 1e-6);
}

TEST_CASE("on a line about as large as the paper's operator, on a plane an order smaller") {
  CHECK(NoiseFfno<Standard>::parameters == 336 + 4 * (73728 + 4704 + 4656) + 6401 + 2);
  CHECK(10 * NoiseFfno<StandardPlane>::parameters < Mno<StandardPlane>::parameters);
}

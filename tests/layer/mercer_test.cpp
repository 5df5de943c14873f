// The Mercer head: gradients, orthonormality, eigenvalues.
#include "mno/layer/mercer.hpp"

#include "gradients.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Bound {
  static constexpr double value = 2;
};
}  // namespace

TEST_CASE("Mercer head: gradients") {
  for (const auto& grid : lines) check_vjp<Mercer<3, 1>>(grid);
  for (const auto& grid : lines) check_vjp<Mercer<3, 2>>(grid);
  check_vjp<Mercer<4, 1>>(planes[1]);
}

TEST_CASE("Mercer head: orthonormal in L²(D), eigenvalues bounded and as given") {
  constexpr int rank = 5, channels = 2;
  using L = Mercer<rank, channels, Bound>;
  const Grid<1> grid{{24}, {{3.0}}};
  Probe<L, 1> probe(grid, 3, 1, 7);
  const auto y = probe.forward();
  for (Index b = 0; b < 3; ++b)
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j <= i; ++j) {
        double inner = 0, mean = 0;
        for (Index p = 0; p < 24; ++p) {
          mean += probe.x(b, p, rank * channels + i) / 24;
          for (int c = 0; c < channels; ++c) inner += y(b, p, i * channels + c) * y(b, p, j * channels + c);
        }
        inner *= 3.0 / 24;
        const double eigenvalue = Bound::value * std::tanh(std::exp(mean) / Bound::value);
        CHECK(inner == doctest::Approx(i == j ? eigenvalue : 0).epsilon(1e-12));
        CHECK(eigenvalue < Bound::value);
      }
}

TEST_CASE("Mercer head on a grid with fewer values than the rank stays finite") {
  Probe<Mercer<8, 1>, 1> probe(Grid<1>{{4}}, 1, 1, 3);
  probe.pull_back();
  const auto y = probe.forward();
  double beyond = 0;
  for (Index p = 0; p < 4; ++p)
    for (Index k = 4; k < 8; ++k) beyond = std::max(beyond, std::abs(y(0, p, k)));
  CHECK(beyond < 1e-3);  // the four fields beyond the space's dimension carry nothing
  for (double value : probe.xbar.span()) CHECK(std::isfinite(value));
}

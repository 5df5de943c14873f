// Spectral convolution against the oracle: odd and even grids, Nyquist kept, grids too small for the modes.
#include "mno/layer/spectral.hpp"

#include "gradients.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("spectral convolution, one dimension") {
  for (const auto& grid : lines) {
    check_vjp<SpectralConv<2, 3, 1, 1>>(grid);
    check_vjp<SpectralConv<2, 3, 1, 4>>(
        grid);  // on 4, 5, 6 points: more modes than the grid has, Nyquist kept
    check_vjp<SpectralConv<3, 2, 1, 5>>(grid);
    check_linear<SpectralConv<2, 3, 1, 4>>(grid);
    check_linear<SpectralConv<3, 2, 1, 5>>(grid);
  }
}

TEST_CASE("spectral convolution, two dimensions") {
  for (const auto& grid : planes) {
    check_vjp<SpectralConv<2, 3, 2, 2>>(grid);
    check_vjp<SpectralConv<2, 2, 2, 3>>(grid);
    check_vjp<SpectralConv<2, 2, 2, 5>>(grid);  // Nyquist on both axes of 8 x 8
    check_linear<SpectralConv<2, 3, 2, 3>>(grid);
    check_linear<SpectralConv<2, 2, 2, 5>>(grid);
  }
}

TEST_CASE("spectral convolution, three dimensions") {
  check_vjp<SpectralConv<2, 2, 3, 2>>(Grid<3>{{4, 5, 6}});
  check_linear<SpectralConv<2, 2, 3, 3>>(Grid<3>{{4, 5, 6}});
}

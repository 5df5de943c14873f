// Upsampling by repetition: every fine point has its block's value; the adjoint sums the block.
#include "mno/layer/nearest.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("every point is repeated") {
  Dense<Nearest<3, 2>, float, 2> layer(Grid<2>{{3, 5}, {{2.0, 0.5}}});
  layer.run();
  CHECK(layer.y.grid() == Grid<2>{{6, 10}, {{2.0, 0.5}}});
  for (Index b = 0; b < 2; ++b)
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 10; ++j)
        for (Index c = 0; c < 3; ++c) CHECK(layer.y(b, i * 10 + j, c) == layer.x(b, i / 2 * 5 + j / 2, c));
}

TEST_CASE("nearest upsampling against the oracle") {
  for (const auto& grid : lines) check_linear<Nearest<3, 3>>(grid);
  for (const auto& grid : planes) check_linear<Nearest<18, 2>>(grid);
  check_linear<Nearest<2, 2>>(Grid<3>{{3, 2, 4}});
  check_vjp<Nearest<3, 2>>(planes[2]);
  check_strided<Nearest<6, 2>>(planes[2]);
  check_strided<Nearest<6, 3>, double>(lines[1]);
}

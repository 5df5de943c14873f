// Pointwise mixing against the oracle.
#include "mno/layer/pointwise.hpp"

#include "gradients.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("pointwise mixing") {
  for (const auto& grid : lines) {
    check_vjp<Pointwise<3, 4>>(grid);
    check_linear<Pointwise<3, 4>>(grid);
  }
  check_vjp<Pointwise<2, 5>>(planes[2]);
  check_linear<Pointwise<2, 5>>(planes[2]);
}

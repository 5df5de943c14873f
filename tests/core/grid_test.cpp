#include "mno/core/grid.hpp"

#include <doctest/doctest.h>

using mno::Domain;
using mno::Grid;

TEST_CASE("size, name and cell of a grid") {
  const Grid<1> line{{8}, {{2.0}}};
  CHECK(line.size() == 8);
  CHECK(line.str() == "8");
  CHECK(line.cell() == doctest::Approx(0.25));

  const Grid<3> box{{4, 6, 10}, {{1.0, 2.0, 3.0}}};
  CHECK(box.size() == 240);
  CHECK(box.str() == "4x6x10");
  CHECK(box.domain.volume() == doctest::Approx(6));
  CHECK(box.cell() == doctest::Approx(6.0 / 240));
}

TEST_CASE("lengths are 1 unless said otherwise") {
  CHECK(Domain<2>{}.length == std::array<double, 2>{1, 1});
  CHECK(Grid<2>{{3, 5}, {}}.cell() == doctest::Approx(1.0 / 15));
}

TEST_CASE("grids are equal when points and lengths are") {
  const Grid<2> a{{4, 6}, {{1.0, 2.0}}};
  CHECK(a == Grid<2>{{4, 6}, {{1.0, 2.0}}});
  CHECK(a != Grid<2>{{6, 4}, {{1.0, 2.0}}});
  CHECK(a != Grid<2>{{4, 6}, {{1.0, 2.5}}});
}

// Feature-wise modulation against its formula and the oracle.
#include "mno/layer/film.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("modulation scales and shifts") {
  Dense<Film<5>, double, 1> layer(Grid<1>{{9}});
  layer.run();
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < 9; ++p)
      for (Index c = 0; c < 5; ++c)
        CHECK(layer.y(b, p, c) ==
              doctest::Approx((1 + layer.x(b, p, 5 + c)) * layer.x(b, p, c) + layer.x(b, p, 10 + c))
                  .epsilon(1e-14));
}

TEST_CASE("modulation by nothing is the identity, bit by bit") {
  Dense<Film<17>, float, 2> layer(Grid<2>{{4, 5}});
  for (Index r = 0; r < layer.x.view().rows(); ++r) std::fill_n(layer.x.view().row(r) + 17, 34, 0.f);
  layer.run();
  bool same = true;
  for (Index r = 0; r < layer.x.view().rows(); ++r)
    same = same && std::equal(layer.y.view().row(r), layer.y.view().row(r) + 17, layer.x.view().row(r));
  CHECK(same);
}

TEST_CASE("modulation against the oracle") {
  for (const auto& grid : lines) check_vjp<Film<3>>(grid);
  check_vjp<Film<18>>(planes[2]);
  check_vjp<Film<2>>(Grid<3>{{3, 2, 4}});
  check_strided<Film<6>>(planes[2]);
  check_strided<Film<17>, double>(lines[1]);
}

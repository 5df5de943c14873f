// Fields to a law's coordinates and back.
#include "mno/law/coordinates.hpp"

#include <doctest/doctest.h>

#include "mno/law/warp/asinh.hpp"
#include "mno/law/warp/log.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("to the law's coordinates and back, channel by channel") {
  Field<double, 2> u(2, {{3, 2}, {}}, 2);
  fill_normal(u, 3);
  auto z = u;
  const AsinhWarp warp({0.5, 4});
  to_law_coordinates(z, warp);
  for (Index x = 0; x < 6; ++x)
    for (Index c = 0; c < 2; ++c) CHECK(z(1, x, c) == std::asinh(u(1, x, c) / (c == 0 ? 0.5 : 4)));
  to_user_units(z, warp);
  for (std::size_t i = 0; i < u.size(); ++i)
    CHECK(z.data()[i] == doctest::Approx(u.data()[i]).epsilon(1e-14));
}

TEST_CASE("a value that the warp does not reach is refused with a sentence") {
  Field<float, 1> u(1, {{2}, {}}, 1);
  u(0, 0, 0) = 1;
  CHECK(sentence([&] { to_law_coordinates(u, LogWarp{}); }) ==
        "mno::to_law_coordinates: argument 'values': expected values that the warp reaches, got 0.");
}

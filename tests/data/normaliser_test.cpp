// A law in normalised coordinates, restored: mean, factor and nugget take the scale, residual law and warp
// stay.
#include "mno/data/normaliser.hpp"

#include <doctest/doctest.h>

#include "law/support.hpp"
#include "mno/law/coordinates.hpp"
#include "mno/law/moments.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"
#include "mno/law/warp/asinh.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("draws of a restored law are the restored draws, with nugget, residual law and warp") {
  const Normaliser normaliser{{3, -1}, {0.5, 4}};
  const AsinhWarp warp({0.2, 5});
  const auto law = with_residual(with_nugget(random_law<double, 1>(2, {{4}, {}}, 2, 3, 1), 2), StudentT(5));
  auto restored = with_warp(law, warp);
  normaliser.undo(restored);
  CHECK(restored.residual.nu() == 5);
  CHECK(restored.warp.scales() == warp.scales());
  auto draws = sample(law, 3, 7);  // (w⁻¹(u) − shift)/scale, undone from the outside in
  normaliser.undo(draws);
  to_user_units(draws, warp);
  const auto direct = sample(restored, 3, 7);
  for (std::size_t i = 0; i < draws.size(); ++i)
    CHECK(direct.data()[i] == doctest::Approx(draws.data()[i]).epsilon(1e-11));
  const auto before = variance(law), after = variance(unwarped(restored));
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after.data()[i] == doctest::Approx(before.data()[i] * (i % 2 == 0 ? 0.25 : 16)).epsilon(1e-13));
}

TEST_CASE("a law without a nugget has none afterwards") {
  auto law = random_law<float, 1>(1, {{4}, {}}, 1, 2, 1);
  Normaliser{{1}, {2}}.undo(law);
  CHECK_FALSE(law.has_nugget());
}

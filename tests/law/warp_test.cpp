// What a type must offer to serve as a warp; the warps in warp/ have tests of their own.
#include "mno/law/warp.hpp"

#include <doctest/doctest.h>

#include "mno/law/any_warp.hpp"

using namespace mno;

namespace {
struct MapAlone {
  double map(double z, Index) const { return z; }
};
}  // namespace

TEST_CASE("the library's warps are warps, and only one of them is surely the identity") {
  CHECK(Warp<Unwarped>);
  CHECK(Warp<LogWarp>);
  CHECK(Warp<AsinhWarp>);
  CHECK(Warp<AnyWarp>);
  CHECK_FALSE(Warp<MapAlone>);
  CHECK(Unwarped::identity());
  CHECK_FALSE(detail::MaybeUnwarped<LogWarp>);
  CHECK(detail::MaybeUnwarped<AnyWarp>);
}

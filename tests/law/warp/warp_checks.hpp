#pragma once
// What every warp must satisfy, as one body.
#include <doctest/doctest.h>

#include <cmath>

#include "../support.hpp"
#include "mno/law/warp.hpp"

namespace mno::testing {

/// map and inverse undo each other, the slope is the derivative, and the map increases.
template <Warp W> void check_warp(const W& warp, Index channel = 0) {
  double last = -INFINITY;
  for (double z = -20; z <= 20; z += 0.37) {
    CAPTURE(z);
    const double u = warp.map(z, channel), h = 1e-5;
    CHECK(warp.inverse(u, channel) == doctest::Approx(z).epsilon(1e-12));
    CHECK(warp.slope(z, channel) ==
          doctest::Approx((warp.map(z + h, channel) - warp.map(z - h, channel)) / (2 * h))
              .scale(0)
              .epsilon(1e-8));
    CHECK(u > last);
    last = u;
  }
}

}  // namespace mno::testing

// FFTW has one planner in a process: libraries that each have their own copy of this header share one lock.
#include <doctest/doctest.h>

#include "mno/spectral/transform.hpp"

#ifdef MNO_HAS_FFTW

using namespace mno;

namespace {
int locked = 0, unlocked = 0;
}

TEST_CASE("plans are made and destroyed under the lock that is shared") {
  fftw_planner().share([] { ++locked; }, [] { ++unlocked; });
  {
    const Fftw<float, 1> plans({8}, 1);
    CHECK(locked == 1);
    CHECK(unlocked == 1);
  }
  CHECK(locked == 2);
  fftw_planner().share(nullptr, nullptr);
  { const Fftw<float, 1> plans({8}, 1); }
  CHECK(locked == 2);
  CHECK(unlocked == 2);
}

#endif

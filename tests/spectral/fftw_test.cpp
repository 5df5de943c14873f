// FFTW has one planner in a process: libraries that each have their own copy of this header share one lock.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

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

#else

TEST_CASE("without FFTW a transform of many modes is a product with tables") {
  using namespace mno;
  const Transform<double, 1> f(TransformKey<1>{{256}, {129}, 1});
  Field<double, 1> wave(1, Grid<1>{{256}}, 1);
  wave.fill([](auto x, Index) { return std::cos(2 * std::numbers::pi * 100 * x[0]); });
  std::vector<double> values(std::size_t(f.modes() * 2));
  Arena scratch;
  f.project(std::as_const(wave).view(), {values.data(), f.modes(), 1, 1}, Weight::analysis, scratch);
  for (Index k = 0; k < f.modes(); ++k) {
    CHECK(values[std::size_t(2 * k)] == doctest::Approx(k == 100 ? 0.5 : 0).scale(1).epsilon(1e-12));
    CHECK(values[std::size_t(2 * k + 1)] == doctest::Approx(0).scale(1).epsilon(1e-12));
  }
}

#endif

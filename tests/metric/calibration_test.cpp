// Conformal calibration of a law as one number and as a text.
#include "mno/metric/calibration.hpp"

#include <doctest/doctest.h>

#include "mno/law/sample.hpp"

using namespace mno;

namespace {
/// Conditions of 40 draws each from a law of deviation 1, judged by one of deviation σ.
template <class R> metric::Calibration calibrated(double sigma, const R& residual) {
  const Grid<1> grid{{16}};
  metric::Calibrator calibrator(0.9, 0.5);
  for (Index s = 0; s < 39; ++s) {
    Field<double, 1> mean(1, grid, 1), none(1, grid, 1), one(1, grid, 1), eta(1, grid, 1);
    std::ranges::fill(one.span(), 1.0);
    std::ranges::fill(eta.span(), sigma);
    const Law<double, 1, R> truth(mean, none, one, residual, {}), law(mean, none, eta, residual, {});
    calibrator.add(law, 0, metric::members(sample(truth, 40, std::uint64_t(s))));
  }
  return calibrator.value();
}
}  // namespace

TEST_CASE("a law that is half as wide as it should be is widened by two") {
  // a median of 39 conditions with 640 values each: off by more than 5 % less often than once in 10⁶
  CHECK(calibrated(1, Gaussian{}).factor == doctest::Approx(1).epsilon(0.05));
  CHECK(calibrated(0.5, Gaussian{}).factor == doctest::Approx(2).epsilon(0.05));
  const auto twice = calibrated(2, Gaussian{});
  CHECK(twice.factor == doctest::Approx(0.5).epsilon(0.05));
  CHECK(twice.conditions == 39);
}

TEST_CASE("a calibration survives its text, and another text is refused") {
  const metric::Calibration calibration{0.9, 0.8, 40, 1.2345678901234567};
  CHECK(metric::Calibration::parse(calibration.text()) == calibration);
  for (const char* wrong : {"", "conformal", "conformal 0.9 0.8 40", "conformal 2 0.8 40 1",
                            "conformal 0.9 0.8 0 1", "conformal 0.9 0.8 40 -1", "other 0.9 0.8 40 1"})
    CHECK_THROWS_AS(metric::Calibration::parse(wrong), Error);
}

TEST_CASE("too few conditions promise nothing") {
  metric::Calibrator calibrator(0.9, 0.9);
  const Grid<1> grid{{4}};
  Field<double, 1> mean(1, grid, 1), factor(1, grid, 1);
  std::ranges::fill(factor.span(), 1.0);
  const Law<double, 1> law(mean, factor);
  for (Index s = 0; s < 8; ++s) calibrator.add(law, 0, metric::members(sample(law, 2, std::uint64_t(s))));
  CHECK_THROWS_WITH_AS(calibrator.value(), doctest::Contains("at least 9 conditions"), Error);
}

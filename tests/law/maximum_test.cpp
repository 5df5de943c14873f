#include "mno/law/maximum.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/student_t.hpp"
#include "mno/law/warp/asinh.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
/// Entries that are independent, with mean 0 and deviation s: no factor, a nugget.
Law<double, 1> independent(Index n, double s) {
  Field<double, 1> mean(1, Grid<1>{{n}}, 1), factor(1, Grid<1>{{n}}, 1), nugget(1, Grid<1>{{n}}, 1);
  for (double& x : mean.span()) x = 0;
  for (double& x : factor.span()) x = 0;
  for (double& x : nugget.span()) x = s;
  return {std::move(mean), std::move(factor), std::move(nugget)};
}
}  // namespace

TEST_CASE("of independent entries: 1 − (1 − p)ⁿ") {
  const auto law = independent(8, 0.7);
  const double p = 2 * detail::exceedance(Gaussian{}, 1.5 / 0.7), exact = 1 - std::pow(1 - p, 8);
  const MaximumOptions options{.draws = 40000, .seed = 3};
  const Estimate risk = maximum(law, 0, options).exceedance(1.5);
  CHECK(std::abs(risk.value - exact) < 4.5 * risk.error);
  CHECK(risk.error == doctest::Approx(std::sqrt(exact * (1 - exact) / 40000)).scale(0).epsilon(0.05));
  const RiskBounds bounds = risk_bounds(law, 0, 1.5);
  CHECK(bounds.lower == doctest::Approx(p).scale(0));
  CHECK(bounds.upper == doctest::Approx(8 * p).scale(0));
  MaximumOptions half = options;
  half.region = {0, 2, 4, 6};
  CHECK(std::abs(maximum(law, 0, half).exceedance(1.5).value - (1 - std::pow(1 - p, 4))) < 4.5 * risk.error);
  MaximumOptions above = options;
  above.magnitude = false;
  CHECK(std::abs(maximum(law, 0, above).exceedance(1.5).value - (1 - std::pow(1 - p / 2, 8))) <
        4.5 * risk.error);
}

TEST_CASE("for laws with a nugget, heavy tails and a warp, draws lie between the bounds") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto law = with_warp(
        with_residual(with_nugget(random_law<float, 1>(2, Grid<1>{{6}}, 2, 3, seed), seed + 9), StudentT(5)),
        AsinhWarp({0.5, 2}));
    for (Index s = 0; s < 2; ++s) {
      const Maximum largest = maximum(law, s, {.draws = 20000, .seed = seed});
      for (const double p : {0.1, 0.5, 0.99}) {
        const double c = largest.quantile(p);
        const Estimate risk = largest.exceedance(c);
        CHECK(risk.value == doctest::Approx(1 - p).scale(0).epsilon(0.01));
        const RiskBounds bounds = risk_bounds(law, s, c);
        CHECK(bounds.lower <= risk.value + 5 * risk.error);
        CHECK(bounds.upper >= risk.value - 5 * risk.error);
      }
    }
  }
}

TEST_CASE("where bounds are close nothing is drawn; elsewhere the estimate stays between them") {
  const auto law = independent(4, 1);
  const MaximumOptions none{.draws = 0};  // drawing would be refused
  CHECK(risk_anywhere(law, 0, 30, none).value < 1e-6);
  CHECK(risk_anywhere(law, 0, -1, none).value == 1);
  CHECK_THROWS_AS(risk_anywhere(law, 0, 1, none), Error);
  const RiskBounds bounds = risk_bounds(law, 0, 1);
  const Estimate few = risk_anywhere(law, 0, 1, {.draws = 3});
  CHECK(few.value >= bounds.lower);
  CHECK(few.value <= bounds.upper);
  CHECK(few.error > 0.1);
}

TEST_CASE("the same numbers for every sample and threshold, others for another seed") {
  Field<double, 1> mean(2, Grid<1>{{4}}, 1), factor(2, Grid<1>{{4}}, 2);
  for (double& x : mean.span()) x = 1;
  for (double& x : factor.span()) x = 0.5;
  const Law<double, 1> law(std::move(mean), std::move(factor));
  const Maximum a = maximum(law, 0), b = maximum(law, 1), c = maximum(law, 0, {.seed = 1});
  CHECK(std::equal(a.sorted().begin(), a.sorted().end(), b.sorted().begin()));
  CHECK_FALSE(std::equal(a.sorted().begin(), a.sorted().end(), c.sorted().begin()));
  CHECK(a.exceedance(1).value >= a.exceedance(1.5).value);
  CHECK(sentence([&] { maximum(law, 0, {.region = {4}}); }).find("entries below 4") != std::string::npos);
  CHECK(sentence([&] { maximum(law, 2); }).find("below the law's batch, 2") != std::string::npos);
}

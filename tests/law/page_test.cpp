// What docs/laws.md shows, as it is shown there.
#include <doctest/doctest.h>

#include "mno/law/any_residual.hpp"
#include "mno/law/any_warp.hpp"
#include "mno/law/conditioning.hpp"
#include "mno/law/coordinates.hpp"
#include "mno/law/density.hpp"
#include "mno/law/distance.hpp"
#include "mno/law/functional.hpp"
#include "mno/law/marginal_crps.hpp"
#include "mno/law/maximum.hpp"
#include "mno/law/mixture.hpp"
#include "mno/law/mixture_marginal.hpp"
#include "mno/law/sample.hpp"
#include "support.hpp"

using namespace mno::testing;

TEST_CASE("questions to a law") {
  const auto [mean, factor, nugget] = [] {
    auto law = with_nugget(random_law<double, 1>(1, mno::Grid<1>{{32}}, 1, 4, 1), 2, 0.3);
    return std::tuple(law.mean, law.factor, law.nugget);
  }();
  // [law]
  const mno::Law<double, 1> law(mean, factor, nugget);            // N(m, BᵀB + diag η²)
  const auto heavy = mno::with_residual(law, mno::StudentT(5));   // the same moments, heavier tails
  const auto positive = mno::with_warp(law, mno::LogWarp{});      // u = e^z: log-normal
  const auto decades = mno::with_warp(law, mno::AsinhWarp(0.1));  // u = 0.1 sinh(z)
  // [law] end
  CHECK(mno::variance(heavy)(0, 3, 0) == mno::variance(law)(0, 3, 0));
  CHECK(mno::quantile(heavy, 0.999)(0, 3, 0) > mno::quantile(law, 0.999)(0, 3, 0));
  CHECK(mno::quantile(positive, 1e-9)(0, 3, 0) > 0);
  CHECK(mno::quantile(decades, 0.5)(0, 3, 0) == doctest::Approx(0.1 * std::sinh(law.mean(0, 3, 0))).scale(0));

  // [ask]
  const auto draws = mno::sample(positive, /*count=*/100, /*seed=*/7);
  const auto average = mno::mean(positive);                        // in the user's units; positive.mean is m
  const auto [low, high] = mno::interval(positive, 0.9);           // exact: w increases
  const auto score = mno::crps(positive, average);                 // of every entry against a value
  const double likelihood = mno::log_density(heavy, law.mean)[0];  // the nugget makes it one
  // [ask] end
  CHECK(std::ranges::min(draws.span()) > 0);
  CHECK(average(0, 3, 0) ==
        doctest::Approx(std::exp(law.mean(0, 3, 0) + mno::variance(law)(0, 3, 0) / 2)).scale(0));
  CHECK(low(0, 3, 0) < high(0, 3, 0));
  CHECK(score(0, 3, 0) > 0);
  CHECK(std::isfinite(likelihood));

  // [own]
  const auto gamma = mno::covariance(mno::unwarped(positive), /*sample=*/0);  // of log u
  const std::vector<mno::Observation> seen{{.point = 5, .channel = 0, .value = std::log(2.0)}};
  const auto known = mno::with_warp(mno::condition(law, 0, seen, /*noise_variance=*/0), mno::LogWarp{});
  // [own] end
  CHECK(gamma.trace() > 0);
  CHECK(mno::quantile(known, 0.9)(0, 5, 0) == doctest::Approx(2).scale(0));

  const auto other = random_law<double, 1>(1, mno::Grid<1>{{32}}, 1, 4, 5);
  // [event]
  const mno::Maximum largest = mno::maximum(positive, /*sample=*/0);  // of |u| over all points, by draws
  const mno::Estimate risk = largest.exceedance(10);                  // P(max |u| ≥ 10), ± risk.error
  const double high_water = largest.quantile(0.99);                   // what it exceeds once in a hundred
  const mno::Estimate rare = mno::risk_anywhere(positive, 0, 1e6);    // by bounds alone, if they are close
  // [event] end
  CHECK(risk.value > rare.value);
  CHECK(risk.error > 0);
  CHECK(largest.exceedance(high_water).value == doctest::Approx(0.01).scale(0).epsilon(0.05));
  CHECK(rare.error < 1e-3);

  // [ensemble]
  const mno::Mixture<double, 1> models({law, other});            // either, each as likely
  const auto [aleatoric, epistemic] = mno::uncertainty(models);  // they add up to mno::variance(models)
  const mno::Law<double, 1> moments = mno::moment_law(models);   // same mean and Γ, rank 4 + 4 + 1
  const auto of_either = mno::sample(models, 100, /*seed=*/7);
  const auto middle = mno::quantile(models, 0.5);
  // [ensemble] end
  CHECK(moments.rank() == 9);
  CHECK(aleatoric(0, 3, 0) + epistemic(0, 3, 0) == doctest::Approx(mno::variance(moments)(0, 3, 0)).scale(0));
  CHECK(of_either.batch() == 100);
  CHECK(std::isfinite(middle(0, 3, 0)));

  // [text]
  const mno::AnyResidual residual = mno::AnyResidual::parse("student_t 5");
  const mno::AnyWarp warp = mno::AnyWarp::parse("asinh 0.1");
  const auto chosen = mno::with_warp(mno::with_residual(law, residual), warp);
  // [text] end
  CHECK(chosen.residual.text() == "student_t 5");
  CHECK(chosen.warp.text() == "asinh 0.1");
  CHECK(mno::quantile(chosen, 0.9)(0, 3, 0) ==
        doctest::Approx(0.1 * std::sinh(mno::quantile(heavy, 0.9)(0, 3, 0))).scale(0).epsilon(1e-12));
}

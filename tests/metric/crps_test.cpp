// CRPS: the closed form against its integral, and by draws against the closed form, without bias.
#include "mno/metric/crps.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/law/residual/laplace.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// ∫ (F(x) − 1{x ≥ u})² dx by the midpoint rule on either side of u.
template <class Cdf> double integrated_crps(Cdf&& cdf, double u, double reach) {
  const int steps = 20000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * reach / steps;
    sum += std::pow(cdf(u - x), 2) + std::pow(1 - cdf(u + x), 2);
  }
  return sum * reach / steps;
}

double by_draws(const metric::Members& draws, const metric::Members& members) {
  metric::SampleCrps metric;
  metric.add(draws, members);
  return metric.value();
}

}  // namespace

TEST_CASE("the Gaussian closed form is the integral of squared differences of distribution functions") {
  for (const double u : {-3.0, -0.4, 0.0, 1.0, 5.0}) {
    const auto cdf = [](double x) { return Gaussian{}.cdf((x - 0.3) / 1.7); };
    CHECK(mno::gaussian_crps(0.3, 1.7, u).value ==
          doctest::Approx(integrated_crps(cdf, u, 30)).epsilon(1e-6));
  }
  CHECK(mno::gaussian_crps(0, 1, 0).value == doctest::Approx(0.2336949772).epsilon(1e-9));  // (√2 − 1)/√π
}

TEST_CASE("without spread it is the absolute error, and it tends there") {
  CHECK(mno::gaussian_crps(1, 0, 3.5).value == 2.5);
  CHECK(mno::gaussian_crps(1, 1e-9, 3.5).value == doctest::Approx(2.5).epsilon(1e-8));
}

TEST_CASE("members are averaged at every entry") {
  metric::Crps metric;
  metric.add({Eigen::Vector2d(0, 1), Eigen::Vector2d(0, 4)},
             (metric::Members(2, 2) << 1, -3, 0, 2).finished());
  const double expected = (1 + 3 + 2 * mno::gaussian_crps(1, 2, 2).value) / 4;
  CHECK(metric.value() == doctest::Approx(expected).epsilon(1e-15));
}

TEST_CASE("every condition counts alike, whatever its number of members") {
  metric::Crps metric;
  metric::SampleCrps by_draws;
  const metric::Members draws = (metric::Members(1, 2) << -1, 1).finished();
  for (const metric::Members& members :
       {(metric::Members(1, 1) << 3).finished(), (metric::Members(1, 3) << 0, 0, 0).finished()}) {
    metric.add({Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)}, members);  // |u|: 3, then 0
    by_draws.add(draws, members);                                               // 3 − 1, then 1 − 1
  }
  CHECK(metric.value() == 1.5);
  CHECK(by_draws.value() == 1);
}

TEST_CASE("draws by hand, also where a member equals a draw") {
  // draws 0, 1, 4; E|x − u| − Σ_{i<j}|x_i − x_j|/6, the pairs being 1 + 4 + 3
  const metric::Members draws = (metric::Members(1, 3) << 4, 0, 1).finished();
  CHECK(by_draws(draws, metric::Members::Constant(1, 1, 1)) ==
        doctest::Approx(4.0 / 3 - 8.0 / 6).epsilon(1e-15));
  CHECK(by_draws(draws, metric::Members::Constant(1, 1, 6)) ==
        doctest::Approx(13.0 / 3 - 8.0 / 6).epsilon(1e-15));
  CHECK(by_draws(draws, metric::Members::Constant(1, 1, -2)) ==
        doctest::Approx(11.0 / 3 - 8.0 / 6).epsilon(1e-15));
}

TEST_CASE("draws are without bias even if they are few, for Gaussian and other laws") {
  Stream stream(1);
  const double u = 0.8;
  const metric::Members truth = metric::Members::Constant(1, 1, u);
  Repeats gaussian, laplace;
  for (int repeat = 0; repeat < 40000; ++repeat) {
    gaussian.add(by_draws(normal_ensemble(1, 3, stream, 0.3, 1.7), truth));
    laplace.add(
        by_draws(ensemble(1, 3, stream, [](Stream& s) { return Laplace{}.quantile(s.uniform()); }), truth));
  }
  CHECK(gaussian.z(mno::gaussian_crps(0.3, 1.7, u).value) < critical);
  CHECK(laplace.z(integrated_crps([](double x) { return Laplace{}.cdf(x); }, u, 30)) < critical);
  CHECK(laplace.z(mno::gaussian_crps(0, 1, u).value) > critical);  // it sees the law's shape
}

TEST_CASE("an offset shifts nothing") {
  Stream stream(2);
  const metric::Members draws = normal_ensemble(3, 20, stream), members = normal_ensemble(3, 11, stream);
  const double offset = 1048576;
  const double moved = by_draws((draws.array() + offset).matrix(), (members.array() + offset).matrix());
  CHECK(moved == doctest::Approx(by_draws(draws, members)).epsilon(1e-8));
}

TEST_CASE("the truth scores best") {
  Stream stream(3);
  const metric::Members members = normal_ensemble(1, 20000, stream);
  const auto score = [&](double mean, double variance) {
    metric::Crps metric;
    metric.add({Eigen::VectorXd::Constant(1, mean), Eigen::VectorXd::Constant(1, variance)}, members);
    return metric.value();
  };
  for (const auto& [mean, variance] : {std::pair{0.3, 1.0}, {-0.3, 1.0}, {0.0, 2.0}, {0.0, 0.5}, {0.0, 0.0}})
    CHECK(score(0, 1) < score(mean, variance));
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] { by_draws(metric::Members::Zero(1, 1), metric::Members::Zero(1, 1)); }) ==
        "mno::metric::SampleCrps: argument 'draws': expected at least two, for their own spread, got 1.");
  CHECK(sentence([] {
          metric::Crps{}.add(metric::point_mass(Eigen::Vector2d(0, 0)), metric::Members::Zero(1, 1));
        }) == "mno::metric::Crps: argument 'members': expected 2 entries as the model has, got 1.");
}

// Coverage by hand, and at its level for members of the law itself.
#include "mno/metric/coverage.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

constexpr Index count = 200000;

/// The largest |z| over the levels of the hypothesis that members are covered as often as promised.
template <class R> double worst_z(const R& residual, const metric::Members& members) {
  metric::Coverage coverage({0.5, 0.8, 0.9, 0.95});
  const Grid<1> one{{1}};
  Field<double, 1> mean(1, one, 1), factor(1, one, 1);
  mean(0, 0, 0) = 2;
  factor(0, 0, 0) = 3;
  coverage.add(with_residual(Law<double, 1>(mean, factor), residual), 0, members);
  double worst = 0;
  const auto fractions = coverage.value();
  for (std::size_t l = 0; l < fractions.size(); ++l) {
    const double p = coverage.levels()[l];
    worst = std::max(worst, std::abs(fractions[l] - p) / std::sqrt(p * (1 - p) / double(count)));
  }
  return worst;
}
template <class R> metric::Members draws(const R& residual) {
  Stream stream(1);
  return ensemble(1, count, stream, [&](Stream& s) { return 2 + 3 * residual.quantile(s.uniform()); });
}

}  // namespace

TEST_CASE("by hand, per condition and in all") {
  metric::Coverage coverage({0.5, 0.95});  // ±0.674 and ±1.960
  const metric::Moments model{Eigen::Vector2d(0, 1), Eigen::Vector2d(1, 4)};
  coverage.add(model, (metric::Members(2, 2) << 0.5, -1, 2.5, 4.8).finished());
  coverage.add(model, (metric::Members(2, 2) << 0, 0, 9, 9).finished());
  using Fractions = std::vector<std::vector<double>>;
  CHECK(coverage.per_condition() == Fractions{{0.25, 1.0}, {0.5, 0.5}});
  CHECK(coverage.value() == std::vector<double>{0.375, 0.75});
  CHECK(metric::Coverage{}.levels() == std::vector<double>{0.5, 0.8, 0.9, 0.95});
}

TEST_CASE("a point mass covers what equals it") {
  metric::Coverage coverage({0.9});
  coverage.add(metric::point_mass(Eigen::VectorXd::Constant(1, 3)),
               (metric::Members(1, 4) << 3, 3, 3, 4).finished());
  CHECK(coverage.value() == std::vector<double>{0.75});
}

TEST_CASE("members of the law are covered as promised, under every residual law") {
  const double limit = critical_z(false_alarm, 4);
  CHECK(worst_z(Gaussian{}, draws(Gaussian{})) < limit);
  CHECK(worst_z(Laplace{}, draws(Laplace{})) < limit);
  CHECK(worst_z(StudentT(4), draws(StudentT(4))) < limit);
  CHECK(worst_z(Gaussian{}, draws(Laplace{})) > limit);  // the same variance is not enough
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] {
          metric::Coverage({0.5, 1.0});
        }) ==
        "mno::metric::Coverage: argument 'levels': expected probabilities strictly between 0 and 1, got 1.");
  CHECK(sentence([] { metric::Coverage(std::vector<double>{}); }) ==
        "mno::metric::Coverage: argument 'levels': expected at least one level, got none.");
  CHECK(sentence([] {
          metric::Coverage{}.add(metric::point_mass(Eigen::Vector2d(0, 0)), metric::Members::Zero(3, 1));
        }) == "mno::metric::Coverage: argument 'members': expected 2 entries as the model has, got 3.");
}

// Of 20000 members a fraction p lies inside, up to four deviations of .0035.
TEST_CASE("order statistics of draws cover what they should, at the levels that so many draws can tell") {
  for (const Index draws : {3, 9, 20, 39}) {
    Stream stream(std::uint64_t(draws), 5);
    metric::SampleCoverage coverage;
    for (int condition = 0; condition < 200; ++condition)
      coverage.add(normal_ensemble(100, draws, stream, 0.3, 2), normal_ensemble(100, 1, stream, 0.3, 2));
    const auto levels = coverage.value();
    CHECK(levels.size() == (draws == 3 ? 1u : draws == 9 ? 2u : draws == 20 ? 3u : 4u));
    for (const auto& [level, inside] : levels) CHECK(std::abs(inside - level) < 0.014);
  }
}

TEST_CASE("by hand: three draws tell the half, between the first and the last") {
  metric::SampleCoverage coverage;
  coverage.add(metric::Members{{2, 0, 1}}, metric::Members{{-0.1, 0, 1.5, 2.1}});
  CHECK(coverage.value() == std::vector<std::pair<double, double>>{{0.5, 0.5}});
}

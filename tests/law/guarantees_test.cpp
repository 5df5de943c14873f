// What every law promises, with and without a nugget, under every residual law and every warp: Γ is positive
// semidefinite and BᵀB of rank ≤ r; draws are centred in the law's own coordinates; without spread the law is
// a point; quantiles, cdf, exceedance, mean and variance are those of its draws.
//
// Seeds are fixed: the verdict is the same each time. A fresh seed would fail by chance once in a million
// runs of a test case, by Bonferroni's bound over its comparisons.
#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "mno/law/any_residual.hpp"
#include "mno/law/any_warp.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/marginal_crps.hpp"
#include "mno/law/quantile.hpp"
#include "mno/law/sample.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

using AnyLaw = Law<double, 1, AnyResidual, AnyWarp>;

const std::vector<AnyResidual> residuals{
    Gaussian{},        StudentT(12), Laplace{}, CompoundPoisson(8), ScaleMixture({0.2, 0.8}, {3, 0.5}),
    TwoModes(0.3, 0.9)};
const std::vector<AnyWarp> warps{Unwarped{}, LogWarp{}, AsinhWarp({0.4, 2})};

/// Of two channels, with a spread for which every law has the moments that are compared.
AnyLaw any_law(Index points, Index rank, std::uint64_t seed, bool nugget, const AnyResidual& residual,
               const AnyWarp& warp) {
  auto law = random_law<double, 1>(1, {{points}, {}}, 2, rank, seed);
  for (double& b : law.factor.span()) b *= 0.2 / std::sqrt(double(rank));
  if (nugget) law = with_nugget(law, seed + 1, 0.15);
  return with_warp(with_residual(law, residual), warp);
}
template <class F> void for_each_law(F&& f) {
  for (const AnyResidual& residual : residuals)
    for (const AnyWarp& warp : warps)
      for (const bool nugget : {false, true}) {
        CAPTURE(residual.text());
        CAPTURE(warp.text());
        CAPTURE(nugget);
        f(any_law(3, 2, 7, nugget, residual, warp));
      }
}
/// A Student t has no moments under a warp.
bool has_moments(const AnyLaw& law) {
  return law.warp.identity() || !std::holds_alternative<StudentT>(law.residual.held());
}
constexpr double laws = 36, false_alarm = 1e-6;

}  // namespace

TEST_CASE("the covariance in the law's own coordinates is positive semidefinite, its factor of rank r") {
  CHECK(for_any("any residual law and warp", [] {
    const Index points = any_in<Index>(1, 8), rank = any_in<Index>(1, 6);
    const auto law =
        any_law(points, rank, any_in<std::uint64_t>(1, 100000), any_bool(), one_of(residuals), one_of(warps));
    const auto gamma = covariance(unwarped(law), 0);
    const Eigen::MatrixXd dense = gamma.dense();
    const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    HOLDS(eigenvalues.minCoeff() >= -1e-13 * dense.norm());
    HOLDS(gamma.rank_bound() <= rank);
    HOLDS((gamma.diagonal() - flat(variance(unwarped(law)), 0)).norm() <= 1e-13 * dense.norm());
  }));
}

TEST_CASE("where factor and nugget are zero the law is the point w(m), to the last bit") {
  CHECK(for_any("any residual law and warp", [] {
    auto law = any_law(4, 2, any_in<std::uint64_t>(1, 100000), true, one_of(residuals), one_of(warps));
    for (double& b : law.factor.span()) b = 0;
    for (double& eta : law.nugget.span()) eta = 0;
    auto point = law.mean;
    to_user_units(point, law.warp);
    const double p = double(any_in(1, 100)) / 100;
    HOLDS(std::ranges::equal(quantile(law, p).span(), point.span()));
    HOLDS(std::ranges::equal(mean(law).span(), point.span()));
    const auto spread = variance(law), score = crps(law, point);
    for (const double v : spread.span()) HOLDS(v == 0);
    for (const double s : score.span()) HOLDS(s == 0);
    const auto draws = sample(law, 3, 5);
    for (Index j = 0; j < 3; ++j) HOLDS(flat(draws, j) == flat(point, 0));
    const auto above = exceedance(law, 1e9), below = exceedance(law, -1e9);
    for (const double q : above.span()) HOLDS(q == 0);
    for (const double q : below.span()) HOLDS(q == 1);
  }));
}

TEST_CASE("the risk of exceeding a quantile is what the quantile says, through every warp") {
  CHECK(for_any("any residual law and warp", [] {
    const auto law =
        any_law(4, 3, any_in<std::uint64_t>(1, 100000), any_bool(), one_of(residuals), one_of(warps));
    const double p = one_of({0.01, 0.2, 0.45, 0.7, 0.999});  // outside of the atom, 3e-4
    const auto at = quantile(law, p), risk = exceedance(law, at), below = cdf(law, at);
    for (const double q : risk.span()) HOLDS(std::abs(q - (1 - p)) < 1e-9);
    for (const double q : below.span()) HOLDS(std::abs(q - p) < 1e-9);
  }));
}

TEST_CASE("draws are centred in the law's own coordinates, and have mean and variance of the user's units") {
  const Index count = 40000;
  for_each_law([&](const AnyLaw& law) {
    const double critical = critical_z(false_alarm, Index(laws) * law.size() * 3);
    const auto u = sample(law, count, 11);
    const auto compare = [&](double expected, Index entry, auto value) {
      double sum = 0, square = 0;
      for (Index j = 0; j < count; ++j) {
        const double x = value(flat(u, j)[entry]);
        sum += x;
        square += x * x;
      }
      const double n = double(count), average = sum / n;
      CHECK(std::abs(average - expected) < critical * std::sqrt((square / n - average * average) / n));
    };
    for (Index e = 0; e < law.size(); ++e)
      compare(law.mean.data()[e], e, [&](double x) { return law.warp.inverse(x, e % 2); });
    if (!has_moments(law)) return;
    const auto m = mean(law), v = variance(law);
    for (Index e = 0; e < law.size(); ++e) {
      compare(m.data()[e], e, [](double x) { return x; });
      compare(v.data()[e], e, [&](double x) { return std::pow(x - m.data()[e], 2); });
    }
  });
}

TEST_CASE("draws follow the cdf of their marginals: Kolmogorov–Smirnov on every law") {
  const Index count = 20000;  // the atom of 3e-4 moves the statistic by less than 0.05
  for_each_law([&](const AnyLaw& law) {
    const auto u = sample(law, count, 12);
    for (Index e = 0; e < law.size(); ++e) {
      std::vector<double> draws;
      for (Index j = 0; j < count; ++j) draws.push_back(flat(u, j)[e]);
      const auto one = marginal(law, 0, e / 2, e % 2);
      CHECK(ks_statistic(draws, [&](double a) { return one.cdf(a); }) <
            critical_ks(false_alarm / (laws * double(law.size()))));
    }
  });
}

TEST_CASE("a forgotten nugget, a forgotten warp and another residual law would be noticed") {
  const auto statistic = [](const AnyLaw& drawn, const AnyLaw& claimed) {
    const auto u = sample(drawn, 20000, 12);
    std::vector<double> draws;
    for (Index j = 0; j < 20000; ++j) draws.push_back(flat(u, j)[2]);
    const auto one = marginal(claimed, 0, 1, 0);
    return ks_statistic(draws, [&](double a) { return one.cdf(a); });
  };
  const auto law = any_law(3, 2, 7, true, Laplace{}, LogWarp{});
  auto without = law;
  without.nugget = {};
  const double critical = critical_ks(false_alarm / (laws * 6));
  CHECK(statistic(law, law) < critical);
  CHECK(statistic(law, without) > critical);
  CHECK(statistic(law, with_warp(law, AnyWarp())) > critical);
  CHECK(statistic(law, with_residual(law, AnyResidual())) > critical);
}

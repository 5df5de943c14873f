// Linear functionals: mean, covariance and risk follow from Bw; one weight means the same on every grid.
#include "mno/law/functional.hpp"

#include <doctest/doctest.h>

#include "mno/law/covariance.hpp"
#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("mean and covariance of several functionals equal the dense ones") {
  CHECK(for_any("2D", [] {
    const Grid<2> grid{{any_in<Index>(1, 5), any_in<Index>(1, 5)}, {{2.0, 0.5}}};
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const Index channels = any_in<Index>(1, 4), q = any_in<Index>(1, 5);
    auto law = random_law<double, 2>(2, grid, channels, any_in<Index>(1, 6), seed);
    if (any_bool()) law = with_nugget(law, seed + 3);
    Field<double, 2> weights(q, grid, channels);
    fill_normal(weights, seed + 9);
    const Eigen::Map<const Eigen::MatrixXd> w(weights.data(), law.size(), q);
    const auto joint = functionals(law, 1, weights);
    const Eigen::VectorXd mean = grid.cell() * w.transpose() * flat(law.mean, 1);
    const Eigen::MatrixXd gamma = grid.cell() * grid.cell() * w.transpose() * covariance(law, 1).dense() * w;
    HOLDS(joint.count() == q && joint.factor.rows() == law.rank());
    HOLDS((joint.mean - mean).norm() <= 1e-12 * (1 + mean.norm()));
    HOLDS((joint.covariance() - gamma).norm() <= 1e-12 * (1 + gamma.norm()));
    for (Index i = 0; i < q; ++i) {
      const auto one = joint.marginal(i);
      HOLDS(one.mean == joint.mean[i]);
      HOLDS(std::abs(one.sd * one.sd - gamma(i, i)) <= 1e-12 * (1 + gamma.norm()));
    }
  }));
}

TEST_CASE("one weight is the same functional on every grid") {
  const auto average = [](Index n) {
    const Grid<1> grid{{n}, {{2.0}}};
    Field<double, 1> mean(1, grid, 1), factor(1, grid, 1), weight(1, grid, 1);
    mean.fill([](auto x, Index) { return 1 + std::cos(std::numbers::pi * x[0]); });
    factor.fill([](auto x, Index) { return 3 + std::sin(std::numbers::pi * x[0]); });
    weight.fill([](auto, Index) { return 0.5; });
    return functional(Law<double, 1>(mean, factor), 0, weight);
  };
  for (const Index n : {8, 16, 64}) {
    CHECK(average(n).mean == doctest::Approx(1).epsilon(1e-14));
    CHECK(average(n).sd == doctest::Approx(3).epsilon(1e-14));
  }
}

TEST_CASE("the law of a functional is that of the functional of samples") {
  // Kolmogorov–Smirnov at a false-alarm rate of 1e-6 for each residual law.
  const Index count = 20000;
  const auto law = with_nugget(random_law<double, 1>(1, {{6}, {}}, 2, 4, 31), 33);
  Field<double, 1> weight(1, law.grid(), 2);
  fill_normal(weight, 32);
  const auto values = [&](const auto& residual) {
    const auto u = sample(with_residual(law, residual), count, 5);
    std::vector<double> result;
    for (Index j = 0; j < count; ++j) {
      const double value = law.grid().cell() * flat(weight, 0).dot(flat(u, j));
      result.push_back(value);
    }
    return result;
  };
  const auto statistic = [&](const auto& drawn, const auto& claimed) {
    const auto one = functional(with_residual(law, claimed), 0, weight);
    return ks_statistic(values(drawn), [&](double a) { return one.cdf(a); });
  };
  CHECK(statistic(Gaussian{}, Gaussian{}) < critical_ks(1e-6));
  CHECK(statistic(Laplace{}, Laplace{}) < critical_ks(1e-6));
  CHECK(statistic(StudentT(3), StudentT(3)) < critical_ks(1e-6));
  CHECK(statistic(CompoundPoisson(20), CompoundPoisson(20)) < critical_ks(1e-6));  // an atom of 2e-9
  CHECK(statistic(Laplace{}, Gaussian{}) > critical_ks(1e-6));
}

TEST_CASE("quantile and exceedance of one functional agree, and no spread is a point mass") {
  const auto law = with_residual(random_law<double, 1>(1, {{6}, {}}, 1, 4, 31), Laplace{});
  Field<double, 1> weight(1, law.grid(), 1);
  const auto nothing = functional(law, 0, weight);
  CHECK(nothing.sd == 0);
  CHECK(nothing.exceedance(0) == 0);
  CHECK(nothing.quantile(0.9) == 0);
  fill_normal(weight, 32);
  const auto one = functional(law, 0, weight);
  CHECK(one.exceedance(one.quantile(0.95)) == doctest::Approx(0.05).epsilon(1e-12));
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<double, 1>(1, {{6}, {}}, 2, 4, 31);
  CHECK(sentence([&] {
          functionals(law, 0, Field<double, 1>(1, {{5}, {}}, 2));
        }) ==
        "mno::functionals: argument 'weights': expected grid 6 and its domain, 2 channels, got grid 5, 2 "
        "channels.");
  CHECK(sentence([&] {
          functional(law, 0, Field<double, 1>(2, {{6}, {}}, 2));
        }) == "mno::functional: argument 'weight': expected one weight field, got a batch of 2.");
  CHECK(sentence([&] {
          functionals(law, 3, Field<double, 1>(1, {{6}, {}}, 2));
        }) == "mno::functionals: argument 'sample': expected an index below the law's batch, 1, got 3.");
  CHECK(sentence([&] {
          functionals(law, 0, Field<double, 1>(1, {{6}, {}}, 2)).marginal(1);
        }) == "mno::marginal: argument 'i': expected an index below 1, got 1.");
}

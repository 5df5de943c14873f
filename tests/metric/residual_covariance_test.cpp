// A law whose covariance does not depend on the condition: what the residuals of any mean have in common.
#include "mno/metric/residual_covariance.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "metric/support.hpp"
#include "mno/law/distance.hpp"
#include "mno/metric/references.hpp"
#include "mno/metric/scorecard.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

const Grid<1> grid{{6}};
constexpr Index channels = 2, n = 12;

/// Means 0 and members with a mean error of their own in every condition.
struct Data {
  Field<double, 1> means;
  std::vector<metric::Members> members;

  Data(Index conditions, Index each) : means(conditions, grid, channels) {
    Stream random(3);
    for (Index s = 0; s < conditions; ++s) {
      for (Index i = 0; i < n; ++i) means.data()[s * n + i] = random.normal();
      metric::Members u = normal_ensemble(n, each, random);
      for (Index j = 0; j < each; ++j) {
        const double common = random.normal();  // a factor, larger at one end and in one channel
        for (Index i = 0; i < n; ++i) u(i, j) += means.data()[s * n + i] + common * double(i) + 2;
      }
      members.push_back(std::move(u));
    }
  }
  metric::Residuals<double, 1> residuals() const {
    metric::Residuals<double, 1> all(grid, channels);
    for (std::size_t s = 0; s < members.size(); ++s) all.add(means, Index(s), members[s]);
    return all;
  }
  /// Σ (u − m)(u − m)ᵀ over all, as it is written.
  Eigen::MatrixXd second_moment() const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t s = 0; s < members.size(); ++s)
      for (Index j = 0; j < members[s].cols(); ++j) {
        const Eigen::VectorXd e = members[s].col(j) - flat(means, Index(s));
        sum += e * e.transpose() / double(members[s].cols()) / double(members.size());
      }
    return sum;
  }
};

}  // namespace

TEST_CASE("all factors give the second moment of the residuals, whether there are few of them or many") {
  for (const auto& [conditions, each] : {std::pair<Index, Index>{7, 1}, {3, 4}, {40, 3}}) {
    CAPTURE(conditions);
    const Data data(conditions, each);
    const auto law = data.residuals().covariance(n).around(data.means);
    CHECK(law.batch() == conditions);
    const Eigen::MatrixXd expected = data.second_moment();
    for (const Index s : {Index(0), conditions - 1}) {
      CHECK((covariance(law, s).dense() - expected).norm() < 1e-10 * expected.norm());
      CHECK(flat(law.mean, s) == flat(data.means, s));
    }
  }
}

TEST_CASE(
    "few factors leave the rest on the diagonal: variances stay, and no factor of that rank is nearer") {
  const Data data(40, 3);
  const Eigen::MatrixXd expected = data.second_moment();
  const auto law = data.residuals().covariance(1).around(data.means);
  CHECK((covariance(law, 5).diagonal() - expected.diagonal()).norm() < 1e-10 * expected.norm());
  const Eigen::MatrixXd factor = factor_matrix(law, 5);
  const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(expected).eigenvalues();
  CHECK((factor.transpose() * factor - expected).norm() ==
        doctest::Approx(eigenvalues.head(n - 1).norm()).epsilon(1e-9));  // Eckart and Young
  CHECK(distance(covariance(law, 0), covariance(law, 39)) == 0);         // whatever the condition
}

TEST_CASE("other data may set the size, per channel") {
  const Data data(40, 3);
  const auto own = data.residuals().covariance(2).around(data.means);
  const auto sized = data.residuals().covariance(2, {1, 50}).around(data.means);
  const auto gamma = covariance(sized, 0), before = covariance(own, 0);
  for (Index c = 0; c < channels; ++c) {
    double average = 0;
    for (Index i = c; i < n; i += channels) average += gamma(i, i) / 6;
    CHECK(average == doctest::Approx(c == 0 ? 1 : 50));
  }
  // The form stays: correlations do.
  const auto correlation = [](const auto& g, Index i, Index j) {
    return g(i, j) / std::sqrt(g(i, i) * g(j, j));
  };
  CHECK(correlation(gamma, 10, 11) == doctest::Approx(correlation(before, 10, 11)));
}

TEST_CASE("it is scored like any law, and correlated noise is what it knows and one variance does not") {
  const Data train(60, 8), test(30, 64);
  const auto residuals = train.residuals();
  metric::References<double, 1> one_variance;
  const Eigen::VectorXd diagonal = train.second_moment().diagonal();
  one_variance.residual_variance = {0, 0};
  for (Index i = 0; i < n; ++i) one_variance.residual_variance[std::size_t(i % channels)] += diagonal[i] / 6;
  const auto log_score = [&](const Law<double, 1>& law) {
    metric::Scorecard<1> card(grid, 64, {.metrics = {"log_score", "cov_frobenius_rel"}, .floors = false});
    for (std::size_t s = 0; s < test.members.size(); ++s) card.add(law, Index(s), {}, test.members[s]);
    return card.rows();
  };
  const auto factors = log_score(residuals.covariance(1).around(test.means)),
             constant = log_score(one_variance.constant_variance(test.means));
  REQUIRE(factors.size() == 2);
  CHECK(factors[0].value < constant[0].value - 1);    // nats per field
  CHECK(factors[1].value < 0.6 * constant[1].value);  // its covariance, relative to the ensemble's
}

TEST_CASE("what does not fit is refused") {
  metric::Residuals<double, 1> none(grid, channels);
  CHECK_THROWS_AS(none.covariance(1), Error);
  Field<double, 1> mean(1, grid, channels);
  CHECK_THROWS_AS(none.add(mean, 0, metric::Members::Zero(n - 1, 2)), Error);
  metric::Members wrong = metric::Members::Zero(n, 2);
  wrong(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(none.add(mean, 0, wrong), Error);
  none.add(mean, 0, metric::Members::Ones(n, 2));
  CHECK_THROWS_AS(none.covariance(0), Error);
  CHECK_THROWS_AS(none.covariance(1, {1}), Error);
}

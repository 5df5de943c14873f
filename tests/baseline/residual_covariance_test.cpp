// The covariance of residuals: a deterministic operator with it has the law of data whose spread is the same
// everywhere, and knows no other.
#include "mno/baseline/residual_covariance.hpp"

#include <doctest/doctest.h>

#include "mno/law/covariance.hpp"
#include "mno/law/sample.hpp"
#include "mno/metric/log_score.hpp"

using namespace mno;

namespace {

const Grid<1> grid{{6}, {{3.0}}};

/// m = 0, three factors of falling size, a nugget: two channels on six points.
Law<double, 1> law_of_residuals() {
  Field<double, 1> mean(1, grid, 2), factor(1, grid, 6), nugget(1, grid, 2);
  for (Index x = 0; x < 6; ++x)
    for (Index c = 0; c < 2; ++c) {
      for (Index k = 0; k < 3; ++k)
        factor(0, x, k * 2 + c) = std::cos(double((k + 1) * x) + 0.5 * double(c)) / double(1 + k);
      nugget(0, x, c) = 0.2 + 0.02 * double(x) + 0.1 * double(c);
    }
  return {mean, factor, nugget};
}

/// Residuals of so many draws around fields that differ from condition to condition.
baseline::Residuals<double, 1> residuals(Index count) {
  const auto draws = sample(law_of_residuals(), count, 3);
  baseline::Residuals<double, 1> all(grid, 2);
  Stream random(4);
  for (Index i = 0; i < count; ++i) {
    Field<double, 1> prediction(1, grid, 2);
    metric::Members measured = metric::members(draws.view().samples(i, 1));
    for (Index e = 0; e < 12; ++e) measured(e, 0) += prediction.data()[e] = random.normal();
    all.add(prediction, 0, measured);
  }
  return all;
}

}  // namespace

TEST_CASE("the covariance of residuals is that of the law they are drawn from") {
  const auto all = residuals(20000);
  const auto law = all.covariance(3).around(Field<double, 1>(2, grid, 2));
  CHECK(law.batch() == 2);
  CHECK(law.rank() == 3);
  const Eigen::MatrixXd truth = covariance(law_of_residuals(), 0).dense();
  for (const Index sample : {0, 1}) {
    const Eigen::MatrixXd found = covariance(law, sample).dense();
    CHECK((found - truth).norm() / truth.norm() < 0.03);
  }
  // Every point keeps its variance, however few factors there are.
  const auto few = metric::moments(all.covariance(1).around(Field<double, 1>(1, grid, 2)), 0);
  const auto many = metric::moments(law, 0);
  for (Index i = 0; i < 12; ++i) CHECK(few.variance[i] == doctest::Approx(many.variance[i]));
  const auto variance = all.variance();
  for (Index c = 0; c < 2; ++c) {
    double mean = 0;
    for (Index x = 0; x < 6; ++x) mean += many.variance[x * 2 + c] / 6;
    CHECK(variance[std::size_t(c)] == doctest::Approx(mean));
  }
}

TEST_CASE("it is wider by what it is told, channel by channel") {
  const auto before = residuals(200).covariance(2);
  auto after = before;
  after.widen(std::vector{1.0, 4.0});
  const Field<double, 1> none(1, grid, 2);
  const auto a = metric::moments(before.around(none), 0), b = metric::moments(after.around(none), 0);
  for (Index i = 0; i < 12; ++i) CHECK(b.variance[i] == doctest::Approx((i % 2 ? 4 : 1) * a.variance[i]));
}

TEST_CASE("a law with all of the factors still has a density") {
  const auto law = residuals(50).covariance(40).around(Field<double, 1>(1, grid, 2));
  metric::LogScore score;
  score.add(law, 0, metric::Members::Zero(12, 1));
  CHECK(std::isfinite(score.value()));
}

TEST_CASE("nothing comes of no residuals, or on another grid") {
  const baseline::Residuals<double, 1> none(grid, 2);
  CHECK_THROWS_WITH_AS(none.covariance(1), doctest::Contains("at least one condition"), Error);
  CHECK_THROWS_WITH_AS(residuals(5).covariance(1).around(Field<double, 1>(1, Grid<1>{{8}}, 2)),
                       doctest::Contains("2 channel(s) on"), Error);
}

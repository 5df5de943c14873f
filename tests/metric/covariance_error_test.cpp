// The relative error of covariances against dense matrices, and its sampling floor against the formula.
#include "mno/metric/covariance_error.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"
#include "mno/law/sample.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("the ensemble's covariance is that of its centred members, divided by M - 1") {
  const metric::Members u = (metric::Members(2, 3) << 1, 2, 6, 0, 3, 3).finished();
  // centred: −2 −1 3 and −2 1 1
  const Eigen::Matrix2d expected = (Eigen::Matrix2d() << 7, 3, 3, 3).finished();
  CHECK((metric::ensemble_covariance(u).dense() - expected).norm() < 1e-14);
}

TEST_CASE("equals the dense relative error, for more and for fewer members than entries") {
  const auto law = random_law<float, 1>(1, {{6}, {}}, 2, 3, 1);
  for (const Index count : {5, 40}) {
    Stream stream(2);
    const auto u = normal_ensemble(12, count, stream, 3);
    const Eigen::MatrixXd centred = u.colwise() - u.rowwise().mean();
    const Eigen::MatrixXd truth = centred * centred.transpose() / double(count - 1);
    const Eigen::MatrixXd model = covariance(law, 0).dense().cast<double>();
    metric::CovarianceError metric;
    metric.add(covariance(law, 0), u);
    CHECK(metric.value() == doctest::Approx((model - truth).norm() / truth.norm()).epsilon(1e-6));
  }
}

TEST_CASE(
    "an ensemble against itself has no error, against a zero law error 1, and conditions are averaged") {
  Stream stream(3);
  const auto u = normal_ensemble(5, 9, stream);
  metric::CovarianceError metric;
  metric.add((u.array() + 7).matrix(), u);  // an offset is no covariance
  CHECK(metric.value() < 1e-13);
  metric.add(covariance(Eigen::MatrixXd::Zero(2, 5)), u);
  CHECK(metric.value() == doctest::Approx(0.5).epsilon(1e-12));
}

TEST_CASE("the exact law has the error of the ensemble's sampling") {
  const auto law = random_law<double, 1>(1, {{8}, {}}, 1, 3, 4);
  const auto gamma = covariance(law, 0);
  const Index count = 50;
  Repeats squares;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto estimate = metric::ensemble_covariance(metric::members(sample(law, count, seed)));
    squares.add(std::pow(distance(gamma, estimate), 2));
  }
  const double trace = gamma.trace(), norm = gamma.frobenius_norm();
  CHECK(squares.z((trace * trace + norm * norm) / double(count - 1)) < critical);
}

TEST_CASE("misuse gives a sentence") {
  metric::CovarianceError metric;
  const auto gamma = covariance(Eigen::MatrixXd::Identity(2, 2));
  CHECK(sentence([&] { metric.add(gamma, metric::Members::Zero(3, 4)); }) ==
        "mno::metric::CovarianceError: argument 'members': expected 2 entries as the model has, got 3.");
  CHECK(sentence([&] { metric.add(gamma, metric::Members::Zero(2, 1)); }) ==
        "mno::metric::ensemble_covariance: argument 'ensemble': expected at least two members, got 1.");
}

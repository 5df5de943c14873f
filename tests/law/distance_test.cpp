// The distance of two covariances equals the dense one, for any two ranks, and keeps its digits where the two
// nearly coincide.
#include "mno/law/distance.hpp"

#include <doctest/doctest.h>

#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

/// ‖BᵀB − YᵀY‖_F entry by entry in extended precision.
double reference_distance(const Eigen::MatrixXd& b, const Eigen::MatrixXd& y) {
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Extended wide_b = b.cast<long double>(), wide_y = y.cast<long double>();
  const Extended difference = wide_b.transpose() * wide_b - wide_y.transpose() * wide_y;
  return double(difference.norm());
}

double gram_distance(const Eigen::MatrixXd& b, const Eigen::MatrixXd& y) {
  const double square = (b * b.transpose()).squaredNorm() - 2 * (b * y.transpose()).squaredNorm() +
                        (y * y.transpose()).squaredNorm();
  return std::sqrt(std::max(0.0, square));
}

}  // namespace

TEST_CASE("equals the dense distance for any ranks and sizes") {
  CHECK(for_any("distance", [] {
    const Index n = any_in<Index>(1, 30);
    const Index r = any_in<Index>(1, 9), q = any_in<Index>(1, 9);
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const Eigen::MatrixXd b = random_matrix(r, n, seed), y = random_matrix(q, n, seed + 1);
    const double expected = reference_distance(b, y);
    const double scale = (b.transpose() * b).norm();
    HOLDS(std::abs(distance(covariance(b), covariance(y)) - expected) <= 1e-13 * (scale + expected));
    HOLDS(distance(covariance(b), covariance(b)) == 0);
  }));
}

TEST_CASE("keeps twelve digits for nearly equal covariances, where the Gram formula does not") {
  for (const double gap : {1e-3, 1e-5, 1e-7}) {
    CAPTURE(gap);
    const Eigen::MatrixXd b = random_matrix(6, 80, 1), y = b + gap * random_matrix(6, 80, 2);
    const double expected = reference_distance(b, y);
    CHECK(std::abs(distance(covariance(b), covariance(y)) / expected - 1) < 1e-12);
    CHECK(std::abs(gram_distance(b, y) / expected - 1) > 1e-12);
  }
  const Eigen::MatrixXd b = random_matrix(6, 80, 1), y = b + 1e-7 * random_matrix(6, 80, 2);
  CHECK(std::abs(gram_distance(b, y) / reference_distance(b, y) - 1) > 1e-4);
}

TEST_CASE("with nuggets it equals the dense distance") {
  CHECK(for_any("distance", [] {
    const Index n = any_in<Index>(1, 30);
    const Index r = any_in<Index>(1, 6), q = any_in<Index>(1, 6);
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const Eigen::MatrixXd b = random_matrix(r, n, seed), y = random_matrix(q, n, seed + 1);
    const Eigen::VectorXd eta = random_matrix(n, 1, seed + 2);
    Eigen::VectorXd other;
    if (any_bool()) other = random_matrix(n, 1, seed + 3);
    const Covariance<double> first(b, eta), second(y, other);
    const double expected = (first.dense() - second.dense()).norm();
    HOLDS(std::abs(distance(first, second) - expected) <= 1e-12 * (1 + first.frobenius_norm() + expected));
    HOLDS(std::abs(distance(second, first) - expected) <= 1e-12 * (1 + first.frobenius_norm() + expected));
    HOLDS(distance(first, first) == 0);
  }));
}

TEST_CASE("a nugget that makes up for a factor leaves a distance of rounding, not of its root") {
  // Two factors that see every entry alone: BᵀB is diagonal, and is the other's nugget.
  const Index n = 40;
  const Eigen::VectorXd eta = random_matrix(n, 1, 5);
  const Covariance<double> factors(Eigen::MatrixXd(eta.asDiagonal())),
      nugget(Eigen::MatrixXd::Zero(1, n), eta);
  CHECK(relative_distance(factors, nugget) < 1e-15);
  const Eigen::MatrixXd b = random_matrix(3, n, 6);  // the same factor, nuggets that nearly coincide
  const Covariance<double> near(b, eta), far(b, eta * (1 + 1e-9));
  double expected = 0;
  for (const double e : eta) expected += std::pow(e * e * 2e-9, 2);
  CHECK(distance(near, far) == doctest::Approx(std::sqrt(expected)).scale(0).epsilon(1e-6));
}

TEST_CASE("a rotated factor is the same covariance to rounding") {
  const Eigen::MatrixXd b = random_matrix(2, 40, 3);
  const double c = std::cos(0.7), s = std::sin(0.7);
  const Eigen::MatrixXd rotated = (Eigen::MatrixXd(2, 2) << c, -s, s, c).finished() * b;
  CHECK(relative_distance(covariance(rotated), covariance(b)) < 1e-14);
}

TEST_CASE("the relative distance measures by the second covariance") {
  const Eigen::MatrixXd b = random_matrix(3, 10, 4), zero = Eigen::MatrixXd::Zero(1, 10);
  CHECK(relative_distance(covariance(2 * b), covariance(b)) == doctest::Approx(3).epsilon(1e-13));
  CHECK(relative_distance(covariance(zero), covariance(b)) == doctest::Approx(1).epsilon(1e-13));
  CHECK(relative_distance(covariance(zero), covariance(zero)) == 0);
  CHECK(std::isinf(relative_distance(covariance(b), covariance(zero))));
}

TEST_CASE("float and double covariances can be compared") {
  const Eigen::MatrixXf b = random_matrix(3, 10, 4).cast<float>();
  CHECK(distance(covariance(b), covariance(b.cast<double>())) == 0);
}

TEST_CASE("covariances of different sizes are refused with a sentence") {
  CHECK(sentence([] { distance(covariance(random_matrix(2, 5, 1)), covariance(random_matrix(2, 6, 1))); }) ==
        "mno::distance: argument 'second': expected a covariance of the first's size, 5, got 6.");
}

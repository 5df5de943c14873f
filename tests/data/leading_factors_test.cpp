// The converse of the PSD theorem, made: every positive semidefinite covariance of rank ≤ r is BᵀB of a
// factor with r rows, and of one of higher rank the r leading rows leave exactly the tail of its spectrum.
#include "mno/data/leading_factors.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "law/support.hpp"
#include "mno/law/covariance.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
/// A law of one sample with this factor, r × n.
Law<double, 1> law_of(const Eigen::MatrixXd& factor) {
  Field<double, 1> mean(1, Grid<1>{{factor.cols()}}, 1), field(1, Grid<1>{{factor.cols()}}, factor.rows());
  for (Index x = 0; x < factor.cols(); ++x)
    for (Index k = 0; k < factor.rows(); ++k) field(0, x, k) = factor(k, x);
  return {std::move(mean), std::move(field)};
}
}  // namespace

TEST_CASE("every positive semidefinite matrix of rank ≤ r is the covariance of a law with r factors") {
  CHECK(for_any("any rank q ≤ r and size", [] {
    const Index n = any_in<Index>(1, 10), q = any_in<Index>(0, 7), r = q + any_in<Index>(0, 4);
    if (r == 0) return;
    Eigen::MatrixXd gamma = Eigen::MatrixXd::Zero(n, n);
    if (q > 0) {
      const Eigen::MatrixXd a = random_matrix(q, n, any_in<std::uint64_t>(1, 100000));
      gamma = a.transpose() * a;
    }
    const Law<double, 1> law = law_of(factors_of_covariance<double>(gamma, r));
    HOLDS(law.rank() == r);
    HOLDS((covariance(law, 0).dense() - gamma).norm() <= 1e-13 * gamma.norm() + 1e-300);
  }));
}

TEST_CASE("the r leading factors leave √Σ_{k>r} λ_k², and no other factor of r rows leaves less") {
  CHECK(for_any("any covariance", [] {
    const Index n = any_in<Index>(2, 9), r = any_in<Index>(1, n);
    const auto seed = any_in<std::uint64_t>(1, 100000);
    const Eigen::MatrixXd a = random_matrix(n, n, seed), gamma = a.transpose() * a;
    const Eigen::VectorXd lambda = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gamma).eigenvalues();
    const double tail = lambda.head(n - r).norm();
    const Eigen::MatrixXd best = factors_of_covariance<double>(gamma, r);
    HOLDS(std::abs((gamma - best.transpose() * best).norm() - tail) <= 1e-12 * gamma.norm());
    const Eigen::MatrixXd near = best + 0.1 * random_matrix(r, n, seed + 1),
                          any = random_matrix(r, n, seed + 2);
    HOLDS((gamma - near.transpose() * near).norm() >= tail * (1 - 1e-12));
    HOLDS((gamma - any.transpose() * any).norm() >= tail * (1 - 1e-12));
  }));
}

// Eigenvalues by hand, against Eigen's solver and against what they are by definition.
#include "mno/core/symmetric_eigen.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "mno/core/random.hpp"

using mno::Index;
using mno::detail::symmetric_eigen;
using mno::detail::SymmetricEigen;

namespace {

Eigen::MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  mno::Stream random(seed, 0, 0);
  Eigen::MatrixXd a(rows, columns);
  for (double& entry : a.reshaped()) entry = random.normal();
  return a;
}

SymmetricEigen solved(const Eigen::MatrixXd& a) {
  return symmetric_eigen(std::vector<double>(a.data(), a.data() + a.size()), a.rows());
}

/// The largest error of A = Wᵀ diag(λ) W, W Wᵀ = I and of λ against Eigen's, in units of the largest entry.
double worst_error(const Eigen::MatrixXd& a) {
  const SymmetricEigen mine = solved(a);
  const Index n = a.rows();
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd w = Eigen::Map<const Rows>(mine.vectors.data(), n, n);
  const Eigen::VectorXd values = Eigen::Map<const Eigen::VectorXd>(mine.values.data(), n);
  const double size = std::max(a.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  const double back = (w.transpose() * values.asDiagonal() * w - a).cwiseAbs().maxCoeff() / size;
  const double orthogonal = (w * w.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff();
  const double apart =
      (values - Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues()).cwiseAbs().maxCoeff() / size;
  CHECK(std::is_sorted(mine.values.begin(), mine.values.end()));
  return std::max({back, orthogonal, apart});
}

}  // namespace

TEST_CASE("symmetric matrices of any size: A = Wᵀ diag(λ) W with orthonormal rows of W") {
  for (const Index n : {1, 2, 3, 4, 5, 8, 17, 64, 150}) {
    const Eigen::MatrixXd a = random_matrix(n, n, std::uint64_t(n));
    CHECK(worst_error(a + a.transpose()) < 1e-14 * double(n + 10));
  }
}

TEST_CASE("equal eigenvalues, none but zero, lower rank, many orders of magnitude, tiny and huge entries") {
  CHECK(worst_error(Eigen::MatrixXd::Identity(9, 9)) < 1e-14);
  CHECK(worst_error(Eigen::MatrixXd::Zero(6, 6)) < 1e-14);
  CHECK(worst_error(Eigen::MatrixXd::Ones(12, 12)) < 1e-14);
  const Eigen::MatrixXd rows = random_matrix(3, 40, 7), gram = rows.transpose() * rows;
  CHECK(worst_error(gram) < 1e-13);
  Eigen::MatrixXd graded = random_matrix(20, 20, 8);
  for (Index k = 0; k < 20; ++k) graded.col(k) *= std::pow(10.0, -double(k));
  const Eigen::MatrixXd squared = graded.transpose() * graded;
  CHECK(worst_error(squared) < 1e-13);
  CHECK(worst_error(1e-200 * gram) < 1e-13);
  CHECK(worst_error(1e200 * gram) < 1e-13);
}

TEST_CASE("a matrix that is tridiagonal or diagonal already") {
  Eigen::MatrixXd second_difference = Eigen::MatrixXd::Zero(30, 30);
  for (Index i = 0; i < 30; ++i) {
    second_difference(i, i) = 2;
    if (i + 1 < 30) second_difference(i, i + 1) = second_difference(i + 1, i) = -1;
  }
  CHECK(worst_error(second_difference) < 1e-14);
  const Eigen::MatrixXd diagonal = Eigen::VectorXd::LinSpaced(11, 3, -2).asDiagonal();
  CHECK(worst_error(diagonal) < 1e-15);
}

TEST_CASE("what is no number gives no numbers, and comes to an end") {
  Eigen::MatrixXd a = random_matrix(5, 5, 3);
  a = (a + a.transpose()).eval();
  a(2, 3) = a(3, 2) = std::numeric_limits<double>::quiet_NaN();
  const SymmetricEigen none = solved(a);
  CHECK(std::any_of(none.values.begin(), none.values.end(), [](double value) { return std::isnan(value); }));
}

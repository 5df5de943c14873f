// Γ = BᵀB + diag(η²) is symmetric, positive semidefinite, BᵀB of rank ≤ r, and blind to rotations of the
// factor's rows; the operator does what the dense matrix does.
#include "mno/law/covariance.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <int D> void operator_equals_dense() {
  Grid<D> grid;
  for (Index& n : grid.points) n = any_in<Index>(1, D == 1 ? 10 : 4);
  const Index channels = any_in<Index>(1, 4), rank = any_in<Index>(1, 9);
  const auto seed = any_in<std::uint64_t>(1, 1000000);
  auto law = random_law<double, D>(2, grid, channels, rank, seed);
  const bool nugget = any_bool();
  if (nugget) law = with_nugget(law, seed + 7);
  const auto gamma = covariance(law, 1);
  const Index n = law.size();
  const Eigen::MatrixXd dense = gamma.dense();
  const double scale = dense.norm(), tolerance = 1e-12 * scale;

  HOLDS(gamma.size() == n && gamma.rank_bound() == std::min(rank, n));
  HOLDS(dense == dense.transpose());
  const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
  HOLDS(eigenvalues.minCoeff() >= -tolerance);
  Eigen::MatrixXd low_rank = dense;  // BᵀB
  if (nugget) low_rank.diagonal() -= flat(law.nugget, 1).cwiseAbs2();
  const Eigen::VectorXd singular =
      Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(low_rank).singularValues();
  HOLDS((singular.array() > tolerance).count() <= rank);

  const Eigen::VectorXd v = random_matrix(n, 1, seed + 1);
  const Eigen::MatrixXd columns = random_matrix(n, 3, seed + 2);
  HOLDS((gamma * v - dense * v).norm() <= tolerance * v.norm());
  HOLDS((gamma * columns - dense * columns).norm() <= tolerance * columns.norm());
  HOLDS((gamma.diagonal() - dense.diagonal()).norm() <= tolerance);
  HOLDS(std::abs(gamma.trace() - dense.trace()) <= tolerance * double(n));
  HOLDS(std::abs(gamma.frobenius_norm() - dense.norm()) <= tolerance);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) HOLDS(std::abs(gamma(i, j) - dense(i, j)) <= tolerance);
  HOLDS((gamma.diagonal() - flat(variance(law), 1)).norm() <= tolerance);

  // B → QB with Q orthogonal leaves Γ as it is.
  const Eigen::MatrixXd q =
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(random_matrix(rank, rank, seed + 3)).householderQ();
  HOLDS((Covariance<double>(q * gamma.factor(), gamma.nugget()).dense() - dense).norm() <= tolerance);
}

}  // namespace

TEST_CASE("the operator is symmetric, positive semidefinite, low-rank and equals its dense matrix") {
  CHECK(for_any("1D", [] { operator_equals_dense<1>(); }));
  CHECK(for_any("2D", [] { operator_equals_dense<2>(); }));
}

TEST_CASE("float laws give float vectors") {
  const auto law = random_law<float, 1>(1, {{6}, {}}, 1, 2, 3);
  const auto gamma = covariance(law, 0);
  const Eigen::VectorXf v = Eigen::VectorXf::Ones(6);
  const Eigen::VectorXf product = gamma * v;
  CHECK((product - gamma.dense() * v).norm() < 1e-5f);
}

TEST_CASE("the covariance of an ensemble from its centred members") {
  const Eigen::MatrixXd members = random_matrix(7, 5, 11);  // (member, entry)
  const Eigen::MatrixXd centred = (members.rowwise() - members.colwise().mean()) / std::sqrt(6.0);
  const auto gamma = covariance(centred);
  double expected = 0;
  for (Index j = 0; j < 7; ++j)
    expected += (members(j, 1) - members.col(1).mean()) * (members(j, 3) - members.col(3).mean()) / 6;
  CHECK(gamma(1, 3) == doctest::Approx(expected).epsilon(1e-12));
  CHECK(gamma.rank_bound() == 5);
}

TEST_CASE("misuse gives a sentence") {
  const auto gamma = covariance(random_matrix(2, 5, 1));
  CHECK(sentence([&] { gamma* Eigen::VectorXd::Zero(4); }) ==
        "mno::Covariance: argument 'v': expected 5 rows, got 4.");
  CHECK(sentence([&] { gamma(0, 5); }) ==
        "mno::Covariance: argument 'i, j': expected indices below 5, got 0, 5.");
  CHECK(sentence([&] { Covariance<double>(Eigen::MatrixXd(0, 4)); }) ==
        "mno::Covariance: argument 'factor': expected at least one row and one column, got 0x4.");
  CHECK(sentence([&] { Covariance<double>(Eigen::MatrixXd(2, 4), Eigen::VectorXd(3)); }) ==
        "mno::Covariance: argument 'nugget': expected none, or the factor's 4 entries, got 3.");
  CHECK(sentence([&] {
          covariance(random_law<double, 1>(1, {{4}, {}}, 1, 2, 1), 1);
        }) == "mno::factor_matrix: argument 'sample': expected an index below the law's batch, 1, got 1.");
}

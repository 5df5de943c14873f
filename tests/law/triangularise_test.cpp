// [A D] → [R QᵀD]: an orthogonal map that makes A triangular, for tall, square and wide A.
#include "mno/law/triangularise.hpp"

#include <doctest/doctest.h>

#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

TEST_CASE("the result is triangular and has the same Gram matrix") {
  CHECK(for_any("any shape", [] {
    const Index rows = any_in<Index>(1, 12), columns = any_in<Index>(1, 8);
    const Index extra = any_in<Index>(0, 3);
    const Eigen::MatrixXd a = random_matrix(rows, columns + extra, any_in<std::uint64_t>(1, 100000));
    Eigen::MatrixXd r = a;
    detail::triangularise(r, columns);
    for (Index j = 0; j < columns; ++j)
      for (Index i = j + 1; i < rows; ++i) HOLDS(r(i, j) == 0);
    const Eigen::MatrixXd gram = a.transpose() * a;  // unchanged by an orthogonal map of the rows
    HOLDS((r.transpose() * r - gram).norm() <= 1e-13 * gram.norm());
  }));
}

TEST_CASE("columns of zeros, and columns that depend on each other, stay finite") {
  Eigen::MatrixXd a = random_matrix(5, 3, 1);
  a.col(0).setZero();
  a.col(2) = 2 * a.col(1);
  const Eigen::MatrixXd gram = a.transpose() * a;
  detail::triangularise(a, 3);
  CHECK((a.transpose() * a - gram).norm() <= 1e-13 * gram.norm());
  CHECK(std::abs(a(2, 2)) < 1e-14);
}

TEST_CASE("a column far smaller than its neighbours keeps its own relative precision") {
  Eigen::MatrixXd a = random_matrix(20, 2, 3);
  a.col(1) *= 1e-12;
  const double dot = a.col(0).dot(a.col(1)), first = a.col(0).squaredNorm(), second = a.col(1).squaredNorm();
  detail::triangularise(a, 2);
  CHECK(std::abs(a(1, 1)) == doctest::Approx(std::sqrt(second - dot * dot / first)).epsilon(1e-13));
}

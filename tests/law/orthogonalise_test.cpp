// A → AV with orthogonal columns: singular values as Eigen has them, and the small ones to their own
// precision.
#include "mno/law/orthogonalise.hpp"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <vector>

#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

std::vector<double> sorted_norms(const Eigen::MatrixXd& a) {
  std::vector<double> norms;
  for (Index k = 0; k < a.cols(); ++k) norms.push_back(a.col(k).norm());
  std::ranges::sort(norms, std::greater<>());
  return norms;
}

}  // namespace

TEST_CASE("columns are orthogonal, V is too, and their lengths are the singular values") {
  CHECK(for_any("any size", [] {
    const Index n = any_in<Index>(1, 12);
    const Eigen::MatrixXd a = random_matrix(n, n, any_in<std::uint64_t>(1, 100000));
    Eigen::MatrixXd w = a;
    const Eigen::MatrixXd v = detail::orthogonalise(w);
    HOLDS((v.transpose() * v - Eigen::MatrixXd::Identity(n, n)).norm() <= 1e-13);
    HOLDS((a * v - w).norm() <= 1e-13 * a.norm());
    const Eigen::VectorXd expected = Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
    const std::vector<double> values = sorted_norms(w);
    for (Index k = 0; k < n; ++k) HOLDS(std::abs(values[std::size_t(k)] - expected[k]) <= 1e-13 * a.norm());
    for (Index j = 1; j < n; ++j)
      for (Index i = 0; i < j; ++i)
        HOLDS(std::abs(w.col(i).dot(w.col(j))) <= 1e-13 * w.col(i).norm() * w.col(j).norm());
  }));
}

TEST_CASE("columns of zeros, and columns that depend on each other, have singular values of zero") {
  Eigen::MatrixXd a = random_matrix(5, 5, 1);
  a.col(0).setZero();
  a.col(3) = 2 * a.col(1);
  Eigen::MatrixXd w = a;
  const Eigen::MatrixXd v = detail::orthogonalise(w);
  CHECK((a * v - w).norm() <= 1e-13 * a.norm());
  const std::vector<double> values = sorted_norms(w);
  CHECK(values[2] > 1e-3 * a.norm());
  CHECK(values[3] <= 1e-13 * a.norm());
  CHECK(values[4] <= 1e-13 * a.norm());
}

TEST_CASE("columns of very different size keep their own relative precision") {
  const Eigen::MatrixXd q = random_matrix(4, 4, 2).householderQr().householderQ();
  const std::vector<double> sizes{1, 1e-5, 1e-10, 1e-15};
  Eigen::MatrixXd a = q;
  for (Index k = 0; k < 4; ++k) a.col(k) *= sizes[std::size_t(k)];
  a.col(1) += 3e-5 * q.col(2);  // not orthogonal any more
  detail::orthogonalise(a);
  const std::vector<double> values = sorted_norms(a);
  // det = 1e-30 and the first two are known to far below their last digit
  CHECK(values[0] == doctest::Approx(1).epsilon(1e-13));
  CHECK(values[1] == doctest::Approx(1e-5 * std::sqrt(10.0)).epsilon(1e-8));
  CHECK(values[0] * values[1] * values[2] * values[3] == doctest::Approx(1e-30).scale(0).epsilon(1e-12));
}

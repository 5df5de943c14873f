// The log density by r × r algebra equals the dense Gaussian one, and stays right for tiny ε.
#include "mno/law/density.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <Eigen/Cholesky>

#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <class Real>
double dense_log_density(const Eigen::MatrixXd& b, const Eigen::VectorXd& d, double epsilon) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const Index n = d.size();
  const Matrix wide = b.cast<Real>();
  const Matrix covariance = wide.transpose() * wide + Real(epsilon) * Matrix::Identity(n, n);
  const Eigen::LLT<Matrix> llt(covariance);
  const Vector white = llt.matrixL().solve(d.cast<Real>());
  const Real log_det = 2 * llt.matrixL().toDenseMatrix().diagonal().array().log().sum();
  return double(-(white.squaredNorm() + log_det + Real(n) * Real(std::log(2 * std::numbers::pi))) / 2);
}

template <int D> void equals_dense() {
  Grid<D> grid;
  for (Index& n : grid.points) n = *rc::gen::inRange<Index>(1, D == 1 ? 12 : 5);
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  const Index channels = *rc::gen::inRange<Index>(1, 4), rank = *rc::gen::inRange<Index>(1, 8);
  const auto law = random_law<double, D>(2, grid, channels, rank, seed);
  Field<double, D> u(2, grid, channels);
  fill_normal(u, seed + 5);
  const double epsilon = *rc::gen::element(1e-4, 0.1, 3.0);
  const Eigen::VectorXd actual = log_density(law, u, epsilon);
  for (Index s = 0; s < 2; ++s) {
    const Eigen::VectorXd d = flat(u, s) - flat(law.mean, s);
    const double expected = dense_log_density<long double>(factor_matrix(law, s), d, epsilon);
    RC_ASSERT(std::abs(actual[s] - expected) <= 1e-11 * (1 + std::abs(expected)));
  }
}

}  // namespace

TEST_CASE("equals the dense Gaussian log density, also with more factors than entries") {
  CHECK(rc::check("1D", [] { equals_dense<1>(); }));
  CHECK(rc::check("2D", [] { equals_dense<2>(); }));
}

TEST_CASE("a field in the span of the factor keeps its digits for tiny noise") {
  // d = Bᵀξ: the quadratic form tends to ‖ξ‖² for orthonormal rows; dᵀd/ε alone is 1e12 times larger.
  Field<double, 1> mean(1, {{4}, {}}, 1), factor(1, {{4}, {}}, 2);
  factor(0, 0, 0) = 1;  // B_0 = e_0
  factor(0, 1, 1) = 1;  // B_1 = e_1
  const Law<double, 1> law(mean, factor);
  const double epsilon = 1e-12;
  const Eigen::VectorXd u = Eigen::Vector4d(0.6, -1.1, 0, 0);
  const double quadratic = (0.36 + 1.21) / (1 + epsilon);
  const double log_det = 2 * std::log1p(epsilon) + 2 * std::log(epsilon);
  CHECK(log_density(law, 0, u, epsilon) ==
        doctest::Approx(-0.5 * (quadratic + log_det + 4 * std::log(2 * std::numbers::pi))).epsilon(1e-13));
}

TEST_CASE("without factors' spread it is white noise") {
  const Law<float, 1> law(Field<float, 1>(1, {{3}, {}}, 1), Field<float, 1>(1, {{3}, {}}, 2));
  Field<float, 1> u(1, {{3}, {}}, 1);
  u(0, 1, 0) = 2;
  CHECK(log_density(law, u, 0.5)[0] ==
        doctest::Approx(-0.5 * (4 / 0.5 + 3 * std::log(0.5) + 3 * std::log(2 * std::numbers::pi)))
            .epsilon(1e-6));
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<double, 1>(2, {{4}, {}}, 1, 2, 9);
  CHECK(sentence([&] { log_density(law, law.mean, 0); }) ==
        "mno::log_density: argument 'epsilon': expected a positive noise variance: without a nugget the "
        "low-rank covariance is singular, got 0.");
  CHECK(sentence([&] { log_density(law, law.mean, -1); }) != "no error");
  CHECK(sentence([&] { log_density(law, 0, Eigen::VectorXd::Zero(3), 1); }) ==
        "mno::log_density: argument 'u': expected points x channels = 4 entries, got 3.");
  CHECK(sentence([&] { log_density(law, 2, Eigen::VectorXd::Zero(4), 1); }) ==
        "mno::log_density: argument 'sample': expected an index below the law's batch, 2, got 2.");
  CHECK(sentence([&] {
          log_density(law, Field<double, 1>(1, {{4}, {}}, 1), 1);
        }) ==
        "mno::log_density: argument 'u': expected batch 2, grid 4 and its domain, 1 channels, got batch 1, "
        "grid "
        "4, 1 channels.");
}

// The log density by r × r algebra equals the dense one, for every residual law that has one and under warps,
// and stays right for tiny noise.
#include "mno/law/density.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include "mno/law/marginal.hpp"
#include "mno/law/moments.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/sample.hpp"
#include "mno/law/warp/asinh.hpp"
#include "mno/law/warp/log.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// eᵀΓ⁻¹e and log det Γ of Γ = BᵀB + diag d, in extended precision.
struct Dense {
  Real quadratic, log_det;
};
Dense dense(const Eigen::MatrixXd& b, const Eigen::VectorXd& e, const Eigen::VectorXd& d) {
  const Matrix wide = b.cast<Real>();
  Matrix covariance = wide.transpose() * wide;
  covariance.diagonal() += d.cast<Real>();
  const Eigen::LLT<Matrix> llt(covariance);
  const Vector white = llt.matrixL().solve(e.cast<Real>());
  return {white.squaredNorm(), 2 * llt.matrixL().toDenseMatrix().diagonal().array().log().sum()};
}

const Real log_2pi = std::log(2 * std::numbers::pi_v<Real>);
double gaussian(const Dense& of, Real n) { return double(-(of.quadratic + of.log_det + n * log_2pi) / 2); }
/// The t with ν degrees of freedom and scale matrix (ν−2)/ν Γ.
double student(const Dense& of, Real n, Real nu) {
  const Real scale_det = of.log_det + n * std::log((nu - 2) / nu), q = of.quadratic * nu / (nu - 2);
  return double(std::lgamma((nu + n) / 2) - std::lgamma(nu / 2) -
                n / 2 * std::log(nu * std::numbers::pi_v<Real>) - scale_det / 2 -
                (nu + n) / 2 * std::log1p(q / nu));
}
/// 2 (2π)^{−n/2} |Γ|^{−½} (q/2)^{v/2} K_v(√(2q)), v = 1 − n/2
double laplace(const Dense& of, Real n) {
  const Real v = 1 - n / 2, q = of.quadratic;
  return double(std::log(2.0L) - n / 2 * log_2pi - of.log_det / 2 + v / 2 * std::log(q / 2) +
                std::log(boost::math::cyl_bessel_k(v, std::sqrt(2 * q))));
}

template <int D> void equals_dense() {
  Grid<D> grid;
  for (Index& n : grid.points) n = any_in<Index>(1, D == 1 ? 12 : 5);
  const auto seed = any_in<std::uint64_t>(1, 1000000);
  const Index channels = any_in<Index>(1, 4), rank = any_in<Index>(1, 8);
  auto law = random_law<double, D>(2, grid, channels, rank, seed);
  const bool nugget = any_bool();
  if (nugget) law = with_nugget(law, seed + 1);
  Field<double, D> u(2, grid, channels);
  fill_normal(u, seed + 5);
  const double epsilon = nugget ? one_of({1e-4, 0.0, 3.0}) : one_of({1e-4, 0.1, 3.0});
  const double nu = one_of({2.5, 5.0, 40.0});
  const Eigen::VectorXd by_gaussian = log_density(law, u, epsilon),
                        by_student = log_density(with_residual(law, StudentT(nu)), u, epsilon),
                        by_laplace = log_density(with_residual(law, Laplace{}), u, epsilon);
  for (Index s = 0; s < 2; ++s) {
    Eigen::VectorXd d = Eigen::VectorXd::Constant(law.size(), epsilon);
    if (nugget) d += flat(law.nugget, s).cwiseAbs2();
    const Dense of = dense(factor_matrix(law, s), flat(u, s) - flat(law.mean, s), d);
    const auto check = [&](double actual, double expected) {
      HOLDS(std::abs(actual - expected) <=
            1e-11 * (1 + std::abs(expected)) / std::min(1.0, d.minCoeff() * 1e4));
    };
    check(by_gaussian[s], gaussian(of, Real(law.size())));
    check(by_student[s], student(of, Real(law.size()), Real(nu)));
    check(by_laplace[s], laplace(of, Real(law.size())));
  }
}

}  // namespace

TEST_CASE("equals the dense log density of every residual law, also with more factors than entries") {
  CHECK(for_any("1D", [] { equals_dense<1>(); }));
  CHECK(for_any("2D", [] { equals_dense<2>(); }));
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

TEST_CASE("a nugget of 1e-8 of the variance keeps nine digits, in float models too") {
  const Index n = 48, rank = 8;
  for (const double share : {1e-2, 1e-8}) {
    CAPTURE(share);
    auto law = random_law<float, 1>(1, {{n}, {}}, 1, rank, 4);
    const auto v = variance(law);
    law.nugget = Field<float, 1>(1, law.grid(), 1);
    for (Index x = 0; x < n; ++x) law.nugget(0, x, 0) = std::sqrt(float(share) * v(0, x, 0));
    const auto u = sample(law, 1, 3);
    const Eigen::VectorXd d = flat(law.nugget, 0).cast<double>().cwiseAbs2();
    const Dense of = dense(factor_matrix(law, 0).cast<double>(),
                           flat(u, 0).cast<double>() - flat(law.mean, 0).cast<double>(), d);
    CHECK(log_density(law, u)[0] == doctest::Approx(gaussian(of, n)).epsilon(1e-9));
    CHECK(log_density(with_residual(law, StudentT(4)), u)[0] ==
          doctest::Approx(student(of, n, 4)).epsilon(1e-9));
    CHECK(log_density(with_residual(law, Laplace{}), u)[0] == doctest::Approx(laplace(of, n)).epsilon(1e-9));
  }
}

TEST_CASE("a warp divides the density by its slopes") {
  // One entry: the log-normal density, and the derivative of the asinh-warped distribution.
  Field<double, 1> mean(1, {{1}, {}}, 1), factor(1, {{1}, {}}, 1), nugget(1, {{1}, {}}, 1),
      u(1, {{1}, {}}, 1);
  mean(0, 0, 0) = 0.3;
  factor(0, 0, 0) = 0.6;
  nugget(0, 0, 0) = -0.8;  // σ = 1
  u(0, 0, 0) = 1.7;
  const Law<double, 1> law(mean, factor, nugget);
  const boost::math::lognormal_distribution<double> lognormal(0.3, 1);
  CHECK(log_density(with_warp(law, LogWarp{}), u)[0] ==
        doctest::Approx(std::log(boost::math::pdf(lognormal, 1.7))).epsilon(1e-13));
  u(0, 0, 0) = -0.1;
  CHECK(log_density(with_warp(law, LogWarp{}), u)[0] == -INFINITY);  // not positive
  const auto sinh = with_warp(with_residual(law, Laplace{}), AsinhWarp(2));
  const auto one = marginal(sinh, 0, 0, 0);
  const double h = 1e-5;
  CHECK(log_density(sinh, u)[0] ==
        doctest::Approx(std::log((one.cdf(-0.1 + h) - one.cdf(-0.1 - h)) / (2 * h))).epsilon(1e-8));
}

TEST_CASE("the slopes of all entries count, each with its channel's scale") {
  const auto law = with_nugget(random_law<double, 1>(1, {{4}, {}}, 2, 3, 9), 10);
  const AsinhWarp warp({0.5, 3});
  const auto z = sample(law, 1, 1);
  auto u = z;
  double slopes = 0;
  for (Index x = 0; x < 4; ++x)
    for (Index c = 0; c < 2; ++c) {
      u(0, x, c) = warp.map(z(0, x, c), c);
      slopes += std::log(warp.slope(z(0, x, c), c));
    }
  CHECK(log_density(with_warp(law, warp), u)[0] ==
        doctest::Approx(log_density(law, z)[0] - slopes).epsilon(1e-12));
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
  CHECK(sentence([&] { log_density(law, law.mean, -1); }) ==
        "mno::log_density: argument 'epsilon': expected a finite noise variance, zero or more, got -1.");
  auto hole = with_nugget(law, 4);
  hole.nugget(0, 2, 0) = 0;
  CHECK(sentence([&] { log_density(hole, hole.mean); }) ==
        "mno::log_density: argument 'law': expected a nugget without zeros, or epsilon above zero, got no "
        "noise at entry 2.");
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

// The distance of covariances without ever forming one.
#include "mno/loss/hilbert_schmidt.hpp"

#include <Eigen/Dense>

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <int D> Eigen::MatrixXd covariance(View<const double, D> factor, Index sample, Index channels) {
  const Index n = factor.points() * channels, rank = factor.channels / channels;
  Eigen::MatrixXd b(rank, n);
  for (Index k = 0; k < rank; ++k)
    for (Index i = 0; i < n; ++i) b(k, i) = factor(sample, i / channels, k * channels + i % channels);
  return b.transpose() * b;
}

}  // namespace

TEST_CASE("equals the distance of the full matrices") {
  for_each_case([]<int D>(const Target<double, D>& target, Block<double, D>& block) {
    const auto law = block.law();
    double expected = 0;
    for (Index b = 0; b < law.mean.batch; ++b) {
      Eigen::MatrixXd predicted = covariance<D>(law.factor, b, law.mean.channels);
      for (Index i = 0; law.nugget && i < predicted.rows(); ++i)
        predicted(i, i) += std::pow(law.nugget(b, i / law.mean.channels, i % law.mean.channels), 2);
      const Eigen::MatrixXd empirical =
          covariance<D>(target.covariance_factor, law.first + b, law.mean.channels);
      const double relative = (predicted - empirical).norm() / empirical.norm();
      expected += std::sqrt(relative * relative + 1e-6) - 1e-3;
    }
    CHECK(HilbertSchmidt{}(law, target, 1) == doctest::Approx(expected).epsilon(1e-11));
  });
}

TEST_CASE("the ensemble's own factor has distance zero and no gradient, also if its rows are rotated") {
  const Grid<1> grid{{6}};
  const RandomEnsemble<double, 1> ensemble(1, grid, 2, 3, 11);
  Block<double, 1> block(0, 1, grid, 2, 3, 4);
  const double angle = 0.7;
  for (Index x = 0; x < 6; ++x)
    for (Index c = 0; c < 2; ++c) {
      const double y0 = ensemble.factor(0, x, c), y1 = ensemble.factor(0, x, 2 + c);
      block.factor(0, x, 0, c) = std::cos(angle) * y0 - std::sin(angle) * y1;
      block.factor(0, x, 1, c) = std::sin(angle) * y0 + std::cos(angle) * y1;
      block.factor(0, x, 2, c) = ensemble.factor(0, x, 4 + c);
    }
  CHECK(std::abs(HilbertSchmidt{}(block.law(), ensemble.target(), 1)) < 1e-10);
  for (const double bar : block.bars.span()) CHECK(std::abs(bar) < 1e-9);
}

TEST_CASE("an ensemble without spread: a factor of zero is right") {
  const Grid<1> grid{{4}};
  RandomEnsemble<double, 1> ensemble(1, grid, 1, 3, 11);
  for (double& y : ensemble.factor.span()) y = 0;
  Block<double, 1> block(0, 1, grid, 1, 2, 4);
  for (double& b : block.values.span()) b = 0;
  CHECK(HilbertSchmidt{}(block.law(), ensemble.target(), 1) == 0);
  for (const double bar : block.bars.span()) CHECK(bar == 0);
}

TEST_CASE("needs factors of the ensemble") {
  const Point point{.m = 0, .b = 1, .u = 0};
  CHECK(sentence([&] { point(HilbertSchmidt{}); }).find("target.covariance_factor") != std::string::npos);
}

TEST_CASE("cotangents by central differences") { check_gradient(HilbertSchmidt{.weight = 3}); }

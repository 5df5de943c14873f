// A law holds together: shapes are checked, B v and Bᵀξ are adjoint, the variance is Σ_k B_k².
#include "mno/law/law.hpp"

#include <doctest/doctest.h>

#include "mno/law/moments.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/warp/asinh.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <int D> Grid<D> any_grid() {
  Grid<D> grid;
  for (Index& n : grid.points) n = any_in<Index>(1, D == 1 ? 12 : 5);
  return grid;
}
template <class T, int D> Law<T, D> any_law() {
  const Index batch = any_in<Index>(1, 4), channels = any_in<Index>(1, 4);
  const Index rank = any_in<Index>(1, 7);
  return random_law<T, D>(batch, any_grid<D>(), channels, rank, any_in<std::uint64_t>(1, 1000000));
}

template <class T, int D> void factor_properties() {
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  const auto law = any_law<T, D>();
  const Index sample = any_in<Index>(0, law.batch());
  const Eigen::MatrixX<T> b = factor_matrix(law, sample);
  HOLDS(b.rows() == law.rank() && b.cols() == law.points() * law.channels());
  for (Index k = 0; k < law.rank(); ++k)
    for (Index x = 0; x < law.points(); ++x)
      for (Index c = 0; c < law.channels(); ++c)
        HOLDS(b(k, x * law.channels() + c) == law.factor(sample, x, k * law.channels() + c));

  const Eigen::VectorX<T> v = random_matrix(law.size(), 1, 5).template cast<T>();
  const Eigen::VectorX<T> xi = random_matrix(law.rank(), 1, 6).template cast<T>();
  const Eigen::VectorXd bv = factor_times(law, sample, v);
  const Eigen::VectorX<T> bt_xi = factor_transpose_times(law, sample, xi);
  HOLDS((bv - (b * v).template cast<double>()).norm() <= tolerance * (1 + bv.norm()));
  HOLDS((bt_xi - b.transpose() * xi).norm() <= tolerance * double(1 + bt_xi.norm()));

  const Field<T, D> var = variance(law);
  HOLDS(var.channels() == law.channels() && var.batch() == law.batch());
  for (Index x = 0; x < law.points(); ++x)
    for (Index c = 0; c < law.channels(); ++c) {
      double sum = 0;
      for (Index k = 0; k < law.rank(); ++k) {
        const double entry = double(law.factor(sample, x, k * law.channels() + c));
        sum += entry * entry;
      }
      HOLDS(std::abs(double(var(sample, x, c)) - sum) <= tolerance * sum);
    }
}

}  // namespace

TEST_CASE("factor matrix, B v, B'xi and variance agree with the factor's channels k*C + c") {
  CHECK(for_any("1D double", [] { factor_properties<double, 1>(); }));
  CHECK(for_any("2D double", [] { factor_properties<double, 2>(); }));
  CHECK(for_any("2D float", [] { factor_properties<float, 2>(); }));
}

TEST_CASE("variance by hand: two factors, two channels, one point") {
  Field<double, 1> mean(1, {{1}, {}}, 2), factor(1, {{1}, {}}, 4);
  factor(0, 0, 0) = 1;  // k = 0, c = 0
  factor(0, 0, 1) = 2;  // k = 0, c = 1
  factor(0, 0, 2) = 3;  // k = 1, c = 0
  factor(0, 0, 3) = 4;  // k = 1, c = 1
  const Law<double, 1> law(mean, factor);
  CHECK(law.rank() == 2);
  CHECK(variance(law)(0, 0, 0) == 10);
  CHECK(variance(law)(0, 0, 1) == 20);
}

TEST_CASE("fields that do not belong together are refused with a sentence") {
  const Grid<1> grid{{4}, {}};
  using F = Field<double, 1>;
  CHECK(sentence([&] { Law<double, 1>(F(2, grid, 2), F(2, grid, 5)); }) ==
        "mno::Law: argument 'factor': expected a multiple of the mean's 2 channels, got 5 channels.");
  CHECK(sentence([&] { Law<double, 1>(F(2, grid, 2), F(3, grid, 4)); }) ==
        "mno::Law: argument 'factor': expected the mean's batch, 2, got 3.");
  CHECK(sentence([&] {
          Law<double, 1>(F(2, grid, 2), F(2, {{5}, {}}, 4));
        }) == "mno::Law: argument 'factor': expected the mean's grid, 4, and its domain, got 5.");
  CHECK(sentence([&] {
          Law<double, 1>(F(2, grid, 2), F(2, {{4}, {{2.0}}}, 4));
        }) ==
        "mno::Law: argument 'factor': expected the mean's grid, 4, and its domain, got 4 on another domain.");
  CHECK(sentence([&] { Law<double, 1>(F(), F()); }) ==
        "mno::Law: argument 'mean': expected at least one sample, got an empty field.");
}

TEST_CASE("a nugget has the mean's shape, and adds its square to the variance") {
  const Grid<1> grid{{4}, {}};
  using F = Field<double, 1>;
  CHECK(sentence([&] { Law<double, 1>(F(2, grid, 2), F(2, grid, 4), F(2, grid, 4)); }) ==
        "mno::Law: argument 'nugget': expected the mean's 2 channels, got 4 channels.");
  CHECK(sentence([&] { Law<double, 1>(F(2, grid, 2), F(2, grid, 4), F(1, grid, 2)); }) ==
        "mno::Law: argument 'nugget': expected the mean's batch, 2, got 1.");
  CHECK(sentence([&] {
          Law<double, 1>(F(2, grid, 2), F(2, grid, 4), F(2, {{5}, {}}, 2));
        }) == "mno::Law: argument 'nugget': expected the mean's grid, 4, and its domain, got 5.");
  const auto law = random_law<double, 1>(2, grid, 2, 3, 1), noisy = with_nugget(law, 2);
  CHECK_FALSE(law.has_nugget());
  CHECK(noisy.has_nugget());
  const auto without = variance(law), with = variance(noisy);
  for (std::size_t i = 0; i < with.size(); ++i)
    CHECK(with.data()[i] ==
          doctest::Approx(without.data()[i] + std::pow(noisy.nugget.data()[i], 2)).epsilon(1e-14));
}

TEST_CASE("residual law and warp are exchanged without touching the rest") {
  const auto law = with_nugget(random_law<double, 1>(2, {{4}, {}}, 2, 3, 1), 2);
  const auto heavy = with_residual(law, StudentT(5));
  CHECK(heavy.residual.nu() == 5);
  const auto positive = with_warp(heavy, LogWarp{});
  const Law<double, 1, StudentT> back = unwarped(positive);
  for (const auto& [a, b] : {std::pair(&law.mean, &back.mean), std::pair(&law.factor, &back.factor),
                             std::pair(&law.nugget, &back.nugget)})
    CHECK(std::ranges::equal(a->span(), b->span()));
  CHECK(sentence([&] {
          with_warp(law, AsinhWarp({1, 2, 3}));
        }) ==
        "mno::AsinhWarp: argument 'scales': expected one scale, or one for each of 2 channel(s), got 3.");
}

TEST_CASE("an empty law has rank 0 and no samples") {
  const Law<double, 1> law;
  CHECK(law.rank() == 0);
  CHECK(law.batch() == 0);
}

TEST_CASE("indices and lengths out of range are refused with a sentence") {
  const auto law = random_law<double, 1>(2, {{4}, {}}, 2, 3, 1);
  CHECK(sentence([&] { factor_matrix(law, 2); }) ==
        "mno::factor_matrix: argument 'sample': expected an index below the law's batch, 2, got 2.");
  CHECK(sentence([&] { factor_matrix(law, -1); }) ==
        "mno::factor_matrix: argument 'sample': expected an index below the law's batch, 2, got -1.");
  CHECK(sentence([&] { factor_times(law, 0, Eigen::VectorXd::Zero(7)); }) ==
        "mno::factor_times: argument 'v': expected points x channels = 8 entries, got 7.");
  CHECK(sentence([&] { factor_transpose_times(law, 0, Eigen::VectorXd::Zero(2)); }) ==
        "mno::factor_transpose_times: argument 'xi': expected rank = 3 entries, got 2.");
}

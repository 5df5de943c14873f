// Samples have the law's mean and covariance under every residual law, and depend on (seed, sample, draw)
// only.
#include "mno/law/sample.hpp"

#include <doctest/doctest.h>

#include "device.hpp"
#include "mno/law/covariance.hpp"
#include "mno/law/residual/compound_poisson.hpp"
#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/warp/asinh.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

struct Worst {
  double mean = 0;        // largest |z| over the entries of the mean
  double covariance = 0;  // largest |z| over the entries of the covariance
};

constexpr Index points = 5, channels = 2, rank = 3, count = 25000, entries = points * channels;
constexpr double false_alarm = 1e-6;  // per test, by Bonferroni's bound and the central limit theorem

/// For a scale mixture with E S² = s2 the centred product e_i e_j has mean Γ_ij and variance
/// s2 (Γ_ii Γ_jj + 2 Γ_ij²) − Γ_ij².
template <class R> Worst worst_z(const R& residual, double s2, bool nugget = false) {
  auto law = random_law<double, 1>(2, {{points}, {}}, channels, rank, 12);
  if (nugget) law = with_nugget(law, 13);
  const auto draws = sample(with_residual(law, residual), count, 99, test::device());
  Worst worst;
  for (Index s = 0; s < 2; ++s) {
    const Eigen::MatrixXd gamma = covariance(law, s).dense();
    const Eigen::Map<const Eigen::MatrixXd> u(draws.data() + s * count * entries, entries, count);
    const Eigen::MatrixXd e = u.colwise() - flat(law.mean, s);
    const Eigen::VectorXd mean = e.rowwise().mean();
    const Eigen::MatrixXd product = e * e.transpose() / double(count);
    for (Index i = 0; i < entries; ++i) {
      worst.mean = std::max(worst.mean, std::abs(mean[i]) * std::sqrt(double(count) / gamma(i, i)));
      for (Index j = 0; j <= i; ++j) {
        const double square = gamma(i, j) * gamma(i, j);
        const double var = s2 * (gamma(i, i) * gamma(j, j) + 2 * square) - square;
        const double z = (product(i, j) - gamma(i, j)) * std::sqrt(double(count) / var);
        worst.covariance = std::max(worst.covariance, std::abs(z));
      }
    }
  }
  return worst;
}
const double critical_mean = critical_z(false_alarm, 2 * entries);
const double critical_covariance = critical_z(false_alarm, entries*(entries + 1));

struct TooWide {
  void draw(Stream& stream, std::span<double> xi) const { detail::draw_scaled(stream, 1.2, xi); }
};
struct Shifted {
  void draw(Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.normal() + 0.05;
  }
};
struct Rademacher {  // a user's own law that can only be sampled
  void draw(Stream& stream, std::span<double> xi) const {
    for (double& x : xi) x = stream.uniform() < 0.5 ? -1 : 1;
  }
};

}  // namespace

TEST_CASE("samples have the law's mean and covariance under every residual law") {
  const auto check = [](const auto& residual, double s2) {
    for (const bool nugget : {false, true}) {
      const Worst worst = worst_z(residual, s2, nugget);
      CHECK(worst.mean < critical_mean);
      CHECK(worst.covariance < critical_covariance);
    }
  };
  check(Gaussian{}, 1);
  check(StudentT(12), 10.0 / 8);
  check(Laplace{}, 2);
  check(CompoundPoisson(2), 1.5);
}

TEST_CASE("the same test rejects a sampler with variance 1.2, and one with mean 0.05") {
  CHECK(worst_z(TooWide{}, 1).covariance > critical_covariance);
  CHECK(worst_z(Shifted{}, 1).mean > critical_mean);
}

TEST_CASE("each draw is m + B'xi with the xi of its own stream, in the order (sample, draw)") {
  CHECK(for_any("draws", [] {
    Grid<2> grid;
    for (Index& n : grid.points) n = any_in<Index>(1, 14);  // several tiles of points
    const Index batch = any_in<Index>(1, 4), c = any_in<Index>(1, 4);
    const Index r = one_of<Index>({1, 2, 7, 130}), draws = one_of<Index>({1, 3, 64, 70});
    const auto law = random_law<double, 2>(batch, grid, c, r, any_in<std::uint64_t>(1, 100000));
    const auto u = sample(with_residual(law, Laplace{}), draws, 5, test::device());
    HOLDS(u.batch() == batch * draws && u.channels() == c && u.grid() == grid);
    const Index s = any_in<Index>(0, batch), j = any_in<Index>(0, draws);
    Eigen::VectorXd xi(r);
    Stream stream(5, (std::uint64_t(s) << 32) | std::uint64_t(j), detail::residual_substream);
    Laplace{}.draw(stream, {xi.data(), std::size_t(r)});
    const Eigen::VectorXd expected = flat(law.mean, s) + factor_transpose_times(law, s, xi);
    HOLDS((flat(u, s * draws + j) - expected).norm() <= 1e-12 * (1 + expected.norm()));
  }));
}

TEST_CASE("with a nugget each draw is m + B'xi + eta zeta, xi and zeta from one call of the residual law") {
  CHECK(for_any("draws", [] {
    Grid<2> grid;
    for (Index& n : grid.points) n = any_in<Index>(1, 14);
    const Index batch = any_in<Index>(1, 4), c = any_in<Index>(1, 4);
    const Index r = one_of<Index>({1, 2, 7}), draws = one_of<Index>({1, 3, 64, 70});
    const auto seed = any_in<std::uint64_t>(1, 100000);
    const auto law = with_nugget(random_law<double, 2>(batch, grid, c, r, seed), seed + 1);
    const Index s = any_in<Index>(0, batch), j = any_in<Index>(0, draws), n = law.size();
    const auto check = [&](const auto& residual) {
      const auto u = sample(with_residual(law, residual), draws, 5, test::device());
      Eigen::VectorXd both(r + n);
      Stream stream(5, (std::uint64_t(s) << 32) | std::uint64_t(j), detail::residual_substream);
      residual.draw(stream, {both.data(), std::size_t(r + n)});
      const Eigen::VectorXd expected = flat(law.mean, s) + factor_transpose_times(law, s, both.head(r)) +
                                       flat(law.nugget, s).cwiseProduct(both.tail(n));
      HOLDS((flat(u, s * draws + j) - expected).norm() <= 1e-12 * (1 + expected.norm()));
    };
    check(Gaussian{});
    check(Laplace{});
  }));
}

TEST_CASE("the variance counts the nugget, on every device") {
  for (const bool nugget : {false, true}) {
    auto law = random_law<float, 2>(3, {{4, 5}, {}}, 2, 3, 1);
    if (nugget) law = with_nugget(law, 2);
    const auto expected = variance(law), v = variance(law, test::device());
    for (std::size_t i = 0; i < v.size(); ++i)
      CHECK(v.data()[i] == doctest::Approx(expected.data()[i]).epsilon(1e-6));
  }
}

TEST_CASE("a warp maps every draw") {
  const auto law = with_nugget(random_law<double, 1>(2, {{4}, {}}, 2, 3, 1), 2);
  const AsinhWarp warp({0.5, 3});
  const auto z = sample(law, 5, 9, test::device()), u = sample(with_warp(law, warp), 5, 9, test::device());
  for (Index j = 0; j < 10; ++j)
    for (Index x = 0; x < 4; ++x)
      for (Index c = 0; c < 2; ++c) CHECK(u(j, x, c) == warp.map(z(j, x, c), c));
}

TEST_CASE("more draws, or other samples in the batch, leave a draw as it is") {
  const auto law = random_law<float, 1>(3, {{9}, {}}, 2, 4, 8);
  const auto few = sample(law, 3, 42, test::device()), many = sample(law, 200, 42, test::device()),
             other = sample(law, 3, 43, test::device());
  for (Index s = 0; s < 3; ++s)
    for (Index j = 0; j < 3; ++j) {
      CHECK((flat(few, s * 3 + j) - flat(many, s * 200 + j)).norm() < 1e-5f);
      CHECK((flat(few, s * 3 + j) - flat(other, s * 3 + j)).norm() > 0.1f);
    }
  CHECK(flat(few, 0) != flat(few, 1));
  CHECK(flat(few, 0) - flat(law.mean, 0) != flat(few, 3) - flat(law.mean, 1));
}

TEST_CASE("a law without spread is sampled as its mean") {
  const Law<double, 1> law(random_law<double, 1>(1, {{4}, {}}, 1, 2, 1).mean,
                           Field<double, 1>(1, {{4}, {}}, 2));
  const auto u = sample(law, 5, 1, test::device());
  for (Index j = 0; j < 5; ++j) CHECK(flat(u, j) == flat(law.mean, 0));
}

TEST_CASE("a workspace serves again, also for another rank") {
  SampleWorkspace<double> workspace;
  for (const Index r : {5, 2, 9}) {
    const auto law = random_law<double, 1>(2, {{20}, {}}, 1, r, 3);
    Field<double, 1> u(2 * 10, law.grid(), 1);
    sample_into(law, 10, 7, u, workspace);
    const double* const xi = workspace.xi.data();
    const double* const coefficients = workspace.coefficients.data();
    sample_into(law, 10, 7, u, workspace);
    CHECK(workspace.xi.data() == xi);
    CHECK(workspace.coefficients.data() == coefficients);
    CHECK(std::ranges::equal(u.span(), sample(law, 10, 7).span()));
  }
}

TEST_CASE("a user's own law needs only draw()") {
  const auto law = random_law<double, 1>(1, {{4}, {}}, 1, 1, 1);
  const auto u = sample(with_residual(law, Rademacher{}), 50, 1, test::device());
  for (Index j = 0; j < 50; ++j)
    CHECK((flat(u, j) - flat(law.mean, 0)).cwiseAbs().isApprox(factor_matrix(law, 0).transpose().cwiseAbs()));
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<double, 1>(2, {{4}, {}}, 1, 1, 1);
  CHECK(sentence([&] { sample(law, 0, 1, test::device()); }) ==
        "mno::sample: argument 'count': expected at least one draw, got 0.");
  Field<double, 1> wrong(3, {{4}, {}}, 1);
  SampleWorkspace<double> workspace;
  CHECK(
      sentence([&] { sample_into(law, 3, 1, wrong, workspace); }) ==
      "mno::sample: argument 'draws': expected batch 6, grid 4 and its domain, 1 channels, got batch 3, grid "
      "4, 1 channels.");
}

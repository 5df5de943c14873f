// What an ensemble of laws promises: Γ positive semidefinite and of rank ≤ K r + K − 1, a variance that is
// the sum of its two parts, draws that have it, and for one member that member's law.
#include "mno/law/mixture.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include "mno/law/any_residual.hpp"
#include "mno/law/any_warp.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
Mixture<double, 1> random_mixture(Index count, Index points, Index rank, std::uint64_t seed, bool nugget) {
  std::vector<Law<double, 1>> laws;
  for (Index k = 0; k < count; ++k) {
    auto law = random_law<double, 1>(2, Grid<1>{{points}}, 2, rank, seed + 100 * std::uint64_t(k));
    laws.push_back(nugget && k != 1 ? with_nugget(law, seed + 7 + std::uint64_t(k)) : law);
  }
  return Mixture<double, 1>(std::move(laws));
}
/// avg_k (Γ_k + (m_k − m̄)(m_k − m̄)ᵀ), written out.
Eigen::MatrixXd total_covariance(const Mixture<double, 1>& mixture, Index s) {
  Eigen::VectorXd centre = Eigen::VectorXd::Zero(mixture.size());
  for (const auto& law : mixture.laws()) centre += flat(law.mean, s) / double(mixture.count());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(mixture.size(), mixture.size());
  for (const auto& law : mixture.laws()) {
    const Eigen::VectorXd off = flat(law.mean, s) - centre;
    sum += (covariance(law, s).dense() + off * off.transpose()) / double(mixture.count());
  }
  return sum;
}
}  // namespace

TEST_CASE("the covariance is the average within plus the one between, in a factor of K r + K − 1 rows") {
  CHECK(for_any("any number of laws", [] {
    const Index count = any_in<Index>(1, 6), rank = any_in<Index>(1, 4);
    const auto mixture =
        random_mixture(count, any_in<Index>(1, 7), rank, any_in<std::uint64_t>(1, 100000), any_bool());
    const Law<double, 1> law = moment_law(mixture);
    HOLDS(law.rank() == count * rank + count - 1);
    for (Index s = 0; s < mixture.batch(); ++s) {
      const Eigen::MatrixXd expected = total_covariance(mixture, s), gamma = covariance(mixture, s).dense();
      HOLDS((gamma - expected).norm() <= 1e-13 * expected.norm());
      const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gamma).eigenvalues();
      HOLDS(values.minCoeff() >= -1e-13 * gamma.norm());
    }
  }));
}

TEST_CASE("aleatoric and epistemic parts add up to the variance, which is the diagonal of the covariance") {
  CHECK(for_any("any number of laws", [] {
    const auto mixture = random_mixture(any_in<Index>(1, 6), any_in<Index>(1, 7), 2,
                                        any_in<std::uint64_t>(1, 100000), any_bool());
    const auto [aleatoric, epistemic] = uncertainty(mixture);
    const auto all = variance(mixture), of_law = variance(moment_law(mixture)), centre = mean(mixture);
    for (std::size_t i = 0; i < all.size(); ++i) {
      HOLDS(aleatoric.data()[i] >= 0);
      HOLDS(epistemic.data()[i] >= 0);
      HOLDS(std::abs(aleatoric.data()[i] + epistemic.data()[i] - all.data()[i]) <= 1e-13 * all.data()[i]);
      HOLDS(std::abs(of_law.data()[i] - all.data()[i]) <= 1e-12 * all.data()[i]);
    }
    HOLDS((flat(moment_law(mixture).mean, 0) - flat(centre, 0)).norm() <= 1e-13 * flat(centre, 0).norm());
  }));
}

TEST_CASE("one member gives that member's law; equal members have no epistemic part") {
  const auto law = with_nugget(random_law<double, 1>(2, Grid<1>{{5}}, 2, 3, 4), 9);
  const Law<double, 1> one = moment_law(Mixture<double, 1>({law}));
  CHECK(std::ranges::equal(one.mean.span(), law.mean.span()));
  CHECK(std::ranges::equal(one.factor.span(), law.factor.span()));
  CHECK(flat(one.nugget, 1).isApprox(flat(law.nugget, 1).cwiseAbs(), 1e-15));
  const auto same = uncertainty(Mixture<double, 1>({law, law, law}));
  for (const double v : same.epistemic.span()) CHECK(v < 1e-28);
  CHECK(flat(same.aleatoric, 0).isApprox(flat(variance(law), 0), 1e-14));
}

TEST_CASE("draws have the mixture's mean and covariance, and do not depend on their number") {
  const auto mixture = random_mixture(3, 2, 2, 5, true);
  const Index count = 40000;
  const auto draws = sample(mixture, count, 3);
  const double critical = critical_z(1e-6, 2 * 4 * 5);
  for (Index s = 0; s < 2; ++s) {
    const Eigen::MatrixXd expected = total_covariance(mixture, s);
    const Eigen::VectorXd centre = flat(mean(mixture), s);
    for (Index i = 0; i < 4; ++i)
      for (Index l = 0; l <= 4; ++l) {  // l = 4: the mean
        double sum = 0, square = 0;
        for (Index j = 0; j < count; ++j) {
          const Eigen::VectorXd e = flat(draws, s * count + j) - centre;
          const double x = l < 4 ? e[i] * e[l] - expected(i, l) : e[i];
          sum += x;
          square += x * x;
        }
        CHECK(std::abs(sum) < critical * std::sqrt(square));
      }
  }
  const auto few = sample(mixture, 10, 3);
  for (Index s = 0; s < 2; ++s)
    for (Index j = 0; j < 10; ++j) CHECK(flat(few, s * 10 + j) == flat(draws, s * count + j));
}

TEST_CASE("under a warp the parts are those of the user's units, and the covariance is refused") {
  std::vector<Law<double, 1, AnyResidual, AnyWarp>> laws;
  for (const std::uint64_t seed : {1, 2})
    laws.push_back(with_warp(with_residual(random_law<double, 1>(1, Grid<1>{{3}}, 1, 2, seed), AnyResidual()),
                             AnyWarp(LogWarp{})));
  const Mixture<double, 1, AnyResidual, AnyWarp> mixture(laws);
  const auto [aleatoric, epistemic] = uncertainty(mixture);
  const auto m0 = mean(laws[0]), m1 = mean(laws[1]), v0 = variance(laws[0]), v1 = variance(laws[1]);
  for (Index x = 0; x < 3; ++x) {
    CHECK(epistemic(0, x, 0) == doctest::Approx(std::pow((m0(0, x, 0) - m1(0, x, 0)) / 2, 2)));
    CHECK(aleatoric(0, x, 0) == doctest::Approx((v0(0, x, 0) + v1(0, x, 0)) / 2));
  }
  CHECK(sentence([&] { moment_law(mixture); }).find("without a warp") != std::string::npos);
}

TEST_CASE("laws of different grids are refused in a sentence") {
  const auto a = random_law<double, 1>(1, Grid<1>{{4}}, 1, 2, 1),
             b = random_law<double, 1>(1, Grid<1>{{5}}, 1, 2, 1);
  CHECK(sentence([&] { Mixture<double, 1>({a, b}); }).find("grid") != std::string::npos);
  CHECK(sentence([&] { Mixture<double, 1>(std::vector<Law<double, 1>>{}); }).find("at least one") !=
        std::string::npos);
}

// Conditioning by r × r algebra equals dense Gaussian conditioning; exact observations are met exactly.
#include "mno/law/conditioning.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <vector>

#include "mno/law/covariance.hpp"
#include "property.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

template <int D> void equals_dense() {
  Grid<D> grid;
  for (Index& n : grid.points) n = any_in<Index>(1, D == 1 ? 10 : 4);
  const auto seed = any_in<std::uint64_t>(1, 1000000);
  const Index channels = any_in<Index>(1, 4), rank = any_in<Index>(1, 7);
  auto law = random_law<double, D>(2, grid, channels, rank, seed);
  if (any_bool()) law = with_nugget(law, seed + 3);
  const Index n = law.size(), p = any_in<Index>(1, 9);
  const double tau2 = one_of({1e-3, 0.1, 2.0});
  Stream stream(seed);
  std::vector<Observation> seen;
  Eigen::MatrixXd select = Eigen::MatrixXd::Zero(p, n);
  Eigen::VectorXd values(p);
  for (Index i = 0; i < p; ++i) {  // the same entry may be observed twice
    seen.push_back({Index(stream.uniform() * double(law.points())),
                    Index(stream.uniform() * double(channels)), stream.normal()});
    select(i, seen.back().point * channels + seen.back().channel) = 1;
    values[i] = seen.back().value;
  }
  const auto posterior = condition(law, 1, seen, tau2);
  HOLDS(posterior.batch() == 1 && posterior.rank() == rank && posterior.grid() == grid);

  // m + ΓHᵀ(HΓHᵀ + τ²I)⁻¹(y − Hm),  Γ − ΓHᵀ(HΓHᵀ + τ²I)⁻¹HΓ
  const Eigen::MatrixXd gamma = covariance(law, 1).dense();
  const Eigen::MatrixXd gain = (select * gamma * select.transpose() + tau2 * Eigen::MatrixXd::Identity(p, p))
                                   .llt()
                                   .solve(select * gamma)
                                   .transpose();
  const Eigen::VectorXd mean = flat(law.mean, 1) + gain * (values - select * flat(law.mean, 1));
  const Eigen::MatrixXd conditional = gamma - gain * select * gamma;
  HOLDS((flat(posterior.mean, 0) - mean).norm() <= 1e-9 * (1 + mean.norm()));
  HOLDS((covariance(posterior, 0).dense() - conditional).norm() <= 1e-9 * (1 + gamma.norm()));
}

}  // namespace

TEST_CASE("equals dense Gaussian conditioning") {
  CHECK(for_any("1D", [] { equals_dense<1>(); }));
  CHECK(for_any("2D", [] { equals_dense<2>(); }));
}

TEST_CASE("with a nugget exact observations are met exactly, and tell the rest what dense algebra says") {
  CHECK(for_any("1D", [] {
    const auto seed = any_in<std::uint64_t>(1, 1000000);
    const Index channels = any_in<Index>(1, 3), points = any_in<Index>(4, 9), rank = any_in<Index>(1, 6),
                n = points * channels;
    auto law = with_nugget(random_law<double, 1>(1, {{points}, {}}, channels, rank, seed), seed + 3);
    const Index bare = any_in<Index>(0, std::min<Index>(rank, 3));  // entries without a nugget
    for (Index e = 0; e < bare; ++e) law.nugget.data()[e] = 0;
    const Index p = any_in<Index>(1, n);
    std::vector<Observation> seen;
    Eigen::MatrixXd select = Eigen::MatrixXd::Zero(p, n);
    Eigen::VectorXd values = random_matrix(p, 1, seed + 4);
    for (Index e = 0; e < p; ++e) {
      seen.push_back({e / channels, e % channels, values[e]});
      select(e, e) = 1;
    }
    const auto posterior = condition(law, 0, seen, 0);
    const Eigen::MatrixXd gamma = covariance(law, 0).dense();
    const Eigen::MatrixXd gain =
        (select * gamma * select.transpose()).ldlt().solve(select * gamma).transpose();
    const Eigen::VectorXd mean = flat(law.mean, 0) + gain * (values - select * flat(law.mean, 0));
    const double condition_number = gain.norm();
    HOLDS(posterior.rank() == rank);
    HOLDS((flat(posterior.mean, 0) - mean).norm() <= 1e-8 * (1 + condition_number) * (1 + mean.norm()));
    HOLDS((covariance(posterior, 0).dense() - (gamma - gain * select * gamma)).norm() <=
          1e-8 * (1 + condition_number) * (1 + gamma.norm()));
    const auto var = variance(posterior);
    for (Index e = bare; e < p; ++e) {
      HOLDS(flat(posterior.mean, 0)[e] == values[e]);
      HOLDS(var.data()[e] == 0);
    }
  }));
}

TEST_CASE("an exact observation is met, leaves no variance there and is not news the second time") {
  const auto law = random_law<double, 2>(1, {{4, 3}, {}}, 2, 5, 3);
  const std::vector<Observation> seen{{7, 1, 0.25}, {2, 0, -3}};
  const auto posterior = condition(law, 0, seen, 0);
  CHECK(posterior.mean(0, 7, 1) == doctest::Approx(0.25).epsilon(1e-13));
  CHECK(posterior.mean(0, 2, 0) == doctest::Approx(-3).epsilon(1e-13));
  const auto var = variance(posterior);
  CHECK(var(0, 7, 1) < 1e-28);
  CHECK(var(0, 2, 0) < 1e-28);
  CHECK(var(0, 7, 0) > 1e-3);
  const auto again =
      condition(posterior, 0, seen, 0);  // nothing new: rounding must not be read as information
  CHECK((flat(again.mean, 0) - flat(posterior.mean, 0)).norm() < 1e-12);
}

TEST_CASE("a small noise leaves its own variance at the observed entry") {
  const auto law = random_law<double, 1>(1, {{6}, {}}, 1, 1, 3);
  const double tau2 = 1e-16, s = variance(law)(0, 2, 0);
  const std::vector<Observation> seen{{2, 0, 1}};
  CHECK(variance(condition(law, 0, seen, tau2))(0, 2, 0) ==
        doctest::Approx(tau2 * s / (tau2 + s)).scale(0).epsilon(1e-9));
}

TEST_CASE("more exact observations than factors: least squares, and nothing is left to vary") {
  const auto law = random_law<double, 1>(1, {{6}, {}}, 1, 2, 3);
  const Eigen::VectorXd xi = Eigen::Vector2d(0.4, -1.2);
  const Eigen::VectorXd u = flat(law.mean, 0) + factor_transpose_times(law, 0, xi);  // attainable
  std::vector<Observation> seen;
  for (Index x = 0; x < 6; ++x) seen.push_back({x, 0, u[x]});
  const auto posterior = condition(law, 0, seen, 0);
  CHECK((flat(posterior.mean, 0) - u).norm() < 1e-12);
  CHECK(covariance(posterior, 0).trace() < 1e-26);
}

TEST_CASE("no observation, or one where the law has no spread, changes nothing") {
  auto law = random_law<double, 1>(1, {{4}, {}}, 1, 3, 3);
  for (Index k = 0; k < 3; ++k) law.factor(0, 1, k) = 0;
  const std::vector<Observation> blind{{1, 0, 5}};
  for (const auto& posterior : {condition(law, 0, {}, 0), condition(law, 0, {}, 0.1),
                                condition(law, 0, blind, 0), condition(law, 0, blind, 0.1)}) {
    CHECK((flat(posterior.mean, 0) - flat(law.mean, 0)).norm() < 1e-14);
    CHECK((covariance(posterior, 0).dense() - covariance(law, 0).dense()).norm() < 1e-13);
  }
}

TEST_CASE("float laws condition to float precision") {
  const auto law = random_law<float, 1>(1, {{8}, {}}, 1, 3, 4);
  const std::vector<Observation> seen{{5, 0, 0.5}};
  const auto posterior = condition(law, 0, seen, 0);
  CHECK(posterior.mean(0, 5, 0) == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(variance(posterior)(0, 5, 0) < 1e-12f);
  const auto again = condition(posterior, 0, seen, 0);
  CHECK((flat(again.mean, 0) - flat(posterior.mean, 0)).norm() < 1e-6f);
}

TEST_CASE("misuse gives a sentence") {
  const auto law = random_law<double, 1>(1, {{4}, {}}, 2, 3, 3);
  const auto with = [&](Observation o, double tau2 = 0.1, Index sample = 0) {
    return sentence([&] { condition(law, sample, std::span<const Observation>(&o, 1), tau2); });
  };
  CHECK(with({4, 0, 1}) == "mno::condition: argument 'observations': expected a point below 4, got 4.");
  CHECK(with({0, 2, 1}) == "mno::condition: argument 'observations': expected a channel below 2, got 2.");
  CHECK(with({-1, 0, 1}) == "mno::condition: argument 'observations': expected a point below 4, got -1.");
  CHECK(with({0, 0, INFINITY}) ==
        "mno::condition: argument 'observations': expected finite values, got inf.");
  CHECK(with({0, 0, 1}, -0.1) ==
        "mno::condition: argument 'noise_variance': expected a finite variance, zero or more, got -0.1.");
  CHECK(with({0, 0, 1}, 0.1, 1) ==
        "mno::condition: argument 'sample': expected an index below the law's batch, 1, got 1.");
}

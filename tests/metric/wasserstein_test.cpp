// W2 of samples and of Gaussians: by hand, invariances, and each against the other.
#include "mno/metric/wasserstein.hpp"

#include <doctest/doctest.h>

#include "metric/support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

double w2s(const metric::Members& draws, const metric::Members& members) {
  metric::W2s metric;
  metric.add(draws, members);
  return metric.value();
}
double w2g(const metric::Moments& model, const metric::Moments& truth) {
  metric::W2g metric;
  metric.add(model, truth);
  return metric.value();
}
metric::Members row(std::initializer_list<double> values) {
  metric::Members m(1, Index(values.size()));
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

}  // namespace

TEST_CASE("W2s by hand: equal counts in any order, and unequal counts by quantiles") {
  CHECK(w2s(row({3, 1}), row({2, 6})) == doctest::Approx(std::sqrt(5.0)).epsilon(1e-15));  // 1→2, 3→6
  // quantile functions on thirds and halves: gaps 0-1, 0-1, 3-1, 3-9 (twice) over sixths
  CHECK(w2s(row({0, 3}), row({9, 1, 1})) ==
        doctest::Approx(std::sqrt((3 * 1.0 + 1 * 4.0 + 2 * 36.0) / 6)).epsilon(1e-15));
  CHECK(w2s(row({2}), row({0, 2, 7})) == doctest::Approx(std::sqrt((4.0 + 0 + 25) / 3)).epsilon(1e-15));
}

TEST_CASE("the average runs over entries and conditions") {
  metric::W2s metric;
  metric.add((metric::Members(2, 1) << 0, 0).finished(), (metric::Members(2, 1) << 1, 2).finished());
  metric.add((metric::Members(2, 1) << 0, 0).finished(), (metric::Members(2, 1) << 0, 9).finished());
  CHECK(metric.value() == doctest::Approx(3).epsilon(1e-15));
}

TEST_CASE("identical samples are at distance 0, repeated ones too, and a shift moves them by itself") {
  Stream stream(3);
  const metric::Members u = normal_ensemble(6, 40, stream);
  metric::Members twice(6, 80);
  twice << u.rowwise().reverse(), u;
  CHECK(w2s(u, u.rowwise().reverse()) == 0);
  CHECK(w2s(u, twice) == 0);
  CHECK(w2s((u.array() + 2.5).matrix(), u) == doctest::Approx(2.5).epsilon(1e-14));
  CHECK(w2s((u.array() - 2.5).matrix(), twice) == doctest::Approx(2.5).epsilon(1e-14));
  CHECK(w2s(3 * u, twice) > 0);
}

TEST_CASE("it is a metric: symmetric, with the triangle inequality at every entry") {
  Stream stream(4);
  for (int trial = 0; trial < 50; ++trial) {
    const auto a = normal_ensemble(1, 7, stream), b = normal_ensemble(1, 12, stream, 1, 2),
               c = normal_ensemble(1, 5, stream, -1, 0.5);
    CHECK(w2s(a, b) == doctest::Approx(w2s(b, a)).epsilon(1e-14));
    CHECK(w2s(a, c) <= w2s(a, b) + w2s(b, c) + 1e-14);
  }
}

TEST_CASE("W2g by hand, and a point mass") {
  const metric::Moments truth{Eigen::Vector2d(1, 0), Eigen::Vector2d(4, 1)};
  CHECK(w2g({Eigen::Vector2d(4, 0), Eigen::Vector2d(36, 1)}, truth) == doctest::Approx(2.5).epsilon(1e-15));
  CHECK(w2g(metric::point_mass(Eigen::Vector2d(1, 0)), truth) == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(w2g(truth, truth) == 0);
}

TEST_CASE("a point mass by samples is the one by moments with the variance divided by M") {
  Stream stream(5);
  const metric::Members u = normal_ensemble(1, 9, stream);
  metric::Moments truth = metric::moments(u);
  truth.variance *= 8.0 / 9;
  const Eigen::VectorXd prediction = Eigen::VectorXd::Constant(1, 0.7);
  CHECK(w2s(prediction, u) == doctest::Approx(w2g(metric::point_mass(prediction), truth)).epsilon(1e-14));
}

TEST_CASE("large Gaussian samples: W2s tends to W2g of their laws") {
  // Each W2 of an empirical law to its own is of order √(log log K / K): about 0.01 for K = 200000, and
  // the triangle inequality bounds the difference by both; its standard deviation is about 0.003.
  Stream stream(6);
  const double sampled =
      w2s(normal_ensemble(1, 200000, stream, 1, 2), normal_ensemble(1, 150000, stream, 0, 0.5));
  CHECK(std::abs(sampled - std::hypot(1.0, 1.5)) < 0.03);
}

TEST_CASE("misuse gives a sentence") {
  CHECK(sentence([] { w2s(metric::Members::Zero(2, 3), metric::Members::Zero(3, 3)); }) ==
        "mno::metric::W2s: argument 'members': expected 2 entries as the model has, got 3.");
  CHECK(sentence([] {
          w2s(row({0, std::nan("")}), row({0, 1}));
        }) == "mno::metric::W2s: argument 'draws': expected finite values, got a NaN or an infinity.");
  CHECK(sentence([] { metric::wasserstein_sorted({}, {}); }) ==
        "mno::metric::wasserstein_sorted: argument 'draws, members': expected at least one of each, got 0 "
        "and 0.");
}

#include "mno/law/mixture_marginal.hpp"

#include <doctest/doctest.h>

#include "mno/law/any_residual.hpp"
#include "mno/law/marginal_crps.hpp"
#include "support.hpp"

using namespace mno;
using namespace mno::testing;

namespace {
Mixture<double, 1> three_laws() {
  std::vector<Law<double, 1>> laws;
  for (const std::uint64_t seed : {1, 2, 3})
    laws.push_back(with_nugget(random_law<double, 1>(2, Grid<1>{{3}}, 2, 2, seed), seed + 5, 0.5));
  return Mixture<double, 1>(std::move(laws));
}
}  // namespace

TEST_CASE("draws follow the cdf; the quantile is its inverse, far into the tails too") {
  const auto mixture = three_laws();
  const auto draws = sample(mixture, 20000, 4);
  for (Index c = 0; c < 2; ++c) {
    const auto x = marginal(mixture, 1, 2, c);
    std::vector<double> values;
    for (Index j = 0; j < 20000; ++j) values.push_back(draws(20000 + j, 2, c));
    CHECK(ks_statistic(values, [&](double a) { return x.cdf(a); }) < critical_ks(1e-6 / 2));
    for (const double p : {1e-12, 0.01, 0.3, 0.5, 0.9})
      CHECK(x.cdf(x.quantile(p)) == doctest::Approx(p).scale(0));
    for (const double p : {0.99, 1 - 1e-9})
      CHECK(x.exceedance(x.quantile(p)) == doctest::Approx(1 - p).scale(0));
  }
}

TEST_CASE("fields of quantiles, intervals, risks and cdf are those of the marginals") {
  const auto mixture = three_laws();
  const auto x = marginal(mixture, 1, 2, 1);
  const auto [low, high] = interval(mixture, 0.9);
  CHECK(low(1, 2, 1) == x.quantile((1 - 0.9) / 2));
  CHECK(high(1, 2, 1) == x.quantile((1 + 0.9) / 2));
  CHECK(exceedance(mixture, 0.7)(1, 2, 1) == x.exceedance(0.7));
  CHECK(cdf(mixture, low)(1, 2, 1) == doctest::Approx(0.05));
}

TEST_CASE("the CRPS is the integral of (F − 1)², and of one law its own") {
  const auto mixture = three_laws();
  const auto x = marginal(mixture, 0, 1, 0);
  for (const double u : {-1.5, 0.0, 2.0}) {
    double sum = 0;
    const double step = 1e-3;
    for (double z = -30 + step / 2; z < 30; z += step) sum += step * std::pow(x.cdf(z) - double(u <= z), 2);
    CHECK(crps(x, u) == doctest::Approx(sum).epsilon(1e-3));
  }
  const auto& law = mixture.laws()[0];
  const Mixture<double, 1> alone({law});
  const auto values = sample(law, 1, 8), of_mixture = crps(alone, values), of_law = crps(law, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(of_mixture.data()[i] == doctest::Approx(of_law.data()[i]).epsilon(1e-12));
}

TEST_CASE("other residual laws have no closed CRPS, and say so") {
  const auto law = with_residual(three_laws().laws()[0], AnyResidual(StudentT(5)));
  const Mixture<double, 1, AnyResidual> mixture({law, law});
  CHECK(sentence([&] { crps(mixture, law.mean); }).find("score of draws") != std::string::npos);
  CHECK(marginal(mixture, 0, 0, 0).quantile(0.9) == marginal(law, 0, 0, 0).quantile(0.9));
}

TEST_CASE("the density is the average of densities") {
  const auto mixture = three_laws();
  const auto u = flat(mixture.laws()[1].mean, 0);
  double sum = 0;
  for (const auto& law : mixture.laws()) sum += std::exp(log_density(law, 0, u)) / 3;
  CHECK(log_density(mixture, 0, u) == doctest::Approx(std::log(sum)).epsilon(1e-12));
  const Eigen::VectorXd far = u.array() + 1e3;  // where every density is too small for a number
  CHECK(std::isfinite(log_density(mixture, 0, far)));
}

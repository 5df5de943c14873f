// Covariances compared through random probes.
#include "mno/loss/hutchinson.hpp"

#include "oracle.hpp"

using namespace mno;
using namespace mno::testing;

namespace {

std::vector<double> probes(const Hutchinson& term, Index sample, Index n, std::uint64_t step = 0) {
  std::vector<double> v(std::size_t(term.probes * n));
  term.draw({v.data(), term.probes, n, n}, step, sample);
  return v;
}

}  // namespace

TEST_CASE("entries have the moments 0, 1, 0, 3 and neighbours are uncorrelated") {
  const Index n = 13, count = 40000;
  const auto v = probes(Hutchinson{.probes = count, .seed = 5}, 0, n);
  double moment[4] = {}, neighbours = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (int power = 1; power <= 4; ++power) moment[power - 1] += std::pow(v[i], power) / double(v.size());
    if (i > 0) neighbours += v[i] * v[i - 1] / double(v.size());
  }
  const double standard_error = 1 / std::sqrt(double(v.size()));
  CHECK(std::abs(moment[0]) < 4 * standard_error);
  CHECK(std::abs(moment[1] - 1) < 4 * std::sqrt(2.0) * standard_error);
  CHECK(std::abs(moment[2]) < 4 * std::sqrt(11.0) * standard_error);
  CHECK(std::abs(moment[3] - 3) < 4 * 5.0 * standard_error);
  CHECK(std::abs(neighbours) < 4 * standard_error);
}

TEST_CASE("probes depend on seed, step and sample") {
  const auto base = probes({.probes = 4, .seed = 5}, 7, 20, 6);
  CHECK(probes({.probes = 4, .seed = 5}, 7, 20, 6) == base);
  CHECK(probes({.probes = 4, .seed = 4}, 7, 20, 6) != base);
  CHECK(probes({.probes = 4, .seed = 5}, 7, 20, 7) != base);
  CHECK(probes({.probes = 4, .seed = 5}, 8, 20, 6) != base);
}

TEST_CASE("with many probes the sum of squares is 2|A|^2 + (tr A)^2, which sees the diagonal") {
  // B = diag(√1.5, √.5, 1), Y = I: A = Γ − Γ̂ = diag(.5, −.5, 0) has trace 0, and ±1 probes would see nothing.
  const Grid<1> grid{{3}};
  RandomEnsemble<double, 1> ensemble(1, grid, 1, 3, 11);
  Block<double, 1> block(0, 1, grid, 1, 3, 4);
  const double diagonal[3] = {std::sqrt(1.5), std::sqrt(0.5), 1};
  for (Index x = 0; x < 3; ++x)
    for (Index k = 0; k < 3; ++k) {
      block.factor(0, x, k, 0) = x == k ? diagonal[k] : 0;
      ensemble.factor(0, x, k) = x == k ? 1 : 0;
    }
  const double value = Hutchinson{.probes = 200000, .seed = 1}(block.law(), ensemble.target(), 1);
  CHECK(value == doctest::Approx(2 * 0.5 / (2 * 3 + 9)).scale(0).epsilon(0.03));
}

TEST_CASE("the ensemble's own factor has value and gradient zero") {
  const Grid<1> grid{{6}};
  const RandomEnsemble<double, 1> ensemble(1, grid, 2, 3, 11);
  Block<double, 1> block(0, 1, grid, 2, 3, 4);
  for (Index x = 0; x < 6; ++x)
    for (Index k = 0; k < 3; ++k)
      for (Index c = 0; c < 2; ++c) block.factor(0, x, k, c) = ensemble.factor(0, x, 2 * k + c);
  CHECK(Hutchinson{}(block.law(), ensemble.target(), 1) == 0);
  for (const double bar : block.bars.span()) CHECK(bar == 0);
}

TEST_CASE("needs factors of the ensemble, and probes") {
  const Point point{.m = 0, .b = 1, .u = 0};
  CHECK(sentence([&] { point(Hutchinson{}); }).find("target.covariance_factor") != std::string::npos);
  const RandomEnsemble<double, 1> ensemble(1, Grid<1>{{4}}, 1, 3, 1);
  Block<double, 1> block(0, 1, Grid<1>{{4}}, 1, 2, 2);
  CHECK(sentence([&] { Hutchinson{.probes = 0}(block.law(), ensemble.target(), 1); }) ==
        "mno::hutchinson: argument 'probes': expected at least one, got 0.");
}

TEST_CASE("cotangents by central differences") { check_gradient(Hutchinson{.probes = 5, .seed = 3}); }

#include "mno/simulate/kuramoto_sivashinsky.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mno;
using namespace mno::spde;
using doctest::Approx;

namespace {
double distance(const Field<double, 1>& a, const Field<double, 1>& b) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::pow(a.data()[i] - b.data()[i], 2);
    size += std::pow(b.data()[i], 2);
  }
  return std::sqrt(sum / size);
}
Field<double, 1> at_steps(KuramotoSivashinsky flow, Index steps) {
  flow.steps = steps;
  return collect<double>(flow, {.samples = 8, .members = 1, .seed = 5}).members;
}
}  // namespace

TEST_CASE("a small wave grows or decays as the linear part says") {
  KuramotoSivashinsky flow{.sigma = 0, .time = 2, .steps = 200};
  flow.initial = {.modes = 5, .decay = 0, .amplitude = 1e-6};
  const auto all = collect<double>(flow, {.samples = 1, .members = 1, .seed = 2});
  const FourierSeries start = flow.initial.draw(2, 0);
  for (Index k = 1; k <= 5; ++k) {
    double a = 0;
    for (Index p = 0; p < 64; ++p)
      a += all.of(0)(0, p, 0) * std::cos(2 * std::numbers::pi * double(k * p) / 64) / 32;
    const double q = 2 * std::numbers::pi * double(k) / 22;
    CHECK(a == Approx(start.cosine[std::size_t(k - 1)] * std::exp(2 * (q * q - q * q * q * q)))
                   .scale(0)
                   .epsilon(1e-4));
  }
}

TEST_CASE("without noise the error is of first order in the time step, and small at the usual one") {
  const KuramotoSivashinsky flow{.sigma = 0, .time = 5};
  const auto fine = at_steps(flow, 8000);
  std::vector<double> errors;
  for (const Index steps : {125, 250, 500}) errors.push_back(distance(at_steps(flow, steps), fine));
  for (std::size_t i = 1; i < errors.size(); ++i)
    CHECK(std::log2(errors[i - 1] / errors[i]) == Approx(1).epsilon(0.15));
  CHECK(distance(at_steps({.sigma = 0}, 1000), at_steps({.sigma = 0}, 16000)) < 0.02);
}

TEST_CASE("64 points are enough, and the spatial mean is conserved") {
  KuramotoSivashinsky coarse{}, fine{.simulated = 128, .kept = 64};
  const Sampling sampling{.samples = 3, .members = 4, .seed = 1};
  const auto a = collect<double>(coarse, sampling), b = collect<double>(fine, sampling);
  CHECK(distance(a.members, b.members) < 1e-3);
  for (Index m = 0; m < 4; ++m) {
    double mean = 0;
    for (Index p = 0; p < 64; ++p) mean += a.of(0)(m, p, 0) / 64;
    CHECK(std::abs(mean) < 1e-9);
  }
}

TEST_CASE("the flow is chaotic: what differs by little differs by much later") {
  KuramotoSivashinsky flow{.sigma = 1e-6, .time = 200, .steps = 20000};
  const auto all = collect<double>(flow, {.samples = 1, .members = 2, .seed = 1, .times = {10, 100, 200}});
  const auto gap = [&](Index row) {
    double sum = 0;
    for (Index p = 0; p < 64; ++p) sum += std::pow(all.of(row)(0, p, 0) - all.of(row)(1, p, 0), 2) / 64;
    return std::sqrt(sum);
  };
  CHECK(gap(0) < 1e-3);
  CHECK(gap(2) > 10 * gap(0));
  CHECK(gap(2) < 10);  // on an attractor
}

TEST_CASE("the law depends on u_0: some conditions have several times the variance of others") {
  const auto all = collect<double>(KuramotoSivashinsky{}, {.samples = 24, .members = 64, .seed = 3});
  double least = 1e9, most = 0;
  for (Index s = 0; s < 24; ++s) {
    double variance = 0;
    for (Index p = 0; p < 64; ++p) {
      double mean = 0, square = 0;
      for (Index m = 0; m < 64; ++m) {
        mean += all.of(s)(m, p, 0) / 64;
        square += std::pow(all.of(s)(m, p, 0), 2) / 64;
      }
      variance += (square - mean * mean) / 63;
    }
    least = std::min(least, variance);
    most = std::max(most, variance);
  }
  CHECK(most > 4 * least);
}

TEST_CASE("bad options are refused with a sentence") {
  CHECK_THROWS_WITH(collect<double>(KuramotoSivashinsky{.length = 0}, {}),
                    "mno::KuramotoSivashinsky: argument 'length': expected a positive number, got 0.");
  CHECK_THROWS_AS(collect<double>(KuramotoSivashinsky{.steps = 0}, {}), Error);
}

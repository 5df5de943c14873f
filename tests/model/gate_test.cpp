// The two gates: their values, their derivatives, and what they are for.
#include "mno/model/gate.hpp"

#include <doctest/doctest.h>

using namespace mno;

namespace {
template <class G> void derivatives(std::vector<double> w, double t) {
  CAPTURE(t);
  std::vector<double> wbar(w.size(), 0.0);
  const double tbar = G::vjp(std::span<const double>(w), t, 1.0, std::span<double>(wbar));
  const auto difference = [&](double& variable) {
    const double start = variable, h = 1e-5 * std::abs(start);
    variable = start + h;
    const double up = G::value(std::span<const double>(w), t);
    variable = start - h;
    const double down = G::value(std::span<const double>(w), t);
    variable = start;
    return (up - down) / (2 * h);
  };
  for (std::size_t i = 0; i < w.size(); ++i)
    CHECK(wbar[i] == doctest::Approx(difference(w[i])).epsilon(1e-8));
  CHECK(tbar == doctest::Approx(difference(t)).epsilon(1e-8));
}
}  // namespace

TEST_CASE("the paper's gate is 1 − exp(−|α|t)") {
  for (const double alpha : {-3.0, -0.2, 0.5, 2.0})
    for (const double t : {1e-3, 0.1, 1.0, 7.0}) {
      const double w[] = {alpha};
      CHECK(Gate::value(std::span<const double>(w), t) ==
            doctest::Approx(1 - std::exp(-std::abs(alpha) * t)).scale(0));
      derivatives<Gate>({alpha}, t);
    }
}

TEST_CASE("both gates are exactly closed at t = 0 and nowhere else") {
  const double w[] = {1.3, -0.4};
  CHECK(Gate::value(std::span<const double>(w), 0.0) == 0.0);
  CHECK(PowerGate::value(std::span<const double>(w), 0.0) == 0.0);
  CHECK(Gate::value(std::span<const double>(w), 1e-300) > 0);
  CHECK(PowerGate::value(std::span<const double>(w), 1e-300) > 0);
  double wbar[2] = {};
  CHECK(std::isfinite(PowerGate::vjp(std::span<const double>(w), 0.0, 1.0, std::span<double>(wbar))));
  CHECK(wbar[0] == 0);
  CHECK(wbar[1] == 0);
}

TEST_CASE("the power gate grows like t^h: a variance behind it like t^{2h}") {
  for (const double hurst : {0.1, 0.3, 0.5, 1.0}) {
    const double w[] = {1.0, std::log(std::expm1(hurst))};
    CHECK(PowerGate::exponent(std::span<const double>(w)) == doctest::Approx(hurst));
    const auto variance = [&](double t) {
      return std::pow(PowerGate::value(std::span<const double>(w), t), 2);
    };
    const double slope = std::log(variance(1e-5) / variance(1e-6)) / std::log(10.0);
    CHECK(slope == doctest::Approx(2 * hurst).epsilon(1e-4));
    for (const double t : {1e-3, 0.1, 1.0, 7.0}) derivatives<PowerGate>({1.0, w[1]}, t);
    derivatives<PowerGate>({-0.6, w[1]}, 0.7);
  }
}

TEST_CASE("first values: α = 1, and h = 1/2 as for Brownian motion") {
  double w[2];
  Stream random(1);
  PowerGate::initialise(std::span<double>(w), random);
  CHECK(w[0] == 1);
  CHECK(PowerGate::exponent(std::span<const double>(w)) == doctest::Approx(0.5));
}

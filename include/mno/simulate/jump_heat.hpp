#pragma once
// The heat equation on [0,1) that is driven by jumps beside its Brownian noise:
//
//     du = ν u_xx dt + σ (√b dW + √(1−b) dJ),   J_t = Σ_{τ_j ≤ t} η_j/√λ,
//
// where the τ_j are the times of a Poisson process of rate λ, and every jump η_j is a field with the law of
// W_1. Mean and covariance are those of the heat equation (simulate/heat.hpp), whatever b and λ are. The law
// itself differs: given the times of the jumps u_t is normal, and the variance of mode k depends on them,
//
//     Var c_k = σ² (b (e^{2λ_k t} − 1)/(2λ_k) + (1−b)/λ Σ_j e^{2λ_k (t − τ_j)}).
//
// Nothing is stepped: every query time is exact.
#include <algorithm>
#include <vector>

#include "mno/law/residual/scale_mixture.hpp"
#include "mno/simulate/heat.hpp"

namespace mno::spde {

struct JumpHeat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double sigma = 0.1;
  double rate = 4;        // λ: jumps per unit of time
  double brownian = 0.1;  // b: the share of the variance that is Brownian
  double time = 0.5;
  Index points = 64;
  InitialField initial{};
  ModalNoise noise = ModalNoise::with_mean(8);

  template <class T> using Solver = ModalSolver<T, JumpHeat>;

  /// The heat equation with the same mean and covariance.
  Heat heat() const {
    return {.nu = nu, .sigma = sigma, .time = time, .points = points, .initial = initial, .noise = noise};
  }
  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  FourierSeries mean(FourierSeries series, double t) const { return heat().mean(std::move(series), t); }
  double deviation(Index k, double t) const { return heat().deviation(k, t); }

  /// The times of one member's jumps before t: gaps of a Poisson process, so that a later t adds to them.
  using Shocks = std::vector<double>;
  Shocks shocks(Stream& stream, double t) const {
    Shocks times;
    for (double now = stream.exponential() / rate; now < t; now += stream.exponential() / rate)
      times.push_back(now);
    return times;
  }
  /// Of a mode between two times, given the jumps.
  Transition transition(Index k, double s, double t, const Shocks& jumps) const {
    const double lambda = heat().rate(k);
    double variance = brownian * std::pow(ornstein_uhlenbeck_deviation(lambda, t - s), 2);
    for (const double tau : jumps)
      if (tau >= s && tau < t) variance += (1 - brownian) / rate * std::exp(2 * lambda * (t - tau));
    return {std::exp(lambda * (t - s)), sigma * std::sqrt(variance)};
  }

  /// The law of every entry at time t in its deviations: given the jumps, Var u(t, x) is S times that of the
  /// heat equation at every x. S is drawn 2^16 times and stands in 32 classes, finer towards its upper end,
  /// each at its mean. Entries together have another law: the modes' variances decay apart.
  ScaleMixture marginal(double t) const {
    constexpr Index draws = 1 << 16, classes = 32;
    const auto variance = [&](auto&& of_mode) {
      double sum = 0;
      for (Index k = 0; k <= noise.modes(); ++k)
        sum += (k == 0 ? 1 : 2) * std::pow(noise[k] * of_mode(k).deviation, 2);
      return sum;
    };
    const double whole = variance([&](Index k) { return heat().transition(k, 0, t); });
    std::vector<double> strengths;
    for (Index i = 0; i < draws; ++i) {
      Stream stream(std::uint64_t(0), std::uint64_t(i));
      const Shocks jumps = shocks(stream, t);
      strengths.push_back(variance([&](Index k) { return transition(k, 0, t, jumps); }) / whole);
    }
    std::ranges::sort(strengths);
    std::vector<double> weights, means;
    const auto end_of = [](Index c) {  // 1 − (1 − c/32)² of the draws
      return Index(double(draws) * (1 - std::pow(1 - double(c) / classes, 2)) + 0.5);
    };
    for (Index c = 0; c < classes; ++c) {
      double sum = 0;
      for (Index i = end_of(c); i < end_of(c + 1); ++i) sum += strengths[std::size_t(i)];
      weights.push_back(double(end_of(c + 1) - end_of(c)));
      means.push_back(std::max(sum / weights.back(), 1e-12));  // nothing has happened where b = 0
    }
    return {weights, means};
  }

  void check() const {
    heat().check();
    require(std::isfinite(rate) && rate > 0 && rate <= 1e6, "JumpHeat", "rate",
            Text("a positive number of jumps per unit of time, at most a million"), Text(rate));
    require(brownian >= 0 && brownian <= 1, "JumpHeat", "brownian", Text("a share from 0 to 1"),
            Text(brownian));
  }
  void check_time(double t) const { detail::check_free_time(t, "JumpHeat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

}  // namespace mno::spde

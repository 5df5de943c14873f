#pragma once
// Two fields on [0,1) that exchange heat and are driven by correlated noise. Their law is known at every
// time:
//
//     u_t = ν u_xx − c u_x + κ(v − u) + σẆ¹,     v_t = ν v_xx − c v_x + κ(u − v) + σẆ²,
//     W¹ and W² as in noise.hpp, each mode of one correlated by ρ with the same mode of the other.
//
// The sum s = (u + v)/√2 and the difference d = (u − v)/√2 are heat equations of their own, with
//     rates     −ν(2πk)²  and  −ν(2πk)² − 2κ,
//     noises    σ√(1 + ρ) q_k  and  σ√(1 − ρ) q_k,   independent of each other.
//
// exact_law(coupled, seed, sample, t) of modal.hpp gives mean, variance and factor rows.
#include <array>
#include <numbers>

#include "mno/simulate/heat.hpp"

namespace mno {

/// One series for each of two channels.
struct CoupledSeries {
  std::array<FourierSeries, 2> channel{};

  template <class T> void evaluate(View<T, 1> field, Index b = 0) const {
    for (Index p = 0; p < field.points(); ++p)
      for (Index c = 0; c < 2; ++c)
        field(b, p, c) = T(channel[std::size_t(c)](double(p) / double(field.points())));
  }
};

/// A wave of the sum of two fields, or of their difference.
struct CoupledWave {
  Index k = 0;
  bool difference = false;
};

/// Of two channels: q_k times a wave in both, and q_k times a wave in one and its negative in the other.
struct CoupledNoise {
  ModalNoise each = ModalNoise::with_mean(8);

  void check() const { each.check(); }
  Index rank() const { return 2 * each.rank(); }
  CoupledWave wavenumber(Index i) const { return {each.wavenumber(i / 2), i % 2 == 1}; }
  /// Rows (rank, point·2 + channel); both channels of a row together have the size of a row of ModalNoise.
  ModalNoise::Rows basis(Index points, double shift) const {
    const ModalNoise::Rows one = each.basis(points, shift);
    ModalNoise::Rows rows(rank(), 2 * points);
    for (Index i = 0; i < rank(); ++i)
      for (Index p = 0; p < points; ++p) {
        const double value = one(i / 2, p) / std::numbers::sqrt2;
        rows(i, 2 * p) = value;
        rows(i, 2 * p + 1) = i % 2 == 1 ? -value : value;
      }
    return rows;
  }
};

namespace spde {

struct CoupledHeat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 2;

  double nu = 0.02;
  double velocity = 0.25;    // c
  double exchange = 1;       // κ
  double correlation = 0.6;  // ρ
  double sigma = 0.1;
  double time = 0.5;
  Index points = 64;
  InitialField initial{};  // of each channel, independent of the other
  CoupledNoise noise{};

  template <class T> using Solver = ModalSolver<T, CoupledHeat>;

  /// What a wave of the sum, or of the difference, does.
  double rate(CoupledWave wave) const { return sum().rate(wave.k) - (wave.difference ? 2 * exchange : 0); }
  double share(CoupledWave wave) const {
    return std::sqrt(1 + (wave.difference ? -correlation : correlation));
  }
  /// Two samples of the sequence of one channel are a sample here.
  CoupledSeries draw(std::uint64_t seed, Index sample) const {
    return {{initial.draw(seed, 2 * sample), initial.draw(seed, 2 * sample + 1)}};
  }
  /// u = ½(1 + e^{−2κt}) û + ½(1 − e^{−2κt}) v̂, where û and v̂ are solutions without exchange.
  CoupledSeries mean(const CoupledSeries& series, double t) const {
    const FourierSeries u = sum().mean(series.channel[0], t), v = sum().mean(series.channel[1], t);
    const double own = (1 + std::exp(-2 * exchange * t)) / 2;
    return {{mixed(u, v, own), mixed(v, u, own)}};
  }
  double shift(double t) const { return sum().shift(t); }
  double deviation(CoupledWave wave, double t) const {
    return sigma * share(wave) * ornstein_uhlenbeck_deviation(rate(wave), t);
  }
  Transition transition(CoupledWave wave, double s, double t) const {
    return {std::exp(rate(wave) * (t - s)), deviation(wave, t - s)};
  }

  void check() const {
    sum().check();
    require(std::isfinite(exchange) && exchange >= 0, "CoupledHeat", "exchange",
            Text("a number that is not negative"), Text(exchange));
    require(correlation >= -1 && correlation <= 1, "CoupledHeat", "correlation", Text("a number in [-1, 1]"),
            Text(correlation));
  }
  void check_time(double t) const { detail::check_free_time(t, "CoupledHeat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }

 private:
  /// The equation of s, but for the size of its noise.
  Heat sum() const { return {nu, velocity, sigma, time, points, initial, noise.each}; }
  static FourierSeries mixed(FourierSeries a, const FourierSeries& b, double own) {
    a.mean = own * a.mean + (1 - own) * b.mean;
    for (std::size_t i = 0; i < a.cosine.size(); ++i) {
      a.cosine[i] = own * a.cosine[i] + (1 - own) * b.cosine[i];
      a.sine[i] = own * a.sine[i] + (1 - own) * b.sine[i];
    }
    return a;
  }
};

}  // namespace spde
}  // namespace mno

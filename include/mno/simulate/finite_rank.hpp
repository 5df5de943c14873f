#pragma once
// A drift of known finite rank and noise of known finite rank, on [0,1):
//
//     u_t = u_0 + t Σ_{i=1..N} α_i φ_i ⟨ψ_i, u_0⟩ + σ W_t,    α_i = strength/i,
//
// φ_i and ψ_i are fixed trigonometric polynomials of norm 1, drawn with the seed `functions`. They have fixed
// places, so no convolution is this operator. The covariance σ² t Σ_k q_k² … has the rank of the noise. Its
// law is known: exact_law(equation, u_0, t) of modal.hpp.
#include "mno/simulate/modal.hpp"

namespace mno::spde {

struct FiniteRank {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  Index terms = 3;      // N
  double strength = 2;  // α_1
  double sigma = 0.3;
  double time = 1;
  Index points = 64;
  Index modes = 4;  // of φ_i and ψ_i
  std::uint64_t functions = 7;
  InitialField initial{};
  ModalNoise noise = ModalNoise::of_unit_variance(2);  // five waves

  template <class T> using Solver = ModalSolver<T, FiniteRank>;

  FourierSeries actuation(Index i) const { return function(2 * i); }    // φ_i
  FourierSeries sensing(Index i) const { return function(2 * i + 1); }  // ψ_i
  double coefficient(Index i) const { return strength / double(i + 1); }

  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  FourierSeries mean(FourierSeries series, double t) const {
    const FourierSeries start = series;
    const auto all = std::size_t(std::max(modes, series.modes()));
    series.cosine.resize(all);
    series.sine.resize(all);
    for (Index i = 0; i < terms; ++i) {
      const FourierSeries phi = actuation(i);
      const double size = t * coefficient(i) * inner(sensing(i), start);
      series.mean += size * phi.mean;
      for (std::size_t k = 0; k < phi.cosine.size(); ++k) {
        series.cosine[k] += size * phi.cosine[k];
        series.sine[k] += size * phi.sine[k];
      }
    }
    return series;
  }
  double deviation(Index, double t) const { return sigma * std::sqrt(t); }
  Transition transition(Index k, double s, double t) const { return {1, deviation(k, t - s)}; }

  /// ∫ f g over [0,1).
  static double inner(const FourierSeries& f, const FourierSeries& g) {
    double sum = f.mean * g.mean;
    for (std::size_t k = 0; k < std::min(f.cosine.size(), g.cosine.size()); ++k)
      sum += (f.cosine[k] * g.cosine[k] + f.sine[k] * g.sine[k]) / 2;
    return sum;
  }

  void check() const {
    initial.check();
    noise.check();
    require(terms >= 1, "FiniteRank", "terms", Text("at least one"), Text(terms));
    require(modes >= 1, "FiniteRank", "modes", Text("at least one"), Text(modes));
    require(std::isfinite(strength), "FiniteRank", "strength", Text("a finite number"), Text(strength));
    require(std::isfinite(sigma) && sigma >= 0, "FiniteRank", "sigma", Text("a number that is not negative"),
            Text(sigma));
    require(points >= 1, "FiniteRank", "points", Text("at least one"), Text(points));
  }
  void check_time(double t) const { detail::check_free_time(t, "FiniteRank"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }

 private:
  FourierSeries function(Index which) const {
    FourierSeries series = InitialField{.modes = modes, .decay = 0, .mean_scale = 1}.draw(functions, which);
    const double norm = std::sqrt(inner(series, series));
    series.mean /= norm;
    for (auto* numbers : {&series.cosine, &series.sine})
      for (double& value : *numbers) value /= norm;
    return series;
  }
};

}  // namespace mno::spde

#pragma once
// The heat equation on [0,1) with noise whose strength is another in every realisation:
//
//     u_t = ν u_xx + √S σẆ,   S = (df−2)/χ²_df, one S for all times and places,  E S = 1.
//
// Its law at any time is known: mean and covariance of the heat equation (simulate/heat.hpp), and
// multivariate Student t with df degrees of freedom, whose tails fall like |z|^{−df}.
#include "mno/law/residual/student_t.hpp"
#include "mno/simulate/heat.hpp"

namespace mno::spde {

struct HeavyHeat {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;

  double nu = 0.02;
  double sigma = 0.1;
  double freedom = 4;  // df
  double time = 0.5;
  Index points = 64;
  InitialField initial{};
  ModalNoise noise = ModalNoise::with_mean(8);

  template <class T> using Solver = ModalSolver<T, HeavyHeat>;

  /// The heat equation with the same mean and covariance.
  Heat heat() const {
    return {.nu = nu, .sigma = sigma, .time = time, .points = points, .initial = initial, .noise = noise};
  }
  FourierSeries draw(std::uint64_t seed, Index sample) const { return initial.draw(seed, sample); }
  FourierSeries mean(FourierSeries series, double t) const { return heat().mean(std::move(series), t); }
  double deviation(Index k, double t) const { return heat().deviation(k, t); }

  /// S of one member.
  using Shocks = double;
  Shocks shocks(Stream& stream, double) const { return StudentT(freedom).draw_variance(stream); }
  Transition transition(Index k, double s, double t, Shocks strength) const {
    Transition result = heat().transition(k, s, t);
    result.deviation *= std::sqrt(strength);
    return result;
  }

  /// The law of every entry in its deviations, and of all entries together.
  StudentT marginal(double) const { return StudentT(freedom); }

  void check() const {
    heat().check();
    require(freedom > 2 && std::isfinite(freedom), "HeavyHeat", "freedom",
            Text("finite degrees of freedom above 2, where the variance is finite"), Text(freedom));
  }
  void check_time(double t) const { detail::check_free_time(t, "HeavyHeat"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{points}}; }
};

}  // namespace mno::spde

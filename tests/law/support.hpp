#pragma once
// Random laws and the statistics by which the tests of law/ judge samples.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "mno/law/law.hpp"
#include "mno/law/residual/gaussian.hpp"

namespace mno::testing {

template <class T, int D> void fill_normal(Field<T, D>& field, std::uint64_t seed) {
  Stream stream(seed);
  for (T& x : field.span()) x = T(stream.normal());
}

template <class T, int D>
Law<T, D> random_law(Index batch, Grid<D> grid, Index channels, Index rank, std::uint64_t seed) {
  Field<T, D> mean(batch, grid, channels), factor(batch, grid, rank * channels);
  fill_normal(mean, 2 * seed);
  fill_normal(factor, 2 * seed + 1);
  return {std::move(mean), std::move(factor)};
}

/// The law with a nugget of random deviations, of both signs.
template <class T, int D, class R, class W>
Law<T, D, R, W> with_nugget(Law<T, D, R, W> law, std::uint64_t seed, double scale = 1) {
  law.nugget = Field<T, D>(law.batch(), law.grid(), law.channels());
  fill_normal(law.nugget, seed);
  for (T& eta : law.nugget.span()) eta = T(scale * double(eta));
  return law;
}

inline Eigen::MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Eigen::MatrixXd m(rows, columns);
  Stream stream(seed);
  for (double& x : m.reshaped()) x = stream.normal();
  return m;
}

/// The sentence that a misuse throws.
template <class Function> std::string sentence(Function&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// |z| that a standard normal exceeds with probability `false_alarm` in at least one of `tests` tests, at
/// most.
inline double critical_z(double false_alarm, Index tests) {
  return -detail::normal_quantile(false_alarm / (2 * double(tests)));
}

/// √n sup|F_n − F| that a sample from F exceeds with probability `false_alarm` (Kolmogorov, leading term:
/// P(> x) ≈ 2 exp(−2x²), an upper bound).
inline double critical_ks(double false_alarm) { return std::sqrt(-0.5 * std::log(false_alarm / 2)); }

/// √n sup|F_n − F| for a continuous F.
template <class Cdf> double ks_statistic(std::vector<double> draws, Cdf&& cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = double(draws.size());
  double largest = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double f = cdf(draws[i]);
    largest = std::max({largest, f - double(i) / n, double(i + 1) / n - f});
  }
  return std::sqrt(n) * largest;
}

}  // namespace mno::testing

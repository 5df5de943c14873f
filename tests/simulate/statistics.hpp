#pragma once
// Statistical assertions with a stated rate of false alarms: a correct simulator with a fresh seed fails a
// whole family of `comparisons` with probability at most `alarm_rate` (Bonferroni).
#include <Eigen/Core>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "mno/core/grid.hpp"

namespace statistics {
using mno::Index;
inline constexpr double alarm_rate = 1e-5;

using Draws = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // (draw, coordinate)

/// |z| stays below this in all of so many standard normal comparisons.
inline double normal_bound(Index comparisons) {
  return quantile(complement(boost::math::normal(), alarm_rate / (2 * double(comparisons))));
}

/// Is sum/variance a draw of χ² with this many degrees of freedom?
inline bool chi_squared_ok(double sum, double variance, double freedom, Index comparisons) {
  const boost::math::chi_squared law(freedom);
  const double tail = alarm_rate / (2 * double(comparisons)), x = sum / variance;
  return x > quantile(law, tail) && x < quantile(complement(law, tail));
}

/// Independent draws of N(mean, covariance): every coordinate's mean (normal) and variance (χ², the mean
/// being known), and every covariance (normal approximation of a mean of n products).
struct Verdict {
  double worst_mean = 0, worst_covariance = 0;  // in units of what is allowed
  bool variances = true;
  bool ok() const { return worst_mean < 1 && worst_covariance < 1 && variances; }
};
inline Verdict gaussian_law(const Draws& draws, const Eigen::VectorXd& mean,
                            const Eigen::MatrixXd& covariance) {
  Verdict verdict;
  const Index n = draws.rows(), d = draws.cols();
  const Draws centred = draws.rowwise() - mean.transpose();
  const Eigen::MatrixXd sample = centred.transpose() * centred / double(n);
  for (Index i = 0; i < d; ++i) {
    const double deviation = std::sqrt(covariance(i, i) / double(n));
    verdict.worst_mean =
        std::max(verdict.worst_mean, std::abs(centred.col(i).mean()) / deviation / normal_bound(d));
    verdict.variances &= chi_squared_ok(sample(i, i) * double(n), covariance(i, i), double(n), d);
    for (Index j = 0; j < i; ++j) {
      const double scale =
          std::sqrt((covariance(i, i) * covariance(j, j) + covariance(i, j) * covariance(i, j)) / double(n));
      verdict.worst_covariance =
          std::max(verdict.worst_covariance,
                   std::abs(sample(i, j) - covariance(i, j)) / scale / normal_bound(d * (d - 1) / 2));
    }
  }
  return verdict;
}

}  // namespace statistics

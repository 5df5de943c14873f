#pragma once
// Random ensembles for the tests of metric/.
#include "law/support.hpp"
#include "mno/core/random.hpp"
#include "mno/metric/moments.hpp"

namespace mno::testing {

/// n × count numbers, each from draw(stream).
template <class Draw> metric::Members ensemble(Index n, Index count, Stream& stream, Draw&& draw) {
  metric::Members result(n, count);
  for (double& x : result.reshaped()) x = draw(stream);
  return result;
}
inline metric::Members normal_ensemble(Index n, Index count, Stream& stream, double mean = 0, double sd = 1) {
  return ensemble(n, count, stream, [=](Stream& s) { return mean + sd * s.normal(); });
}

/// Mean of repeated measurements and its standard error: what Monte-Carlo tests compare with a closed form.
class Repeats {
 public:
  void add(double x) {
    ++n_;
    const double delta = x - mean_;
    mean_ += delta / n_;
    squares_ += delta * (x - mean_);
  }
  double mean() const { return mean_; }
  double error() const { return std::sqrt(squares_ / (n_ - 1) / n_); }
  /// |z| of the hypothesis that the measurements have this expectation.
  double z(double expected) const { return std::abs(mean_ - expected) / error(); }

 private:
  double n_ = 0, mean_ = 0, squares_ = 0;
};

/// Monte-Carlo tests fail by chance with this probability at most, each, by the central limit theorem.
inline constexpr double false_alarm = 1e-6;
inline const double critical = critical_z(false_alarm, 1);

}  // namespace mno::testing

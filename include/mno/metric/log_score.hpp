#pragma once
// The log score: −log p(u) of whole fields under the law, averaged over members, then over conditions. In
// nats per field, smaller is better, and the truth has the smallest expectation, for any number of members
// from one up. It is the only score here that sees every direction of the covariance, small ones most of all.
//
// A density depends on the coordinates: in v = (u − a)/s its logarithm is greater by Σ log s over the
// entries. So compare log scores only in the same units and on the same grid.
//
// BᵀB alone is singular and has no density. A law with a nugget has one; for one without, give the variance ε
// of white noise that is added to it.
#include "mno/law/density.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

/// Has the law, with white noise of variance ε, a density?
template <class T, int D, class R, class W> bool has_density(const Law<T, D, R, W>& law, double epsilon = 0) {
  if constexpr (requires { law.residual.atom(); })
    if (law.residual.atom() > 0) return false;
  return law.has_nugget() || epsilon > 0;
}

class LogScore {
 public:
  explicit LogScore(double epsilon = 0) : epsilon_(epsilon) {}

  template <class L> void add(const L& law, Index sample, const Members& members) {
    require(has_density(law, epsilon_), "metric::LogScore", "law",
            Text("a law with a density: residuals without an atom, and a nugget or a white noise above 0"),
            Text("one without"));
    detail::require_entries("metric::LogScore", "members", law.size(), members.rows());
    double sum = 0;
    if constexpr (requires { law.residual.log_density(1.0, 1.0); })
      for (Index j = 0; j < members.cols(); ++j) sum -= log_density(law, sample, members.col(j), epsilon_);
    scores_.add(sum / double(members.cols()));
  }
  double value() const { return scores_.value("metric::LogScore"); }

 private:
  double epsilon_;
  detail::Average scores_;
};

}  // namespace mno::metric

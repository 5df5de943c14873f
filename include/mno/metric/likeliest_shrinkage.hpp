#pragma once
// Which share of a factor's variance belongs on the diagonal (law/shrinkage.hpp): a few values are tried, and
// the one under which held-back members are likeliest is taken. Marginals do not depend on it, so scores of
// marginals do not change.
#include "mno/data/ensemble.hpp"
#include "mno/law/shrinkage.hpp"
#include "mno/metric/log_score.hpp"

namespace mno::metric {

inline constexpr double shrinkages[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3};

/// Of the laws of all conditions of data that keeps its members, in the same coordinates.
template <class T, int D, class R>
double likeliest_shrinkage(const Law<T, D, R>& law, const Ensemble<T, D>& data) {
  require(data.size() >= 1 && data.members.size() > 0, "metric::likeliest_shrinkage", "data",
          Text("an ensemble that keeps its members: make_ensemble(counts, …, {.members = true})"),
          Text(data.size() > 0 ? "statistics" : "none"));
  double best = 0, least = 0;
  for (const double share : shrinkages) {
    const auto one = shrunk(law, share);
    LogScore score;
    for (Index s = 0; s < data.size(); ++s) score.add(one, s, members(data.members_of(s)));
    if (best == 0 || score.value() < least) {
      best = share;
      least = score.value();
    }
  }
  return best;
}

}  // namespace mno::metric

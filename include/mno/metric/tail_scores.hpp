#pragma once
// How good the tails of the marginals are, which hardly count in a CRPS over all values.
//
//   tail CRPS       of the lower tail below t₋ and of the upper one above t₊ (law/tail_crps.hpp), summed
//   quantile score  2 (1{u < q_p} − p)(q_p − u), q_p the law's p-quantile: least if a share p lies below it
//   coverage        the share of the data between the quantiles (1 − level)/2 and (1 + level)/2
//
// Averages over entries and members, then over conditions; in the units of the law. Thresholds are the
// user's, for instance quantiles of all data: they must not depend on what is scored.
#include <array>
#include <cmath>

#include "mno/law/tail_crps.hpp"
#include "mno/metric/moments.hpp"

namespace mno::metric {

struct TailOptions {
  double lower = -1.645, upper = 1.645;  // t₋, t₊: of normalised data a twentieth lies beyond each
  double p = 0.01;                       // quantile scores are those of p and of 1 − p
  double level = 0.99;                   // of the coverage
};

class TailScores {
 public:
  explicit TailScores(TailOptions options = {}) : options_(options) {
    require(options.lower < options.upper, "metric::TailScores", "lower",
            Text("a threshold below the upper one"), Text(options.lower, " and ", options.upper));
    for (const double q : {options.p, options.level})
      require(q > 0 && q < 1, "metric::TailScores", "p", Text("a probability strictly between 0 and 1"),
              Text(q));
  }

  template <class T, int D, class R, class W>
  void add(const Law<T, D, R, W>& law, Index sample, const Members& members) {
    detail::require_entries("metric::TailScores", "members", law.size(), members.rows());
    detail::require_finite("metric::TailScores", "members", members);
    Sums sums{};
    for (Index i = 0; i < law.size(); ++i) {
      const auto x = marginal(law, sample, i / law.channels(), i % law.channels());
      const double low = x.quantile(options_.p), high = x.quantile(1 - options_.p);
      const double from = x.quantile((1 - options_.level) / 2), to = x.quantile((1 + options_.level) / 2);
      const TailCrps below(x, options_.lower, Tail::lower), above(x, options_.upper, Tail::upper);
      for (Index j = 0; j < members.cols(); ++j) {
        const double u = members(i, j);
        sums[0] += below(u) + above(u);
        sums[1] += pinball(low, u, options_.p);
        sums[2] += pinball(high, u, 1 - options_.p);
        sums[3] += u >= from && u <= to ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) averages_[k].add(sums[k] / double(members.size()));
  }

  double tail_crps_value() const { return averages_[0].value("metric::TailScores"); }
  double lower_quantile_score() const { return averages_[1].value("metric::TailScores"); }
  double upper_quantile_score() const { return averages_[2].value("metric::TailScores"); }
  double coverage() const { return averages_[3].value("metric::TailScores"); }

 private:
  using Sums = std::array<double, 4>;
  static double pinball(double q, double u, double p) { return 2 * ((u < q ? 1 : 0) - p) * (q - u); }

  TailOptions options_;
  std::array<detail::Average, 4> averages_{};
};

}  // namespace mno::metric

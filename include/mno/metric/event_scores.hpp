#pragma once
// How good probabilities of an event are. A condition has the probability p that a model gives, and the share
// ō of its n members in which the event happened. Every condition counts alike.
//
//     Brier score     E (p − y)² = E [(p − ō)² + ō(1 − ō)],    y: did it happen in one member
//     irreducible     E n/(n−1) ō(1 − ō), an unbiased estimate of what the true probabilities score
//
// With K bins of p, w_k the share of the conditions in one, p̄_k and ō_k their means there, ō over all
// (A. H. Murphy, "A new vector partition of the probability score", 1973):
//
//     reliability Σ w_k (p̄_k − ō_k)²    resolution Σ w_k (ō_k − ō)²    uncertainty ō(1 − ō)
//     expected calibration error Σ w_k |p̄_k − ō_k|
//
// Brier = reliability − resolution + uncertainty, except for differences of p within a bin.
//
// As a classifier: a condition is positive if ō ≥ `positive`, and called so if p ≥ `called`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno::metric {

class EventScores {
 public:
  struct Bin {
    double share = 0;      // w_k
    double predicted = 0;  // p̄_k
    double observed = 0;   // ō_k
  };
  struct Confusion {
    double precision = 0, recall = 0, f1 = 0, accuracy = 0;
  };
  struct PrecisionRecall {
    double called = 0, precision = 0, recall = 0;
  };

  /// The event happened in `happened` of `members` draws of the truth, and the model gave it probability p.
  void add(double p, Index happened, Index members) {
    require(p >= 0 && p <= 1, "metric::EventScores", "p", Text("a probability"), Text(p));
    require(members >= 1 && happened >= 0 && happened <= members, "metric::EventScores", "happened",
            Text("between 0 and the number of members, which is at least one"),
            Text(happened, " of ", members));
    conditions_.push_back({p, double(happened) / double(members), members});
  }
  Index size() const { return Index(conditions_.size()); }

  double brier() const {
    return mean([](const Condition& c) { return (c.p - c.o) * (c.p - c.o) + c.o * (1 - c.o); });
  }
  /// What the true probabilities would score; the conditions must have at least two members.
  double irreducible() const {
    return mean([](const Condition& c) {
      require(c.members >= 2, "metric::EventScores", "members", Text("at least two of every condition"),
              Text(c.members));
      return c.o * (1 - c.o) * double(c.members) / double(c.members - 1);
    });
  }
  double mean_probability() const {
    return mean([](const Condition& c) { return c.p; });
  }
  double base_rate() const {
    return mean([](const Condition& c) { return c.o; });
  }

  /// The reliability diagram: bins of equal width that have a condition in them.
  std::vector<Bin> bins(Index count = 10) const {
    require(count >= 1, "metric::EventScores", "bins", Text("at least one"), Text(count));
    std::vector<Bin> all(static_cast<std::size_t>(count));
    const double share = 1 / double(need().size());
    for (const Condition& c : conditions_) {
      Bin& bin = all[std::min(all.size() - 1, std::size_t(c.p * double(count)))];
      bin.share += share;
      bin.predicted += share * c.p;
      bin.observed += share * c.o;
    }
    std::erase_if(all, [](const Bin& bin) { return bin.share == 0; });
    for (Bin& bin : all) {
      bin.predicted /= bin.share;
      bin.observed /= bin.share;
    }
    return all;
  }
  double reliability(Index count = 10) const {
    return over_bins(count, [](const Bin& bin) { return std::pow(bin.predicted - bin.observed, 2); });
  }
  double resolution(Index count = 10) const {
    const double base = base_rate();
    return over_bins(count, [&](const Bin& bin) { return std::pow(bin.observed - base, 2); });
  }
  double uncertainty() const { return base_rate() * (1 - base_rate()); }
  double calibration_error(Index count = 10) const {
    return over_bins(count, [](const Bin& bin) { return std::abs(bin.predicted - bin.observed); });
  }

  /// If no condition is called positive, the precision is 1; if none is positive, the recall is 1.
  Confusion confusion(double positive = 0.1, double called = 0.1) const {
    double hit = 0, missed = 0, wrong = 0, right = 0;
    for (const Condition& c : need())
      (c.o >= positive ? (c.p >= called ? hit : missed) : (c.p >= called ? wrong : right)) += 1;
    Confusion all;
    all.precision = hit + wrong > 0 ? hit / (hit + wrong) : 1;
    all.recall = hit + missed > 0 ? hit / (hit + missed) : 1;
    all.f1 = hit + missed + wrong > 0 ? 2 * hit / (2 * hit + missed + wrong) : 1;
    all.accuracy = (hit + right) / double(size());
    return all;
  }
  /// One entry for every probability that was given, in decreasing order.
  std::vector<PrecisionRecall> precision_recall(double positive = 0.1) const {
    std::vector<double> thresholds;
    for (const Condition& c : need()) thresholds.push_back(c.p);
    std::sort(thresholds.rbegin(), thresholds.rend());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    std::vector<PrecisionRecall> curve;
    for (const double called : thresholds) {
      const Confusion at = confusion(positive, called);
      curve.push_back({called, at.precision, at.recall});
    }
    return curve;
  }
  /// Σ (recall_i − recall_{i−1}) precision_i
  double average_precision(double positive = 0.1) const {
    double sum = 0, before = 0;
    for (const PrecisionRecall& at : precision_recall(positive)) {
      sum += (at.recall - before) * at.precision;
      before = at.recall;
    }
    return sum;
  }

 private:
  struct Condition {
    double p, o;
    Index members;
  };
  const std::vector<Condition>& need() const {
    require(!conditions_.empty(), "metric::EventScores", "conditions", Text("at least one"), Text("none"));
    return conditions_;
  }
  template <class Of> double mean(const Of& of) const {
    double sum = 0;
    for (const Condition& c : need()) sum += of(c);
    return sum / double(size());
  }
  template <class Of> double over_bins(Index count, const Of& of) const {
    double sum = 0;
    for (const Bin& bin : bins(count)) sum += bin.share * of(bin);
    return sum;
  }

  std::vector<Condition> conditions_;
};

}  // namespace mno::metric

#pragma once
// Conformal calibration of a law as one number, and as a text for files: the factor by which σ is multiplied
// so that the law's own interval at a level is the conformal band of metric/conformal.hpp,
//
//   m ± λσ = m ± (factor · σ) q,   q = the residual law's quantile of (1 + level)/2.
//
// Intervals at other levels are widened by the same factor, without a guarantee.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "mno/law/choice.hpp"
#include "mno/law/marginal.hpp"
#include "mno/metric/conformal.hpp"

namespace mno::metric {

struct Calibration {
  double level = 0;       // share of a new condition's members and points that the interval covers …
  double confidence = 0;  // … with this probability, over conditions
  Index conditions = 0;   // that the factor was found on
  double factor = 1;      // of σ

  /// "conformal LEVEL CONFIDENCE CONDITIONS FACTOR"
  std::string text() const {
    return mno::detail::Choice{"conformal", {level, confidence, double(conditions), factor}}.text();
  }
  static Calibration parse(std::string_view text) {
    const auto choice = mno::detail::Choice::parse("Calibration", text);
    require(choice.is("conformal", 4), "Calibration", "text",
            Text("'conformal LEVEL CONFIDENCE CONDITIONS FACTOR'"), Text("'", text, "'"));
    const auto& n = choice.numbers;
    require(n[0] > 0 && n[0] < 1 && n[1] > 0 && n[1] < 1 && n[2] >= 1 && n[2] <= 1e15 && n[3] >= 0,
            "Calibration", "text",
            Text("level and confidence between 0 and 1, at least one condition and a factor that is not "
                 "negative"),
            Text("'", text, "'"));
    return {n[0], n[1], Index(n[2]), n[3]};
  }
  bool operator==(const Calibration&) const = default;
};

/// `add` every condition of a law that is not calibrated yet, then ask for the result.
class Calibrator {
 public:
  Calibrator(double level, double confidence) : level_(level), confidence_(confidence) {
    for (const double p : {level, confidence})
      require(p > 0 && p < 1, "metric::Calibrator", "level, confidence",
              Text("probabilities strictly between 0 and 1"), Text(level, " and ", confidence));
  }
  /// A sample of the law of z, and members of z: a warp is increasing, so u is covered exactly where z is.
  template <class T, int D, class R> void add(const Law<T, D, R>& law, Index sample, const Members& members) {
    require(!mno::detail::leans(law.residual), "metric::Calibrator", "law",
            Text("residuals that are alike everywhere: the band is m ± λσ"),
            Text("a law that singles out one direction"));
    scores_.push_back(band_score(moments(law, sample), members, level_));
    quantile_ = Marginal<R>{0, 1, law.residual}.quantile((1 + level_) / 2);
  }
  Calibration value() const {
    const double lambda = conformal_factor(scores_, confidence_);
    const Index needed = Index(std::ceil(confidence_ / (1 - confidence_) * (1 - 1e-14)));
    require(Index(scores_.size()) >= needed, "metric::Calibrator", "data",
            Text("at least ", needed, " conditions, for a confidence of ", confidence_),
            Text(scores_.size()));
    require(std::isfinite(lambda), "metric::Calibrator", "data",
            Text("conditions of which a multiple of σ covers ", level_),
            Text("some that differ from a law without spread"));
    require(quantile_ > 0, "metric::Calibrator", "level",
            Text("a level above the probability of no jump, below which intervals are points"), Text(level_));
    return {level_, confidence_, Index(scores_.size()), lambda / quantile_};
  }

 private:
  double level_, confidence_, quantile_ = 0;
  std::vector<double> scores_;
};

}  // namespace mno::metric

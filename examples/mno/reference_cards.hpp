#pragma once
// A model's references, scored on the same conditions as the model, and how good the model is beside them.
#include <algorithm>
#include <cmath>
#include <mno/metric/scorecard.hpp>
#include <mno/metric/skill.hpp>

#include "evaluation.hpp"
#include "report/text.hpp"

namespace program {

inline std::vector<mno::report::Row> rows_of(const std::vector<mno::metric::ScoreRow>& scores) {
  std::vector<mno::report::Row> rows;
  for (const mno::metric::ScoreRow& row : scores) {
    rows.push_back({.metric = row.metric, .value = row.value, .floor = row.floor});
    if (row.level) rows.back().at = {{"level", *row.level}};
  }
  return rows;
}

/// Those of the wanted scores that judge marginals: the references have no correlation between points.
inline std::vector<std::string> scores_of_references(const std::vector<std::string>& wanted,
                                                     mno::Index least_members) {
  std::vector<std::string> names{"crps", "coverage"};
  if (least_members >= 2) names.insert(names.end(), {"mean_rmse", "var_rmse", "w2g"});
  if (least_members < mno::least_ensemble) names.push_back("pit_distance");
  if (!wanted.empty())
    std::erase_if(names, [&](const auto& name) { return std::ranges::find(wanted, name) == wanted.end(); });
  return names;
}

/// "a CRPS that is 3.1 % lower", or "about the same CRPS", as chance in the ensembles has it.
inline std::string percent_less(double value, double floor) {
  const double percent = 100 * (1 - floor / value);
  if (percent < 0.05) return "about the same CRPS";
  return "a CRPS that is " + mno::report::shown(percent, percent < 1 ? 1 : 2) + " % lower";
}

/// The references that a model has to beat, scored as it is.
template <int D> class ReferenceCards {
 public:
  ReferenceCards(mno::metric::References<float, D> references, const mno::Grid<D>& grid,
                 mno::Index least_members, const std::vector<std::string>& wanted)
      : references_(std::move(references)),
        climatology_(grid, least_members, options(wanted, least_members)),
        constant_(grid, least_members, options(wanted, least_members)) {}

  void add(const Prediction<D>& p) {
    climatology_.add(references_.climatology(p.time, p.law.grid()), 0, {}, p.members);
    constant_.add(references_.constant_variance(p.law.mean), 0, {}, p.members);
  }
  void put(Evaluation& result) const {
    result.climatology = rows_of(climatology_.rows());
    result.constant = rows_of(constant_.rows());
  }
  /// How good the model is, by its CRPS on the same conditions.
  mno::report::Verdict verdict(const mno::metric::Scorecard<D>& model,
                               std::span<const mno::Index> origins) const {
    std::vector<mno::metric::NamedSkill> skills;
    for (const auto& [name, card] : {std::pair{mno::metric::climatology_name, &climatology_},
                                     std::pair{mno::metric::constant_variance_name, &constant_}})
      skills.push_back(
          {name, mno::metric::skill(model.crps_per_condition(), card->crps_per_condition(), origins)});
    mno::report::Verdict verdict{mno::metric::skill_sentence(skills), {}};
    for (const auto& one : skills) {
      verdict.skills.push_back({one.reference, one.skill.verdict(), one.skill.value, {}});
      if (std::isfinite(one.skill.half_width)) verdict.skills.back().interval95 = one.skill.half_width;
    }
    for (const mno::metric::ScoreRow& row : model.rows())
      if (row.metric == "crps" && row.floor.value_or(0) > 0)
        verdict.sentence +=
            " A model that knows the law would have " + percent_less(row.value, *row.floor) + ".";
    if (skills.back().skill.worse())
      verdict.sentence +=
          " A law of ensembles has the spread of the realisations, not the error of its mean. Where that "
          "counts, more conditions or longer training lessen it, and mno train --calibrate 0.9 widens the "
          "law "
          "by what validation shows.";
    return verdict;
  }

 private:
  static mno::metric::ScorecardOptions options(const std::vector<std::string>& wanted,
                                               mno::Index least_members) {
    return {.metrics = scores_of_references(wanted, least_members), .floors = false};
  }
  mno::metric::References<float, D> references_;
  mno::metric::Scorecard<D> climatology_, constant_;
};

}  // namespace program

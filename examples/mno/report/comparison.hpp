#pragma once
// Several runs side by side, as one record: a matrix for every data they were scored on, curves that share a
// figure, and which run is better than which, by the conditions they have in common.
#include "metrics.hpp"
#include "mno/metric/skill.hpp"
#include "run_record.hpp"
#include "text.hpp"

namespace mno::report {

struct NamedRun {
  std::string name = {};
  RunRecord record = {};
};
using Runs = std::vector<const NamedRun*>;

inline constexpr const char *climatology_method = "climatology", *constant_method = "constant variance";
inline bool is_reference(const Row& row) {
  return row.method == climatology_method || row.method == constant_method;
}

/// Are scores of the two comparable: of the same data, in the same units?
inline bool same_data(const RunRecord& a, const RunRecord& b) {
  if (!a.data || !b.data || a.data->content != b.data->content) return false;
  return std::ranges::equal(a.data->scale, b.data->scale,
                            [](double x, double y) { return std::abs(x - y) <= 1e-6 * std::abs(x); });
}

/// Groups of comparable runs; a run that does not say what it was scored on is alone.
inline std::vector<Runs> by_data(const std::vector<NamedRun>& runs) {
  std::vector<Runs> groups;
  for (const NamedRun& run : runs) {
    const auto found = std::ranges::find_if(
        groups, [&](const Runs& group) { return same_data(group.front()->record, run.record); });
    if (found == groups.end())
      groups.push_back({&run});
    else
      found->push_back(&run);
  }
  return groups;
}

/// The rows of runs on the same data: a run is a method, its references stand below all of them, and a
/// climatology that they share stands there once.
inline std::vector<Row> rows_together(const Runs& runs, const std::string& benchmark_suffix) {
  const auto own = [](const NamedRun& run) {
    std::string first;
    bool several = false;
    for (const Row& row : run.record.rows)
      if (!is_reference(row)) {
        several |= !first.empty() && row.method != first;
        first = row.method;
      }
    return several;
  };
  const auto climatology = [](const NamedRun& run) {
    std::vector<double> values;
    for (const Row& row : run.record.rows)
      if (row.method == climatology_method) values.push_back(row.value);
    return values;
  };
  const bool shared = std::ranges::all_of(
      runs, [&](const NamedRun* run) { return climatology(*run) == climatology(*runs[0]); });
  std::vector<Row> rows;
  for (const bool references : {false, true})
    for (const NamedRun* run : runs)
      for (Row row : run->record.rows) {
        if (is_reference(row) != references) continue;
        if (row.method == climatology_method && shared) {
          if (run != runs[0]) continue;
        } else if (references) {
          row.method += " of " + run->name;
        } else {
          row.method = own(*run) ? run->name + ": " + row.method : run->name;
        }
        row.benchmark += benchmark_suffix;
        rows.push_back(std::move(row));
      }
  return rows;
}

/// "Loss/all terms" of run A becomes "Loss: all terms/A", so that the runs share a figure.
inline std::vector<Curve> curves_together(const std::vector<NamedRun>& runs) {
  std::vector<std::string> names;
  for (const NamedRun& run : runs)
    for (const Curve& curve : run.record.curves)
      if (std::ranges::find(names, curve.name) == names.end()) names.push_back(curve.name);
  std::vector<Curve> curves;
  for (const std::string& name : names)
    for (const NamedRun& run : runs)
      for (const Curve& curve : run.record.curves)
        if (curve.name == name) {
          const std::size_t slash = name.find('/');
          const std::string title =
              slash == name.npos ? name : name.substr(0, slash) + ": " + name.substr(slash + 1);
          std::string plain = title;
          std::ranges::replace(plain, '/', ',');
          curves.push_back({plain + "/" + run.name, curve.x, curve.y});
        }
  return curves;
}

inline std::vector<Figure> calibration_together(const std::vector<NamedRun>& runs) {
  Figure coverage{.name = "coverage",
                  .title = "Coverage of central intervals",
                  .note = "Below the diagonal the predicted intervals are too narrow, above it too wide.",
                  .x_label = "nominal probability",
                  .y_label = "fraction covered",
                  .lines = {{"nominal", {0, 1}, {0, 1}}}};
  Figure pit{.name = "pit",
             .title = "Where truths fall in the predicted law",
             .note = "Level: calibrated. High at both ends: too narrow; high in the middle: too wide.",
             .x_label = "predicted probability below the truth",
             .y_label = "density",
             .lines = {{"nominal", {0, 1}, {1, 1}}}};
  for (const NamedRun& run : runs) {
    const Calibration& c = run.record.calibration;
    if (!c.nominal.empty()) coverage.lines.push_back({run.name, c.nominal, c.covered});
    if (!run.record.pit) continue;
    Curve line{run.name};
    const Numbers& shares = run.record.pit->shares;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      line.x.push_back((double(i) + 0.5) / double(shares.size()));
      line.y.push_back(shares[i] * double(shares.size()));
    }
    pit.lines.push_back(std::move(line));
  }
  std::vector<Figure> figures;
  for (Figure* one : {&coverage, &pit})
    if (one->lines.size() > 1) figures.push_back(std::move(*one));
  return figures;
}

/// One score of every condition; empty if the run has none by that name.
inline Numbers scores_of(const RunRecord& record, const std::string& metric) {
  if (!record.conditions) return {};
  const auto& metrics = record.conditions->metrics;
  const auto found = std::ranges::find(metrics, metric);
  if (found == metrics.end()) return {};
  Numbers scores;
  for (const ConditionScores& one : record.conditions->all)
    scores.push_back(one.scores[std::size_t(found - metrics.begin())]);
  return scores;
}

/// Which of the runs on the same data has the least CRPS, and whether the others are worse by more than
/// chance.
inline std::string best_of(const Runs& runs) {
  std::vector<Numbers> scores;
  std::vector<double> sums;
  for (const NamedRun* run : runs) {
    scores.push_back(scores_of(run->record, "crps"));
    if (scores.back().empty() || scores.back().size() != scores.front().size()) return "";
    sums.push_back(0);
    for (const double score : scores.back()) sums.back() += score;
    if (!(sums.back() > 0) || !std::isfinite(sums.back())) return "";
  }
  const auto best = std::size_t(std::ranges::min_element(sums) - sums.begin());
  std::vector<Index> origins;
  for (const ConditionScores& one : runs[best]->record.conditions->all) origins.push_back(one.origin);
  std::vector<metric::NamedSkill> skills;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (i != best) skills.push_back({runs[i]->name, metric::skill(scores[best], scores[i], origins)});
  if (skills.empty()) return "";
  return runs[best]->name + " has the least CRPS on " + runs[best]->record.data->name + ". " +
         metric::skill_sentence(skills);
}

/// Conditions by runs: the score of every condition in every run; those that are worst for some run come
/// first.
inline std::optional<Conditions> conditions_together(const Runs& runs) {
  if (runs.size() < 2 || !runs.front()->record.conditions) return {};
  const Conditions& first = *runs.front()->record.conditions;
  const auto metric = std::ranges::find_if(first.metrics, [&](const std::string& name) {
    return std::ranges::all_of(
        runs, [&](const NamedRun* run) { return scores_of(run->record, name).size() == first.all.size(); });
  });  // the first that all of them have
  if (metric == first.metrics.end()) return {};
  Conditions all{.metrics = {"largest " + *metric}};
  std::vector<Numbers> scores;
  for (const NamedRun* run : runs) {
    scores.push_back(scores_of(run->record, *metric));
    all.metrics.push_back(run->name);
  }
  for (std::size_t i = 0; i < first.all.size(); ++i) {
    ConditionScores one = first.all[i];
    one.scores = {0};
    for (const Numbers& of_run : scores) {
      one.scores.push_back(of_run[i]);
      one.scores[0] = std::max(one.scores[0], of_run[i]);
    }
    all.all.push_back(std::move(one));
  }
  return all;
}

/// Settings of all runs; one that is the same in all is listed once.
inline std::vector<Setting> settings_together(const std::vector<NamedRun>& runs) {
  std::vector<Setting> out;
  for (const NamedRun& of : runs)
    for (const Setting& setting : of.record.settings) {
      if (std::ranges::any_of(out, [&](const Setting& s) { return s.name == setting.name; })) continue;
      std::string each;
      bool same = true;
      for (const NamedRun& run : runs) {
        const auto found = std::ranges::find(run.record.settings, setting.name, &Setting::name);
        const std::string value = found == run.record.settings.end() ? "–" : found->value;
        same = same && value == setting.value;
        each += (each.empty() ? "" : "; ") + run.name + ": " + value;
      }
      out.push_back({setting.name, same ? setting.value : each});
    }
  return out;
}

inline RunRecord together(const std::vector<NamedRun>& runs) {
  RunRecord all;
  all.title = std::to_string(runs.size()) + " runs side by side";
  const std::vector<Runs> groups = by_data(runs);
  Verdict verdict;
  const auto line = [&](const std::string& text) {
    if (!text.empty()) verdict.sentence += (verdict.sentence.empty() ? "" : "\n") + text;
  };
  for (const Runs& group : groups) line(best_of(group));
  for (const NamedRun& run : runs) {
    if (run.record.verdict) line(run.name + ": " + run.record.verdict->sentence);
    if (!run.record.command.empty())
      all.command += (all.command.empty() ? "" : "\n") + run.name + ": " + run.record.command;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Runs& group = groups[g];
    const auto& data = group.front()->record.data;
    std::string names;
    for (const NamedRun* run : group) names += (names.empty() ? "" : ", ") + run->name;
    all.description += (g ? "\n" : "") + names + ": ";
    if (data)
      all.description += "scored on " + data->name + ", " + std::to_string(data->conditions) +
                         " conditions, " + data->members + ".";
    else
      all.description += "the run does not say what its data was.";
    const auto rows = rows_together(group, groups.size() > 1 ? " (" + names + ")" : "");
    all.rows.insert(all.rows.end(), rows.begin(), rows.end());
    if (!all.conditions) all.conditions = conditions_together(group);
  }
  if (groups.size() > 1)
    all.description +=
        "\nThese are different data, or the same in units of different training data: scores are compared "
        "within a table, not between tables.";
  all.description += "\nPictures of single conditions are on the pages of the runs.";
  if (!verdict.sentence.empty()) all.verdict = std::move(verdict);
  all.settings = settings_together(runs);
  all.curves = curves_together(runs);
  all.figures = calibration_together(runs);
  return all;
}

}  // namespace mno::report

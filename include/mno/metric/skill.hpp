#pragma once
// How much better a model is than a reference, on the same conditions:
//
//   skill = 1 − S̄/R̄,   S̄, R̄ the means over conditions of a score where less is better, such as the CRPS
//
// 1 is perfect, 0 as good as the reference, below 0 worse. Every condition has both scores, so a condition
// that is hard for both does not widen the 95 % interval, which is that of a ratio of paired means,
//
//   skill ± t_{n−1}(0.975) s √n/Σ R_i,   s² = Σ (S_i − (S̄/R̄) R_i)²/(n − 1).
//
// Conditions of one initial field or one trajectory, an origin, are not independent: they are one term of
// these sums, and n counts origins. The interval is made for many origins; for a single one there is none.
//   W. G. Cochran, "Sampling techniques", 1977, chapter 6: the variance of a ratio.
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"
#include "mno/core/student.hpp"

namespace mno::metric {

struct Skill {
  double value = 0;
  double half_width = 0;  // of the 95 % interval; infinite where there is none
  Index conditions = 0, origins = 0;

  double lower() const { return value - half_width; }
  double upper() const { return value + half_width; }
  bool better() const { return lower() > 0; }
  bool worse() const { return upper() < 0; }
  /// By the interval: "better than", "worse than", or "no better than" where it holds 0.
  std::string verdict() const { return better() ? "better than" : worse() ? "worse than" : "no better than"; }
};

/// One score of the model and one of the reference per condition; `origins` says which initial field or
/// trajectory a condition belongs to, none: each to its own.
inline Skill skill(std::span<const double> scores, std::span<const double> reference,
                   std::span<const Index> origins = {}) {
  const std::size_t n = scores.size();
  require(n >= 1, "metric::skill", "scores", Text("at least one condition"), Text("none"));
  require(reference.size() == n, "metric::skill", "reference", Text(n, " scores, one per condition"),
          Text(reference.size()));
  require(origins.empty() || origins.size() == n, "metric::skill", "origins", Text(n, ", one per condition"),
          Text(origins.size()));
  struct Pair {
    double score = 0, reference = 0;
  };
  std::map<Index, Pair> groups;
  Pair all;
  for (std::size_t i = 0; i < n; ++i) {
    for (Pair* sum : {&groups[origins.empty() ? Index(i) : origins[i]], &all}) {
      sum->score += scores[i];
      sum->reference += reference[i];
    }
  }
  require(std::isfinite(all.score) && all.reference >= 0, "metric::skill", "scores",
          Text("finite scores, and a reference whose scores are not negative"),
          Text(all.score, " and ", all.reference, " in all"));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Skill result{0, infinity, Index(n), Index(groups.size())};
  if (all.reference == 0) {  // a perfect reference: every score above 0 is infinitely worse
    result.value = all.score > 0 ? -infinity : 0;
    result.half_width = 0;
    return result;
  }
  const double ratio = all.score / all.reference, count = double(groups.size());
  result.value = 1 - ratio;
  if (groups.size() < 2) return result;
  double squares = 0;
  for (const auto& [origin, sum] : groups) squares += std::pow(sum.score - ratio * sum.reference, 2);
  const double t = -mno::detail::student_quantile(0.025, count - 1);
  result.half_width = t * std::sqrt(count * squares / (count - 1)) / all.reference;
  return result;
}

struct NamedSkill {
  std::string reference{};  // as a sentence calls it: "climatology"
  Skill skill{};
};

namespace detail {

/// "12.3 ± 0.4 % lower": by how much the model's score differs from the reference's.
inline std::string difference_text(const Skill& s) {
  const auto digits = [](double percent) {
    const double tenths = std::round(10 * percent);  // a percentage below ten has a digit more
    if (percent >= 9.95) return std::to_string(std::llround(percent));
    return std::to_string(std::llround(tenths) / 10) + "." + std::to_string(std::llround(tenths) % 10);
  };
  if (!std::isfinite(s.value)) return "above 0, which it has";
  const char* direction = s.value >= 0 ? " % lower" : " % higher";
  if (!std::isfinite(s.half_width)) return digits(100 * std::abs(s.value)) + direction;
  return digits(100 * std::abs(s.value)) + " ± " + digits(100 * s.half_width) + direction;
}

}  // namespace detail

/// The skills as a sentence, best news first: "Better than climatology (CRPS 83 ± 2 % lower), but no better
/// than … (CRPS 0.3 ± 0.8 % lower), over 64 conditions." Empty without a skill.
inline std::string skill_sentence(std::span<const NamedSkill> skills, const std::string& score = "CRPS") {
  std::string out;
  const char* joint = ", but ";
  for (const char* verdict : {"better than", "no better than", "worse than"}) {
    std::string part;
    for (const NamedSkill& one : skills)
      if (one.skill.verdict() == verdict)
        part += (part.empty() ? std::string() : std::string(" and ")) + verdict + " " + one.reference + " (" +
                score + " " + detail::difference_text(one.skill) + ")";
    if (part.empty()) continue;
    if (!out.empty()) out += std::exchange(joint, ", and ");
    out += part;
  }
  if (out.empty()) return out;
  out[0] = char(out[0] - 'a' + 'A');
  const Skill& first = skills.front().skill;
  out +=
      ", over " + std::to_string(first.conditions) + (first.conditions == 1 ? " condition" : " conditions");
  if (first.origins < first.conditions)
    out += " in " + std::to_string(first.origins) +
           (first.origins == 1 ? " group" : " groups that are independent");
  return out + (first.origins < 2 ? ", which is too few for an interval." : ".");
}

}  // namespace mno::metric

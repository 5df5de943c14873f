#pragma once
// Which conditions a model is worst at: a table whose cells are coloured by how many times the median of all
// conditions they are, and where in a field the errors are.
#include "heat_map.hpp"
#include "metrics.hpp"

namespace mno::report {

/// All conditions, the worst by the first score first; what is not finite is worst.
inline std::vector<std::size_t> worst_first(const Conditions& conditions) {
  std::vector<std::size_t> order(conditions.all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const auto& scores = conditions.all[i].scores;
    const double score = scores.empty() ? 0 : scores[0];
    return std::isfinite(score) ? score : std::numeric_limits<double>::infinity();
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

inline double median_of(Numbers values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// From white at the median over yellow to red at four times that; blue below it. Text on all of them is
/// dark.
inline std::string tint(double value, double median) {
  if (!std::isfinite(value) || !(median > 0) || !(value > 0)) return "";
  const double twofold = std::clamp(std::log2(value / median), -1.0, 2.0);
  const auto mixed = [](int white, int full, double part) { return int(white + part * (full - white)); };
  const int red = twofold > 0 ? 255 : mixed(255, 170, -twofold),
            green = twofold > 0 ? mixed(255, 140, twofold / 2) : mixed(255, 210, -twofold),
            blue = twofold > 0 ? mixed(255, 110, twofold / 2) : 255;
  return " style=\"background:rgb(" + std::to_string(red) + "," + std::to_string(green) + "," +
         std::to_string(blue) + ")\"";
}

inline std::string worst_table(const Conditions& conditions) {
  constexpr std::size_t most = 12;
  const auto order = worst_first(conditions);
  bool times = false;
  for (const ConditionScores& one : conditions.all) times |= one.time != conditions.all.front().time;
  Numbers medians;
  for (std::size_t m = 0; m < conditions.metrics.size(); ++m) {
    Numbers all;
    for (const ConditionScores& one : conditions.all) all.push_back(one.scores[m]);
    medians.push_back(median_of(std::move(all)));
  }
  std::string head = "<th scope=\"col\" class=\"number\">Condition</th>" +
                     std::string(times ? "<th scope=\"col\" class=\"number\">t</th>" : "");
  for (const std::string& metric : conditions.metrics) {
    const std::string unit = unit_of(metric.substr(0, metric.find(' ')));
    head += "<th scope=\"col\" class=\"number\">" + escape(metric) +
            (unit.empty() ? "" : "<br/><small>" + unit + "</small>") + "</th>";
  }
  std::string body;
  const std::size_t shown_ones = std::min(most, order.size());
  for (std::size_t i = 0; i < shown_ones; ++i) {
    const ConditionScores& one = conditions.all[order[i]];
    body += "<tr><td class=\"number\">" + std::to_string(one.sample) + "</td>" +
            (times ? "<td class=\"number\">" + shown(one.time) + "</td>" : "");
    for (std::size_t m = 0; m < medians.size(); ++m)
      body += "<td class=\"number\"" +
              (conditions.metrics[m].starts_with("coverage") ? "" : tint(one.scores[m], medians[m])) + ">" +
              shown(one.scores[m], 3) + "</td>";
    body += "</tr>\n";
  }
  body += "</tbody>\n<tfoot><tr class=\"floor\"><th scope=\"row\">median</th>" +
          std::string(times ? "<td></td>" : "");
  for (const double median : medians) body += "<td class=\"number\">" + shown(median, 3) + "</td>";
  return "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"sortable\">\n<caption>The worst " +
         std::to_string(shown_ones) + " of " + std::to_string(order.size()) + " conditions by " +
         escape(conditions.metrics.front()) + "</caption>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n" +
         body + "</tr></tfoot>\n</table>\n</div>\n";
}

/// A script that sorts the lines of a table; without scripts the worst come first.
inline constexpr const char* sorting_script = R"js(<script>
document.querySelectorAll("table.sortable").forEach(function (table) {
  table.querySelectorAll("thead th").forEach(function (head, column) {
    var largest = true, body = table.tBodies[0];
    var number = function (row) {
      var text = row.cells[column].textContent.replace("−", "-").replace("×10", "e");
      "⁰¹²³⁴⁵⁶⁷⁸⁹".split("").forEach(function (raised, digit) { text = text.split(raised).join(digit); });
      return parseFloat(text.replace("⁻", "-")) || 0;
    };
    head.tabIndex = 0;
    head.onclick = function () {
      Array.from(body.rows)
        .sort(function (a, b) { return (largest ? 1 : -1) * (number(b) - number(a)); })
        .forEach(function (row) { body.appendChild(row); });
      largest = !largest;
    };
    head.onkeydown = function (event) { if (event.key === "Enter") head.onclick(); };
  });
});
</script>
)js";

inline std::string worst_conditions(const Conditions& conditions) {
  if (conditions.all.empty() || conditions.metrics.empty()) return "";
  return "<div class=\"worst\">\n" + worst_table(conditions) + panels(conditions.maps) + "</div>\n" +
         "<p class=\"note\">Colours of the table: white is the median of all conditions, red four times that "
         "or more, blue half of it or less. A click on the head of a column sorts by it.</p>\n";
}

}  // namespace mno::report

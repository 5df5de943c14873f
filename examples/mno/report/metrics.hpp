#pragma once
// What is known of a metric by its name: the unit of its values, and which of two values is better.
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "parts.hpp"

namespace mno::report {

struct Metric {
  const char *name, *unit;
};
// σ is one unit of normalised coordinates. Of all of these less is better.
inline constexpr std::array known_metrics{Metric{"mean_rmse", "σ"},
                                          Metric{"var_rmse", "σ²"},
                                          Metric{"w2s", "σ"},
                                          Metric{"w2g", "σ"},
                                          Metric{"crps", "σ"},
                                          Metric{"energy_score", "σ, L² norm"},
                                          Metric{"log_score", "nats"},
                                          Metric{"crps_to_best", "%"},
                                          Metric{"energy_to_best", "%"},
                                          Metric{"log_to_best", "nats"},
                                          Metric{"cov_frobenius_rel", "relative"},
                                          Metric{"pit_distance", "share"},
                                          Metric{"mean_to_exact", "relative"},
                                          Metric{"cov_to_exact", "relative"},
                                          Metric{"seconds_per_law", "s"},
                                          Metric{"seconds_per_draw", "s"},
                                          Metric{"bytes_per_law", "bytes"},
                                          Metric{"peak_bytes", "bytes"}};

inline const Metric* known_metric(const std::string& name) {
  for (const Metric& metric : known_metrics)
    if (name == metric.name) return &metric;
  return nullptr;
}
inline std::string unit_of(const std::string& metric) {
  if (metric == "coverage") return "share";
  const Metric* known = known_metric(metric);
  return known ? known->unit : "";
}

/// The distance to the best possible value; none where it is not known which values are better. The coverage
/// of a level should be that level.
inline std::optional<double> badness(const Row& row) {
  if (row.metric == "coverage" && row.at.contains("level"))
    if (const double* level = std::get_if<double>(&row.at.at("level"))) return std::abs(row.value - *level);
  if (known_metric(row.metric) && std::isfinite(row.value)) return row.value;
  return {};
}

}  // namespace mno::report

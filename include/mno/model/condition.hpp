#pragma once
// Does a condition fit a model? Checked where it enters.
#include <cmath>

#include "mno/core/shape.hpp"
#include "mno/data/condition.hpp"

namespace mno {

namespace detail {

/// Does this condition fit a model of so many channels and known fields on this domain? An Error says what
/// does not. Compiled once for all shapes.
template <class T, int D>
void check_condition_of(const char* function, const Condition<T, D>& condition, const Domain<D>& domain,
                        int channels, int fields, bool has_stored_fields) {
  const auto& u = condition.initial;
  require(u.data != nullptr && u.batch >= 1, function, "initial", Text("at least one sample"), Text(u.batch));
  require(u.channels == channels, function, "initial", Text(channels, " channel(s)"), Text(u.channels));
  for (std::size_t d = 0; d < std::size_t(D); ++d) {
    require(u.grid.points[d] >= 4, function, "initial", Text("at least 4 points on axis ", d),
            Text(u.grid.points[d]));
    require(u.grid.domain.length[d] == domain.length[d], function, "initial",
            Text("a domain of length ", domain.length[d], " on axis ", d, ", as the model has"),
            Text(u.grid.domain.length[d]));
    require(
        u.grid.domain.bounded[d] == domain.bounded[d], function, "initial",
        Text(domain.bounded[d] ? "walls at the ends of axis " : "a periodic axis ", d, ", as the model has"),
        Text(domain.bounded[d] ? "a periodic one" : "walls"));
  }
  require(all_finite(u), function, "initial", Text("finite values"), Text("a NaN or an infinity"));

  require(condition.times.size() == 1 || Index(condition.times.size()) == u.batch, function, "times",
          Text("one time, or one per sample (", u.batch, ")"), Text(condition.times.size()));
  for (const T t : condition.times)
    require(std::isfinite(t) && t >= 0, function, "times", Text("finite times that are not negative"),
            Text(t));

  require(condition.draws >= 1, function, "condition.draws", Text("at least one"), Text(condition.draws));

  const auto& known = condition.known;
  if (!known) {
    require(fields == 0 || has_stored_fields, function, "known",
            Text(fields, " known field(s), given here or stored with the model"), Text("none"));
    return;
  }
  require(known.channels == fields, function, "known", Text(fields, " known field(s)"), Text(known.channels));
  require(known.batch == 1 || known.batch == u.batch, function, "known",
          Text("one set of fields, or one per sample (", u.batch, ")"), Text(known.batch));
  require(known.grid == u.grid, function, "known", Text("the grid of the initial field, ", u.grid.str()),
          Text(known.grid.str()));
  require(all_finite(known), function, "known", Text("finite values"), Text("a NaN or an infinity"));
}
template <Problem S, class T, int D>
void check_condition(const char* function, const Condition<T, D>& condition, const Domain<D>& domain,
                     bool has_stored_fields) {
  check_condition_of<T, D>(function, condition, domain, S::channels, known_fields<S>(), has_stored_fields);
}

}  // namespace detail
}  // namespace mno

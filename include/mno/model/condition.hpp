#pragma once
// What a law is conditioned on: u_0, t and known fields; checked where they enter.
#include <cmath>
#include <span>

#include "mno/core/field.hpp"
#include "mno/core/shape.hpp"

namespace mno {

template <class T, int D> struct Condition {
  View<const T, D> initial;  // u_0: (sample, grid…, channel)
  std::span<const T> times;  // t: one per sample, or one for all
  View<const T, D> known{};  // (sample or 1, grid…, known field); empty: those stored with the model, if any

  T time(Index sample) const { return times[times.size() == 1 ? 0 : std::size_t(sample)]; }
};

/// Does this condition fit a model of shape S on this domain? An Error says what does not.
template <Shape S, class T, int D>
void check(const char* function, const Condition<T, D>& condition, const Domain<D>& domain,
           bool has_stored_fields) {
  const auto& u = condition.initial;
  require(u.data != nullptr && u.batch >= 1, function, "initial", text("at least one sample"), text(u.batch));
  require(u.channels == S::channels, function, "initial", text(int(S::channels), " channel(s)"),
          text(u.channels));
  for (std::size_t d = 0; d < std::size_t(D); ++d) {
    require(u.grid.points[d] >= 4, function, "initial", text("at least 4 points on axis ", d),
            text(u.grid.points[d]));
    require(u.grid.domain.length[d] == domain.length[d], function, "initial",
            text("a domain of length ", domain.length[d], " on axis ", d, ", as the model has"),
            text(u.grid.domain.length[d]));
  }
  require(all_finite(u), function, "initial", text("finite values"), text("a NaN or an infinity"));

  require(condition.times.size() == 1 || Index(condition.times.size()) == u.batch, function, "times",
          text("one time, or one per sample (", u.batch, ")"), text(condition.times.size()));
  for (const T t : condition.times)
    require(std::isfinite(t) && t >= 0, function, "times", text("finite times that are not negative"),
            text(t));

  constexpr int fields = known_fields<S>();
  const auto& known = condition.known;
  if (!known) {
    require(fields == 0 || has_stored_fields, function, "known",
            text(fields, " known field(s), given here or stored with the model"), text("none"));
    return;
  }
  require(known.channels == fields, function, "known", text(fields, " known field(s)"), text(known.channels));
  require(known.batch == 1 || known.batch == u.batch, function, "known",
          text("one set of fields, or one per sample (", u.batch, ")"), text(known.batch));
  require(known.grid == u.grid, function, "known", text("the grid of the initial field, ", u.grid.str()),
          text(known.grid.str()));
  require(all_finite(known), function, "known", text("finite values"), text("a NaN or an infinity"));
}

}  // namespace mno

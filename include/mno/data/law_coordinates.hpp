#pragma once
// Data in the coordinates of a warped law: z = w⁻¹(u) of every member, and the statistics of these.
#include "mno/data/ensemble.hpp"
#include "mno/law/coordinates.hpp"

namespace mno {

/// The mean of w⁻¹(u) is not w⁻¹ of the mean, so the members are needed.
template <class T, int D, Warp W> Ensemble<T, D> in_law_coordinates(Ensemble<T, D> data, const W& warp) {
  if constexpr (detail::MaybeUnwarped<W>)
    if (warp.identity()) return data;
  require(data.size() == 0 || data.members.size() > 0, "in_law_coordinates", "data",
          Text("an ensemble that keeps its members, as statistics do not say what a warp makes of them: "
               "make_ensemble(counts, …, {.members = true})"),
          Text("statistics"));
  to_law_coordinates(data.initial, warp);
  to_law_coordinates(data.members, warp);
  const Field<T, D> initial = data.initial, members = data.members;
  for (Index s = 0; s < data.size(); ++s) {
    const auto i = std::size_t(s);
    set_condition<T, D>(data, s, initial.view().samples(s, 1), data.times[i], data.origins[i],
                        members.view().samples(data.offsets[i], data.counts[i]));
  }
  return data;
}

}  // namespace mno

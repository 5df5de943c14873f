#pragma once
// Whole fields from the user's units to the coordinates of a warped law and back. Data go through here before
// they are normalised, z = (w⁻¹(u) − shift)/scale, so that a law that was restored by the normaliser carries
// the warp as it is.
#include <cmath>
#include <type_traits>

#include "mno/core/error.hpp"
#include "mno/core/field.hpp"
#include "mno/law/warp.hpp"

namespace mno {

/// u ↦ w⁻¹(u), in place
template <class T, int D, Warp W> void to_law_coordinates(Field<T, D>& values, const W& warp) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double u = double(values.data()[i]), z = warp.inverse(u, Index(i) % values.channels());
    require(std::isfinite(z) || !std::isfinite(u), "to_law_coordinates", "values",
            Text("values that the warp reaches"), Text(u));
    values.data()[i] = T(z);
  }
}
/// z ↦ w(z), in place
template <class T, int D, Warp W>
void to_user_units([[maybe_unused]] Field<T, D>& values, [[maybe_unused]] const W& warp) {
  if constexpr (!std::is_same_v<W, Unwarped>) {
    if constexpr (detail::MaybeUnwarped<W>)
      if (warp.identity()) return;
    for (std::size_t i = 0; i < values.size(); ++i)
      values.data()[i] = T(warp.map(double(values.data()[i]), Index(i) % values.channels()));
  }
}

}  // namespace mno

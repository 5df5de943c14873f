#pragma once
// The units in which layers see u_0 (Model::set_input_units), from the training data.
//
// One normaliser serves u_0 and u_t, so that m = u_0 + gA holds in its coordinates. Where u_0 is another
// quantity than u_t, its normalised values may be of another order: a permeability of 3 and 12, in units of a
// pressure of 0.01, is 1000. Then the layers see (u_0 − mean)/deviation; values of order one stay as they
// are. Known fields, which no normaliser touches, follow the same rule.
#include <cmath>

#include "mno/data/ensemble.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace detail {
/// Mean and deviation of channel c, where the deviation is not between 1/4 and 4, or the mean is beyond 4;
/// else both stay as they are.
template <class T, int D> void own_units(const View<const T, D>& u, Index c, T& shift, T& scale) {
  double mean = 0, square = 0;
  for (Index r = 0; r < u.rows(); ++r) mean += double(u.row(r)[c]) / double(u.rows());
  for (Index r = 0; r < u.rows(); ++r) square += std::pow(double(u.row(r)[c]) - mean, 2) / double(u.rows());
  const double deviation = std::sqrt(square);
  const bool varies = deviation > 1e-6 * std::abs(mean);  // beyond rounding
  if (!varies || (deviation <= 4 && deviation >= 0.25 && std::abs(mean) <= 4)) return;
  shift = T(mean);
  scale = T(deviation);
}
}  // namespace detail

/// Of normalised data: those of the channels of u_0, and of known fields, that are of another order.
template <class M>
typename M::InputUnits input_units(const Ensemble<typename M::Scalar, M::dimension>& train) {
  using T = typename M::Scalar;
  typename M::InputUnits units;
  for (std::size_t c = 0; c < units.shift.size(); ++c)
    detail::own_units<T, M::dimension>(train.initial.view(), Index(c), units.shift[c], units.scale[c]);
  if (train.known.size() > 0)
    for (Index k = 0; k < Index(units.known_shift.size()); ++k)  // signed: there may be none
      detail::own_units<T, M::dimension>(train.known.view(), k, units.known_shift[std::size_t(k)],
                                         units.known_scale[std::size_t(k)]);
  return units;
}

}  // namespace mno

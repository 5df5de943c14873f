#pragma once
// The units in which layers see u_0 (Model::set_input_units), from the training data.
//
// One normaliser serves u_0 and u_t, so that m = u_0 + gA holds in its coordinates. Where u_0 is another
// quantity than u_t it may be of another order there: a permeability of 3 and 12, in units of a pressure of
// 0.01, is 1000. Then the layers see (u_0 − mean)/deviation. Where it is of the same order it stays as it is.
#include <cmath>

#include "mno/data/ensemble.hpp"
#include "mno/model/model.hpp"

namespace mno {

/// Of normalised data: mean and deviation of those channels of u_0 whose deviation is not between 1/4 and 4,
/// or whose mean is beyond 4.
template <class M>
typename M::InputUnits input_units(const Ensemble<typename M::Scalar, M::dimension>& train) {
  using T = typename M::Scalar;
  typename M::InputUnits units;
  const auto u = train.initial.view();
  for (Index c = 0; c < u.channels; ++c) {
    double mean = 0, square = 0;
    for (Index r = 0; r < u.rows(); ++r) mean += double(u.row(r)[c]) / double(u.rows());
    for (Index r = 0; r < u.rows(); ++r) square += std::pow(double(u.row(r)[c]) - mean, 2) / double(u.rows());
    const double deviation = std::sqrt(square);
    const bool varies = deviation > 1e-6 * std::abs(mean);  // beyond rounding
    if (varies && (deviation > 4 || deviation < 0.25 || std::abs(mean) > 4)) {
      units.shift[std::size_t(c)] = T(mean);
      units.scale[std::size_t(c)] = T(deviation);
    }
  }
  return units;
}

}  // namespace mno

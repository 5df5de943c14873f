#pragma once
// Fields on squares, compared.
#include <algorithm>
#include <cmath>

#include "mno/core/field.hpp"

namespace planes {
template <class A, class B> double largest_gap(const mno::Field<A, 2>& a, const mno::Field<B, 2>& b) {
  double worst = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, std::abs(double(a.data()[i]) - double(b.data()[i])));
  return worst;
}

template <class A, class B> double root_mean_square(const mno::Field<A, 2>& a, const mno::Field<B, 2>& b) {
  double sum = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += std::pow(double(a.data()[i]) - double(b.data()[i]), 2);
  return std::sqrt(sum / double(a.size()));
}

}  // namespace planes

#pragma once
// Fields on squares, compared.
#include <algorithm>
#include <cmath>

#include "mno/core/field.hpp"

namespace planes {
using mno::Index;

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

/// Every stride-th point on each axis.
template <class T> mno::Field<T, 2> subsample(const mno::Field<T, 2>& fine, Index points) {
  const Index n = fine.grid().points[1], stride = n / points;
  mno::Field<T, 2> coarse(fine.batch(), {{points, points}, fine.grid().domain}, fine.channels());
  for (Index b = 0; b < fine.batch(); ++b)
    for (Index p = 0; p < coarse.points(); ++p)
      for (Index c = 0; c < fine.channels(); ++c)
        coarse(b, p, c) = fine(b, (p / points * n + p % points) * stride, c);
  return coarse;
}

}  // namespace planes

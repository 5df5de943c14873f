#pragma once
// The norm of a gradient, and its clipping.
#include <cmath>
#include <span>

#include "mno/core/error.hpp"

namespace mno {

/// ‖g‖₂, summed in double in the order of the values: the same bits for every number of threads.
template <class T> double gradient_norm(std::span<const T> gradient) {
  // Eight sums side by side, or every addition would wait for the one before.
  double sums[8] = {};
  const std::size_t whole = gradient.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    for (std::size_t j = 0; j < 8; ++j) sums[j] += double(gradient[i + j]) * double(gradient[i + j]);
  for (std::size_t i = whole; i < gradient.size(); ++i)
    sums[i - whole] += double(gradient[i]) * double(gradient[i]);
  return std::sqrt(((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])));
}

/// g ← g · min(1, largest/‖g‖); returns ‖g‖ as it was. A gradient whose norm is not finite is left as it is:
/// the returned norm says so.
template <class T> double clip_gradient(std::span<T> gradient, double largest) {
  require(largest > 0, "clip_gradient", "largest", Text("a positive norm"), Text(largest));
  const double length = gradient_norm(std::span<const T>(gradient));
  if (std::isfinite(length) && length > largest) {
    const T factor = T(largest / length);
    for (T& g : gradient) g *= factor;
  }
  return length;
}

}  // namespace mno

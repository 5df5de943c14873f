#pragma once
// The norm of a gradient, and its clipping.
#include <cmath>
#include <span>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/tree.hpp"
#include "mno/device/communicator.hpp"

namespace mno {

namespace detail {

/// Σ g² of a chunk, in double.
template <class T> double square_of_chunk(std::span<const T> gradient) {
  // Eight sums side by side, or every addition would wait for the one before.
  double sums[8] = {};
  const std::size_t whole = gradient.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    for (std::size_t j = 0; j < 8; ++j) sums[j] += double(gradient[i + j]) * double(gradient[i + j]);
  for (std::size_t i = whole; i < gradient.size(); ++i)
    sums[i - whole] += double(gradient[i]) * double(gradient[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
/// f(chunk, its values) for every chunk of a slice that begins with a whole one.
template <class T, class F> void for_each_chunk(std::span<const T> slice, F&& f) {
  for (std::size_t at = 0; at < slice.size(); at += parameter_chunk)
    f(at / parameter_chunk, slice.subspan(at, std::min(parameter_chunk, slice.size() - at)));
}
/// g ← g · min(1, largest/‖g‖) of any part of a gradient. One whose norm is not finite is left as it is.
template <class T> void clip_to(std::span<T> gradient, double length, double largest) {
  if (!std::isfinite(length) || length <= largest) return;
  const T factor = T(largest / length);
  for (T& g : gradient) g *= factor;
}

}  // namespace detail

/// ‖g‖₂, summed in double: within chunks in the order of the values, over 64 chunks in the tree of
/// core/tree.hpp, then in their order. The same bits for every number of threads and ranks.
template <class T> double gradient_norm(std::span<const T> gradient) {
  constexpr std::size_t most = 64;
  double squares[most], total = 0;
  std::size_t count = 0;
  detail::for_each_chunk(gradient, [&](std::size_t, std::span<const T> chunk) {
    squares[count++] = detail::square_of_chunk(chunk);
    if (count < most) return;
    total += tree_sum({squares, count});
    count = 0;
  });
  return std::sqrt(total + tree_sum({squares, count}));
}

/// g ← g · min(1, largest/‖g‖); returns ‖g‖ as it was. A gradient whose norm is not finite is left as it is:
/// the returned norm says so.
template <class T> double clip_gradient(std::span<T> gradient, double largest) {
  require(largest > 0, "clip_gradient", "largest", Text("a positive norm"), Text(largest));
  const double length = gradient_norm(std::span<const T>(gradient));
  detail::clip_to(gradient, length, largest);
  return length;
}

namespace detail {

/// The same where every rank has its slice of the gradient; `squares` is room for all chunks.
template <class T>
double clip_slices(std::span<T> gradient, double largest, Communicator& ranks, std::vector<double>& squares) {
  if (ranks.size() == 1) return clip_gradient(gradient, largest);
  squares.resize((gradient.size() + parameter_chunk - 1) / parameter_chunk);
  const std::vector<Communicator::Slice> slices = parameter_slices(ranks, gradient.size());
  const Communicator::Slice own = slices[std::size_t(ranks.rank())];
  const std::span<T> slice = gradient.subspan(own.begin, own.end - own.begin);
  for_each_chunk(std::span<const T>(slice), [&](std::size_t chunk, std::span<const T> values) {
    squares[own.begin / parameter_chunk + chunk] = square_of_chunk(values);
  });
  std::vector<Communicator::Slice> chunks;
  for (Index rank = 0; rank < ranks.size(); ++rank) chunks.push_back(ranks.slice(squares.size(), rank));
  ranks.all_gather(std::span(squares), std::span<const Communicator::Slice>(chunks));
  const double length = std::sqrt(tree_sum(squares));
  clip_to(slice, length, largest);
  return length;
}

}  // namespace detail
}  // namespace mno

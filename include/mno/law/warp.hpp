#pragma once
// Warps: the pointwise increasing map w from the coordinates z in which a law is m + Bᵀξ + η∘ζ to the user's
// units, u = w(z). Values that must be positive, or that span decades, are closer to that form in z than in
// u.
//
// A warp of your own is a type with
//   double map(double z, Index channel) const       // u = w(z)
//   double inverse(double u, Index channel) const   // z; −∞ or +∞ below or above the range of w
//   double slope(double z, Index channel) const     // w'(z) > 0
// and, if it has them,
//   MeanAndVariance moments(double m, double sd, Index channel, const R& residual) const   // of w(m + sd·ζ)
//   void require_channels(Index channels) const     // throws if it does not fit so many channels
#include <concepts>

#include "mno/core/grid.hpp"

namespace mno {

struct MeanAndVariance {
  double mean, variance;
};

template <class W>
concept Warp = requires(const W& warp, double x, Index channel) {
  { warp.map(x, channel) } -> std::convertible_to<double>;
  { warp.inverse(x, channel) } -> std::convertible_to<double>;
  { warp.slope(x, channel) } -> std::convertible_to<double>;
};

/// u = z
struct Unwarped {
  double map(double z, Index) const { return z; }
  double inverse(double u, Index) const { return u; }
  double slope(double, Index) const { return 1; }
  static constexpr bool identity() { return true; }
};

namespace detail {
/// May the warp be the identity? Known at compile time, or for AnyWarp when it runs.
template <class W>
concept MaybeUnwarped = requires(const W& warp) {
  warp.identity();
};
}  // namespace detail

}  // namespace mno

#pragma once
// The problem that an operator solves, and the sizes of its backbone, as types with compile-time numbers.
//
//   struct Problem { static constexpr int dimension = 1, channels = 1, rank = 16; };
//   struct Burgers : Problem { static constexpr int width = 48, modes = 16, depth = 4; };
//
// A model needs only the problem; all other numbers are those of its backbone. They are types, not values,
// because nvcc 13.0 miscompiles struct-valued template arguments.
#include <concepts>

namespace mno {

/// The problem: what goes in and what comes out.
template <class S>
concept Problem = requires {
  { S::dimension } -> std::convertible_to<int>;  // of the grid
  { S::channels } -> std::convertible_to<int>;   // C, of u
};
/// A problem, and the numbers of a Fourier backbone.
template <class S>
concept Shape = Problem<S> && requires {
  { S::rank } -> std::convertible_to<int>;   // r, of the covariance
  { S::width } -> std::convertible_to<int>;  // channels inside the backbone
  { S::modes } -> std::convertible_to<int>;  // wavenumbers |k| < modes are kept on every axis
  { S::depth } -> std::convertible_to<int>;  // Fourier layers
};

/// S, or the sentence that says what is missing.
template <class S> struct RequireShape {
  static_assert(
      Shape<S>,
      "mno: a shape needs dimension, channels, rank, width, modes and depth as static constexpr int");
  using type = S;
};

// What a problem may also say, and the default if it does not.

/// The rank r of the covariance: an operator that gives a field needs none.
template <class S> constexpr int rank_of() {
  if constexpr (requires { S::rank; })
    return S::rank;
  else
    return 0;
}
/// Known fields that come with every call beside u_0 and t: a forcing, a coefficient.
template <class S> constexpr int known_fields() {
  if constexpr (requires { S::known; })
    return S::known;
  else
    return 0;
}
/// Sines and cosines of the physical coordinates up to this harmonic, as further channels.
template <class S> constexpr int coordinate_harmonics() {
  if constexpr (requires { S::harmonics; })
    return S::harmonics;
  else
    return 0;
}
/// Channels of a model's input [u_0, t, known fields, coordinates].
template <Problem S> constexpr int input_channels() {
  return S::channels + 1 + known_fields<S>() + 2 * S::dimension * coordinate_harmonics<S>();
}

// What a backbone may also say, and the default if it does not.

/// Width of the hidden layer in the heads.
template <class S> constexpr int projection_width() {
  if constexpr (requires { S::projection; })
    return S::projection;
  else
    return 128;
}
/// Learned fields of x that the lift reads beside its input, for laws that differ from place to place.
template <class S> constexpr int place_fields() {
  if constexpr (requires { S::places; })
    return S::places;
  else
    return 0;
}
/// S with place fields: four, unless S says another number.
template <class S> struct WithPlaces : S {
  static constexpr int places = [] {
    if constexpr (requires { S::places; })
      return S::places;
    else
      return 4;
  }();
};
/// One backbone with two projection heads, or two independent operators.
template <class S> constexpr bool shared_backbone() {
  if constexpr (requires { S::shared_backbone; })
    return S::shared_backbone;
  else
    return true;
}
/// Number of terms N_K of the separable drift head.
template <class S> constexpr int separable_terms() {
  if constexpr (requires { S::separable_terms; })
    return S::separable_terms;
  else
    return 16;
}

}  // namespace mno

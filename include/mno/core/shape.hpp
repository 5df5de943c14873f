#pragma once
// The shape of a model: a type with compile-time numbers.
//
//   struct Burgers { static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16,
//   depth = 4; };
//
// A type, not a value: nvcc 13.0 miscompiles struct-valued template arguments.
#include <concepts>

namespace mno {

template <class S>
concept Shape = requires {
  { S::dimension } -> std::convertible_to<int>;  // of the grid
  { S::channels } -> std::convertible_to<int>;   // C, of u
  { S::rank } -> std::convertible_to<int>;       // r, of the covariance
  { S::width } -> std::convertible_to<int>;      // channels inside the backbone
  { S::modes } -> std::convertible_to<int>;      // wavenumbers |k| < modes are kept on every axis
  { S::depth } -> std::convertible_to<int>;      // Fourier layers
};

/// S, or the sentence that says what is missing.
template <class S> struct RequireShape {
  static_assert(
      Shape<S>,
      "mno: a shape needs dimension, channels, rank, width, modes and depth as static constexpr int");
  using type = S;
};

// What a shape may say beside that, and what holds when it does not.

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
/// Width of the hidden layer in the heads.
template <class S> constexpr int projection_width() {
  if constexpr (requires { S::projection; })
    return S::projection;
  else
    return 128;
}
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

/// Channels of a model's input [u_0, t, known fields, coordinates].
template <Shape S> constexpr int input_channels() {
  return S::channels + 1 + known_fields<S>() + 2 * S::dimension * coordinate_harmonics<S>();
}

}  // namespace mno

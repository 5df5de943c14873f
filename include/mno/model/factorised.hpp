#pragma once
// Operators whose layers convolve along one axis at a time:
//
//     v ↦ v + W_2 gelu(W_1 Σ_d F_d⁻¹(R_d · F_d v) + b_1) + b_2,
//
// a convolution along every axis, added up, then a feed-forward network at every point, all beside a residual
// path. With width w and M modes an axis costs M w² complex numbers, where a Fourier layer's box of modes
// costs M^D w²: on planes there are fewer numbers to learn from the same data and to update in every step.
//
// The layer is that of A. Tran, A. Mathews, L. Xie, C. S. Ong, "Factorized Fourier Neural Operators",
// arXiv:2111.13802, with the shape's width, and with gelu instead of relu, as in all operators here. The
// heads of a law can stand on any layers.
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/identity.hpp"
#include "mno/model/model.hpp"

namespace mno {

/// Hidden channels of a layer's feed-forward network.
template <class S> constexpr int feed_forward_width() { return 2 * S::width; }

template <Shape S>
struct FactorisedLayer
    : Sum<Identity<S::width>,
          Chain<FactorisedSpectralConv<S::width, S::width, S::dimension, S::modes>,
                Pointwise<S::width, feed_forward_width<S>()>, Gelu<feed_forward_width<S>()>,
                Pointwise<feed_forward_width<S>(), S::width>>> {
  static constexpr const char* name = "layer";
};

/// A law, as NuggetMno gives one.
template <class S, class T = float>
using FactorisedMno = Model<MnoOperator<WithPlaces<typename RequireShape<S>::type>, PathDriftHead<S>,
                                        NuggetFactorHead<S>, Gate, FactorisedLayer<S>>,
                            S, T>;
/// A field.
template <class S, class T = float>
using Ffno = Model<FnoOperator<typename RequireShape<S>::type, FactorisedLayer<S>>, S, T>;

}  // namespace mno

#pragma once
// F-FNO, the factorised Fourier Neural Operator, and the same with noise among its inputs (Noise-FFNO):
//
//     v ↦ v + W_2 gelu(W_1 Σ_d F_d⁻¹(R_d · F_d v) + b_1) + b_2,
//
// a convolution along every axis, added up, then a feed-forward network at every point, all beside a residual
// path. With width w and M modes an axis costs M w² complex numbers, where an FNO's box of modes costs M^D.
//
// Published: A. Tran, A. Mathews, L. Xie, C. S. Ong, "Factorized Fourier Neural Operators", arXiv:2111.13802.
// Ours has the shape's width, gelu instead of relu as all operators here have, and the noise of NoiseFno.
#include "mno/baseline/noise_fno.hpp"
#include "mno/layer/factorised_spectral.hpp"

namespace mno {

namespace baseline {

/// Hidden channels of a layer's feed-forward network.
template <class S> constexpr int feed_forward_width() { return 2 * S::width; }

template <Shape S>
struct FfnoLayer : Sum<Identity<S::width>,
                       Chain<FactorisedSpectralConv<S::width, S::width, S::dimension, S::modes>,
                             Pointwise<S::width, feed_forward_width<S>()>, Gelu<feed_forward_width<S>()>,
                             Pointwise<feed_forward_width<S>(), S::width>>> {
  static constexpr const char* name = "layer";
};

/// [u_0, t, …] ↦ u_t
template <Shape S> struct FfnoOperator : Chain<Lift<S>, Repeat<S::depth, FfnoLayer<S>>, DriftHead<S>> {};

/// [u_0, t, …] ↦ a draw of u_t
template <Shape S>
struct NoiseFfnoOperator
    : Chain<NoisyInput<S>, NoisyLift<S>, Repeat<S::depth, FfnoLayer<S>>, IncrementHead<S>> {};

}  // namespace baseline

template <class S, class T = float>
using Ffno = Model<baseline::FfnoOperator<typename RequireShape<S>::type>, S, T>;
template <class S, class T = float>
using NoiseFfno = Model<baseline::NoiseFfnoOperator<typename RequireShape<S>::type>, S, T>;

}  // namespace mno

#pragma once
// Noise-FNO: a Fourier Neural Operator with noise among its inputs,
//
//     u = u_0 + g(t) FNO([u_0, t, ξ_1, …, ξ_q]),   ξ_j fields of noise, drawn anew for every draw.
//
// The published operator (the paper's "Noise-FNO") joins channels of grid-white noise to the input of an FNO.
// Ours joins fields with equal variance in every wave below `modes`: the same noise on every grid.
#include "mno/baseline/increment_head.hpp"
#include "mno/layer/noise.hpp"
#include "mno/model/model.hpp"

namespace mno {

/// Fields of noise among a rival's inputs: what the shape says as `noise_channels`, or 4.
template <class S> constexpr int noise_channels() {
  if constexpr (requires { S::noise_channels; })
    return S::noise_channels;
  else
    return 4;
}

namespace baseline {

/// [u_0, t, …] ↦ [u_0, t, …, ξ_1, …, ξ_q]
template <Shape S>
struct NoisyInput : Concat<Identity<input_channels<S>()>,
                           Noise<input_channels<S>(), noise_channels<S>(), S::dimension, S::modes>> {};

template <Shape S> struct NoisyLift : Pointwise<input_channels<S>() + noise_channels<S>(), S::width> {
  static constexpr const char* name = "lift";
};

template <Shape S>
struct NoiseFnoOperator
    : Chain<NoisyInput<S>, NoisyLift<S>, Repeat<S::depth, FourierLayer<S>>, IncrementHead<S>> {};

}  // namespace baseline

template <class S, class T = float>
using NoiseFno = Model<baseline::NoiseFnoOperator<typename RequireShape<S>::type>, S, T>;

}  // namespace mno

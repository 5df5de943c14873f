#pragma once
// Noise-FFNO: the factorised Fourier Neural Operator (model/factorised.hpp) with the noise of NoiseFno among
// its inputs.
#include "mno/baseline/noise_fno.hpp"
#include "mno/model/factorised.hpp"

namespace mno {

namespace baseline {

/// [u_0, t, …] ↦ a draw of u_t
template <Shape S>
struct NoiseFfnoOperator
    : Chain<NoisyInput<S>, NoisyLift<S>, Repeat<S::depth, FactorisedLayer<S>>, IncrementHead<S>> {};

}  // namespace baseline

template <class S, class T = float>
using NoiseFfno = Model<baseline::NoiseFfnoOperator<typename RequireShape<S>::type>, S, T>;

}  // namespace mno

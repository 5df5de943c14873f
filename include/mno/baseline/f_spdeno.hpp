#pragma once
// F-SPDENO-style: Wick products of noise fields beside the input of an FNO,
//
//     u = u_0 + g(t) FNO([u_0, t, Ξ_α(x)]),   Ξ_α = Π_j h_{α_j}(ξ_j(x)),   1 ≤ |α| ≤ 2,
//
// where ξ_j(x) = Σ_m ξ_{mj} e_m(x) is the noise projected on the j-th function of a time basis and on the
// waves e_m of the domain. The Hermite products h are those of layer/hermite.hpp; ξ_j has variance 1 at every
// point, so they are centred and uncorrelated there.
//
// Published: D. Shi and others, "Expanding the Chaos: Neural Operator for Stochastic (Partial) Differential
// Equations", arXiv:2601.01021: an operator is given the Wick-Hermite features of the path that drives the
// solution. Ours draws the ξ_{mj}, and has the time t as an input in the place of an expansion in time.
#include "mno/baseline/noise_fno.hpp"
#include "mno/layer/hermite.hpp"

namespace mno {

namespace baseline {

/// ξ_j ↦ Ξ_α, the features of so many functions of time.
template <Shape S> using WickFields = Hermite<noise_channels<S>(), 2>;

/// [u_0, t, …] ↦ [u_0, t, …, Ξ_α]
template <Shape S>
struct WickInput
    : Concat<Identity<input_channels<S>()>,
             Chain<Noise<input_channels<S>(), noise_channels<S>(), S::dimension, S::modes>, WickFields<S>>> {
};

template <Shape S> struct WickLift : Pointwise<WickInput<S>::outputs, S::width> {
  static constexpr const char* name = "lift";
};

template <Shape S>
struct FSpdenoOperator
    : Chain<WickInput<S>, WickLift<S>, Repeat<S::depth, FourierLayer<S>>, IncrementHead<S>> {};

}  // namespace baseline

template <class S, class T = float>
using FSpdeno = Model<baseline::FSpdenoOperator<typename RequireShape<S>::type>, S, T>;

}  // namespace mno

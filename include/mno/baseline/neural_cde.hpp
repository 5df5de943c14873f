#pragma once
// A neural controlled differential equation,
//
//     dz = F(z) dX,   z(0) = ζ(u_0, t),   u_t = u_0 + γ(t) ℓ(z(t)),
//
// driven by X = (s, W_1, …, W_n): time and Brownian paths that the model draws itself. By tied Euler steps
// z ← z + Σ_j F_j(z) ΔX_j with ΔX = (h, √h ξ_1, …, √h ξ_n) and h = t/steps.
//
// Published (Kidger, Morrill, Foster, Lyons, 2005.08926): X is an observed path, interpolated; F ends in
// tanh, a matrix of hidden size times controls. Our reading: nothing is observed after u_0, so the path is
// noise, drawn per wave; z is a field, and F one Fourier layer and a pointwise map. See
// docs/baselines.md.
#include "mno/baseline/increment_head.hpp"
#include "mno/baseline/time_step.hpp"
#include "mno/layer/constant.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/superposition.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace baseline {

/// The increments of (s, W_1, …, W_Noises) in one of so many steps.
template <int In, int Noises, int D, int Modes, int Steps>
using ControlIncrements = Concat<Gated<Constant<In, 1, UnitAmplitude>, TimeStep<Steps>>,
                                 Gated<Noise<In, Noises, D, Modes>, RootTimeStep<Steps>>>;

/// z ↦ z + Σ_j F_j(z) ΔX_j; channel j·C + c of the field F is F_jc.
template <Layer F, Layer Increments>
struct ControlledStep
    : Sum<Identity<F::inputs>, Chain<Concat<Increments, F>, Superposition<Increments::outputs, F::inputs>>> {
  static_assert(F::outputs == F::inputs * Increments::outputs,
                "mno: a controlled step needs a vector field of C channels for every control");
};

/// Hidden channels: the shape's width.
template <Shape S, int Noises = 16, int Steps = 8> struct NeuralCdeOperator {
  static constexpr int hidden = S::width, controls = Noises + 1;
  struct VectorField : Chain<FourierLayer<S>, Pointwise<hidden, controls * hidden>, Tanh<controls * hidden>> {
    static constexpr const char* name = "field";
  };
  struct Readout : Sum<detail::Projection<S, S::channels>, InitialPath<S::width, S::channels>> {
    static constexpr const char* name = "readout";
  };
  using Increments = ControlIncrements<hidden, Noises, S::dimension, S::modes, Steps>;
  using type = Chain<Lift<S>, SolverSteps<S, Steps, ControlledStep<VectorField, Increments>>,
                     IncrementHead<S, Readout>>;
};

}  // namespace baseline

template <class S, class T = float, int Noises = 16, int Steps = 8>
using NeuralCde =
    Model<typename baseline::NeuralCdeOperator<typename RequireShape<S>::type, Noises, Steps>::type, S, T>;

}  // namespace mno

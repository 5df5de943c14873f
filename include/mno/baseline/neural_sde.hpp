#pragma once
// A neural stochastic differential equation of fields,
//
//     dz = f(z, u_0, t) ds + g(z, u_0, t) dW,   z(0) = u_0,   u_t = z(t),
//
// by n tied Euler–Maruyama steps of size h = t/n:  z ← z + h f + √h g ξ.
//
// Published (Li, Wong, Chen, Duvenaud 2020; for spatial fields 2501.18871): drift and diffusion are networks,
// and a solver runs between observations. Our reading: both are small Fourier operators, ξ is drawn per wave
// (layer/noise.hpp), and it is trained by the energy score of its draws; or, where one step is enough, by the
// likelihood of that step (NeuralSdeTransition). See docs/baselines.md.
#include "mno/baseline/time_step.hpp"
#include "mno/expression/product.hpp"
#include "mno/layer/initial.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/slice.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace baseline {

/// A Fourier operator of the shape's numbers, with inputs and outputs of its own.
template <Shape S, int Inputs, int Outputs>
using FourierNetwork =
    Chain<Pointwise<Inputs, S::width>, Repeat<S::depth, FourierLayer<S>>, detail::Projection<S, Outputs>>;

/// x ↦ z_n from z_0 = Start(x); every step reads [z | x], the state and the input.
template <class S, int Steps, Layer Start, Layer Step>
struct Solve : Chain<Concat<Start, Identity<Start::inputs>>,
                     SolverSteps<S, Steps, Concat<Step, Slice<Step::inputs, Start::outputs, Start::inputs>>>,
                     Slice<Step::inputs, 0, Start::outputs>> {
  static_assert(Step::inputs == Start::outputs + Start::inputs && Step::outputs == Start::outputs,
                "mno: Solve<shape, n, start, step> needs a step from [z | x] to z, with z = start(x)");
};

/// [z | x] ↦ z + h f + √h g ξ
template <int Steps, Layer Drift, Layer Diffusion, Layer Xi>
struct EulerMaruyama : Sum<Slice<Drift::inputs, 0, Drift::outputs>, Gated<Drift, TimeStep<Steps>>,
                           Gated<Product<Diffusion, Xi>, RootTimeStep<Steps>>> {};

template <Shape S, int Steps = 16> struct NeuralSdeOperator {
  static constexpr int state = S::channels, given = input_channels<S>(), both = state + given;
  struct Drift : Sum<FourierNetwork<S, both, state>, InitialPath<both, state>> {
    static constexpr const char* name = "drift";
  };
  struct Diffusion : FourierNetwork<S, both, state> {
    static constexpr const char* name = "diffusion";
  };
  using Xi = Noise<both, state, S::dimension, S::modes>;
  using type = Solve<S, Steps, Initial<given, state>, EulerMaruyama<Steps, Drift, Diffusion, Xi>>;
};

/// One step of the same equation with r Brownian motions and noise at every point, as a law with a density:
///   u_t ~ N(u_0 + t f,  t (Σ_k g_k g_kᵀ + diag g_0²)),   f and [g_1 … g_r | g_0] functions of (u_0, t).
template <Shape S> struct NeuralSdeTransitionOperator {
  struct Drift : Sum<FourierNetwork<S, input_channels<S>(), S::channels>,
                     InitialPath<input_channels<S>(), S::channels>> {
    static constexpr const char* name = "drift";
  };
  struct Diffusion : FourierNetwork<S, input_channels<S>(), (S::rank + 1) * S::channels> {
    static constexpr const char* name = "diffusion";
  };
  using type = Concat<Gated<Drift, TimeStep<1>>, Gated<Diffusion, RootTimeStep<1>>>;
};

}  // namespace baseline

/// [u_0, t, …] ↦ u_t: other noise, another draw.
template <class S, class T = float, int Steps = 16>
using NeuralSde =
    Model<typename baseline::NeuralSdeOperator<typename RequireShape<S>::type, Steps>::type, S, T>;

/// [u_0, t, …] ↦ the law of one step.
template <class S, class T = float>
using NeuralSdeTransition =
    Model<typename baseline::NeuralSdeTransitionOperator<typename RequireShape<S>::type>::type, S, T>;

}  // namespace mno

#pragma once
// A neural stochastic partial differential equation, in its mild form
//
//     z(t) = S_t z_0 + ∫ S_{t−s} (F(z(s)) ds + G(z(s)) dW(s)),   z_0 = L(u_0, t),   u_t = u_0 + γ(t) Q(z(t)),
//
// by tied exponential steps  z ← S_h (z + h F(z) + √h G(z) ξ),  h = t/n.
//
// Published (Salvi, Lemercier, Gerasimovičs, 2110.10249): S is a learned kernel in the Fourier modes of space
// and time, the driving noise is observed, and z is found by fixed-point iteration or an ODE of its modes.
// Our reading: S has learned rates of decay and rotation (layer/semigroup.hpp), so it is causal without
// padding; the mixing of channels per wave stands in F, beside a local one; ξ is drawn by the model. See
// docs/baselines.md.
#include "mno/baseline/increment_head.hpp"
#include "mno/baseline/time_step.hpp"
#include "mno/expression/product.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/semigroup.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace baseline {

/// z ↦ S_h (z + h F(z) + √h G(z) ξ)
template <int Steps, Layer Forcing, Layer Noisy, Layer Flow>
struct MildStep
    : Chain<Sum<Identity<Flow::inputs>, Gated<Forcing, TimeStep<Steps>>, Gated<Noisy, RootTimeStep<Steps>>>,
            Flow> {};

/// Latent channels: the shape's width.
template <Shape S, int Steps = 16> struct NeuralSpdeOperator {
  static constexpr int latent = S::width;
  using Perceptron = Chain<Pointwise<latent, projection_width<S>()>, Gelu<projection_width<S>()>,
                           Pointwise<projection_width<S>(), latent>>;
  struct Forcing : detail::Chained<Perceptron, Sum<SpectralConv<latent, latent, S::dimension, S::modes>,
                                                   Pointwise<latent, latent>>> {
    static constexpr const char* name = "forcing";
  };
  struct Diffusion : Perceptron {
    static constexpr const char* name = "diffusion";
  };
  struct Readout : Sum<detail::Projection<S, S::channels>, InitialPath<S::width, S::channels>> {
    static constexpr const char* name = "readout";
  };
  using Noisy = Product<Diffusion, Noise<latent, latent, S::dimension, S::modes>>;
  using Flow = Semigroup<latent, S::dimension, S::modes, Steps>;
  using type =
      Chain<Lift<S>, SolverSteps<S, Steps, MildStep<Steps, Forcing, Noisy, Flow>>, IncrementHead<S, Readout>>;
};

}  // namespace baseline

template <class S, class T = float, int Steps = 16>
using NeuralSpde =
    Model<typename baseline::NeuralSpdeOperator<typename RequireShape<S>::type, Steps>::type, S, T>;

}  // namespace mno

#pragma once
// SDENO-style: global Gaussians whose Wick products modulate every layer of an FNO,
//
//     v ↦ gelu((1 + s_l(Ξ)) ∘ (K_l v + W_l v + b_l) + c_l(Ξ)),   Ξ_α = Π_i h_{α_i}(ξ_i),   1 ≤ |α| ≤ 2,
//
// with ξ_1, …, ξ_q ~ N(0,1), numbers that are the same at every point and in every layer of a draw, and with
// scale s_l and shift c_l affine in their products Ξ. As for all rivals, u = u_0 + g(t) G.
//
// Published: D. Shi and others, "Expanding the Chaos: Neural Operator for Stochastic (Partial) Differential
// Equations", arXiv:2601.01021, and "Wiener Chaos Expansion based Neural Operator for Singular Stochastic
// Partial Differential Equations", arXiv:2603.08219, which has the modulation. There the products are those
// of the path that drives the solution. Ours draws the ξ_i, and has the time t as an input in the place of an
// expansion in time.
#include "mno/baseline/increment_head.hpp"
#include "mno/layer/film.hpp"
#include "mno/layer/hermite.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/slice.hpp"
#include "mno/model/model.hpp"

namespace mno {

/// Gaussians of a draw, q: what the shape says as `latents`, or 8.
template <class S> constexpr int latents() {
  if constexpr (requires { S::latents; })
    return S::latents;
  else
    return 8;
}

namespace baseline {

/// What goes through the layers: [v | Ξ]. They leave Ξ as it is, so that all see the same.
template <Shape S> struct Modulated {
  static constexpr int width = S::width, features = Hermite<latents<S>(), 2>::outputs, all = width + features;
  using State = Slice<all, 0, width>;            // [v | Ξ] ↦ v
  using Features = Slice<all, width, features>;  // [v | Ξ] ↦ Ξ

  struct Modulation : Pointwise<features, 2 * width> {  // Ξ ↦ [s | c]
    static constexpr const char* name = "modulation";

    /// Small at first: products of Gaussians that are multiplied in every layer would make draws with heavy
    /// tails.
    template <class T> static void initialise(std::span<T> w, Stream& random) {
      Pointwise<features, 2 * width>::initialise(w, random);
      for (T& value : w) value *= T(0.1);
    }
  };
  using Convolution = Sum<SpectralConv<width, width, S::dimension, S::modes>, Pointwise<width, width>>;
  using NextState =
      Chain<Concat<Chain<State, Convolution>, Chain<Features, Modulation>>, Film<width>, Gelu<width>>;
  struct Step : Concat<NextState, Features> {
    static constexpr const char* name = "layer";
  };

  using First =
      Concat<Lift<S>,
             Chain<Noise<input_channels<S>(), latents<S>(), S::dimension, 1>, Hermite<latents<S>(), 2>>>;
};

template <Shape S>
struct SdenoOperator : Chain<typename Modulated<S>::First, Repeat<S::depth, typename Modulated<S>::Step>,
                             typename Modulated<S>::State, IncrementHead<S>> {};

}  // namespace baseline

template <class S, class T = float>
using Sdeno = Model<baseline::SdenoOperator<typename RequireShape<S>::type>, S, T>;

}  // namespace mno

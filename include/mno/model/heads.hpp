#pragma once
// The named parts of the paper as expressions over a shape: lift, Fourier layer, backbone, heads.
#include "mno/core/shape.hpp"
#include "mno/expression/chain.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/fourier.hpp"
#include "mno/expression/perceptron.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/activation.hpp"
#include "mno/layer/fixed_field.hpp"
#include "mno/layer/initial_path.hpp"
#include "mno/layer/mercer.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/separable.hpp"
#include "mno/layer/spectral.hpp"

namespace mno {

/// What depends on the place x alone: a few learned fields, and how every channel reads them. A backbone of
/// Fourier layers treats all places alike, so without them it would miss a forcing that stands still.
///
/// Where the reading weights are zero (train/places.hpp) it is closed, and stays closed: the fields begin as
/// zero, so the gradients of both are zero.
template <Shape S>
struct Place : Chain<FixedField<input_channels<S>(), place_fields<S>(), S::dimension, S::modes>,
                     Pointwise<place_fields<S>(), S::width>> {
  static constexpr const char* name = "place";
};

namespace detail {
template <Shape S, bool Placed> struct LiftExpression {
  using type = Pointwise<input_channels<S>(), S::width>;
};
template <Shape S> struct LiftExpression<S, true> {
  using type = Sum<Pointwise<input_channels<S>(), S::width>, Place<S>>;
};
}  // namespace detail

/// [u_0, t, known fields, coordinates] ↦ width channels; with the place x where the shape has `places`.
template <Shape S> struct Lift : detail::LiftExpression<S, (place_fields<S>() > 0)>::type {
  static constexpr const char* name = "lift";
};

/// v ↦ gelu(F⁻¹(R · F v) + W v + b)
template <Shape S>
struct FourierLayer
    : Chain<Sum<SpectralConv<S::width, S::width, S::dimension, S::modes>, Pointwise<S::width, S::width>>,
            Gelu<S::width>> {
  static constexpr const char* name = "layer";
};

/// Lift and depth Fourier layers: what drift and factor share, or have one each of.
template <Shape S> struct Backbone : Chain<Lift<S>, Repeat<S::depth, FourierLayer<S>>> {};

namespace detail {
/// width → projection → outputs
template <Shape S, int Outputs>
using Projection = Chain<Pointwise<S::width, projection_width<S>()>, Gelu<projection_width<S>()>,
                         Pointwise<projection_width<S>(), Outputs>>;

template <class A, class B> using Chained = decltype(A{} >> B{});
}  // namespace detail

/// The drift increment A: C channels.
template <Shape S> struct DriftHead : detail::Projection<S, S::channels> {
  static constexpr const char* name = "drift";
};

/// The factor B: r·C channels, channel k·C + c being B_k(c,·).
template <Shape S> struct FactorHead : detail::Projection<S, S::rank * S::channels> {
  static constexpr const char* name = "factor";
};

/// Drop-in for FactorHead: the factor, and in C further channels the nugget's deviation η, so that
/// Γ = BᵀB + diag(η²). The part that is the same for every condition is a field of its own, so the layers
/// need not reproduce it. The same gate multiplies all of it: the law is exact at t = 0.
template <Shape S>
struct NuggetFactorHead : Sum<detail::Projection<S, (S::rank + 1) * S::channels>,
                              FixedField<S::width, (S::rank + 1) * S::channels, S::dimension, S::modes>> {
  static constexpr const char* name = "factor";
};

/// Drop-in for DriftHead: A = A_net + κ u_0. m = u_0 + gA is as before, and exact at t = 0. But the layers
/// need no longer cancel the part of u_0 that is gone at time t, often most of it.
template <Shape S>
struct PathDriftHead : Sum<detail::Projection<S, S::channels>, InitialPath<S::width, S::channels>> {
  static constexpr const char* name = "drift";
};

/// Drop-in for DriftHead: A = Σ_i α_i(u_0,t) φ_i ⟨ψ_i,u_0⟩.
template <Shape S>
struct SeparableDriftHead
    : detail::Chained<detail::Projection<S, separable_terms<S>()>,
                      Separable<separable_terms<S>(), S::channels, S::dimension, S::modes>> {
  static constexpr const char* name = "drift";
};

/// Drop-in for FactorHead: B_k = √λ_k ψ_k with orthonormal ψ_k.
template <Shape S, class Bound = DefaultEigenvalueBound>
struct MercerHead : detail::Chained<detail::Projection<S, S::rank * S::channels + S::rank>,
                                    Mercer<S::rank, S::channels, Bound>> {
  static constexpr const char* name = "factor";
};

}  // namespace mno

#pragma once
// Conditional diffusion of the standardised residual r = (u_t − m̂)/ŝ, ŝ = s√t. With φ = πτ/2,
//
//     x_τ = cos φ r + sin φ ε,   v = cos φ ε − sin φ r,   a network learns E[v | x_τ, u_0, t, τ];
//     DDIM, from x_1 = ε down in n steps of δ = π/2n:   x ← cos δ x − sin δ v(x, τ),   u = m̂ + ŝ x_0.
//
// Published (Ho et al. 2020; cosine schedule: Nichol, Dhariwal 2021; DDIM: Song et al. 2021; v: Salimans, Ho
// 2022): a U-Net on images of pixel noise. Our reading: an FNO with the inputs u_0, t and x_τ, noise per
// wave, and a mean m̂ that an FNO has learned before. See docs/baselines.md.
//
// All of it is one operator that gives draws: the steps of DDIM are those of a solver, tied. Its parameters
// are those of two models that are trained one after the other (fit_diffusion.hpp).
#include <cmath>
#include <numbers>

#include "mno/baseline/increment_head.hpp"
#include "mno/layer/constant.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/slice.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace baseline {

/// The denoiser's problem: τ stands in the place of t, and [x_τ | t] come before the known fields.
template <Shape S> struct DiffusionShape : S {
  static constexpr int known = S::channels + 1 + known_fields<S>();
};

template <Shape S> struct MeanOperator : Chain<Lift<S>, Repeat<S::depth, FourierLayer<S>>, IncrementHead<S>> {
  static constexpr const char* name = "mean";
};
template <Shape S> struct DenoisingOperator : FnoOperator<DiffusionShape<S>> {
  static constexpr const char* name = "denoiser";
};

/// a * Turn<n, false> is cos δ a, and a * Turn<n, true> is −sin δ a.
template <int Evaluations, bool Sine> struct Turn : WithoutParameters {
  static constexpr const char* name = "turn";

  template <class T> MNO_HOST_DEVICE static T value(std::span<const T>, T) {
    const double delta = std::numbers::pi / (2 * Evaluations);
    return T(Sine ? -std::sin(delta) : std::cos(delta));
  }
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T>, T, T, std::span<T>) { return T(0); }
};

/// a * ResidualSize is s√t a, with s as its parameter. Nothing is added at t = 0.
struct ResidualSize {
  static constexpr const char* name = "residual";
  static constexpr std::array leaves{parameter("scale", 1)};
  static constexpr std::size_t parameters = total(leaves);

  template <class T> static void initialise(std::span<T> w, Stream&) { w[0] = T(1); }
  template <class T> MNO_HOST_DEVICE static T value(std::span<const T> w, T t) { return w[0] * std::sqrt(t); }
  /// ∂/∂s = √t,  ∂/∂t = s/2√t, taken as 0 at t = 0
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T> w, T t, T gbar, std::span<T> wbar) {
    wbar[0] += gbar * std::sqrt(t);
    return t > T(0) ? gbar * w[0] / (2 * std::sqrt(t)) : T(0);
  }
};

/// What goes through the steps of DDIM: [x_τ | τ | u_0, t, …]; only x and τ change.
template <Shape S, int Evaluations> struct DdimParts {
  static constexpr int channels = S::channels, given = input_channels<S>(), all = channels + 1 + given;
  struct First {
    static constexpr double value = 1;
  };
  struct Less {
    static constexpr double value = -1.0 / Evaluations;
  };
  using X = Slice<all, 0, channels>;
  using Tau = Slice<all, channels, 1>;
  using Given = Slice<all, channels + 1, given>;
  /// [u_0, τ, x_τ, t, …], as the denoiser has it.
  using Arranged =
      Concat<Slice<all, channels + 1, channels>, Tau, X, Slice<all, 2 * channels + 1, given - channels>>;
  struct Step : Concat<Sum<Gated<X, Turn<Evaluations, false>>,
                           Gated<Chain<Arranged, DenoisingOperator<S>>, Turn<Evaluations, true>>>,
                       Sum<Tau, Constant<all, 1, Less>>, Given> {};
  using type = Chain<
      Concat<Noise<given, channels, S::dimension, S::modes>, Constant<given, 1, First>, Identity<given>>,
      Tied<Evaluations, Step>, X>;
};

/// [u_0, t, …] ↦ x_0. The text of this node leaves out the number of evaluations: it is chosen after
/// training, when draws are made, and a file of weights serves any number.
template <Shape S, int Evaluations> struct Ddim : Node<DenoisingOperator<S>> {
  static_assert(Evaluations >= 1, "mno: diffusion needs at least one evaluation of its network");
  using Steps = typename DdimParts<S, Evaluations>::type;
  using expression = Ddim;
  static constexpr int inputs = Steps::inputs, outputs = Steps::outputs;
  static constexpr const char* name = "ddim";
  static constexpr bool draws_noise = true;

  template <class Pass> struct Trace { TraceOf<Steps, Pass> steps; };

  template <int D> static Grid<D> grid(const Grid<D>& g) { return output_grid<Steps>(g); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    forward_of<Steps, Pass>(w, x, y, trace.steps, pass, write);
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    vjp_of<Steps, Pass>(w, ybar, trace.steps, wbar, xbar, pass, write);
  }
};

/// [u_0, t, …] ↦ m̂ + s√t x_0
template <Shape S, int Evaluations>
struct DiffusionOperator : Sum<MeanOperator<S>, Gated<Ddim<S, Evaluations>, ResidualSize>> {};

}  // namespace baseline

/// m̂: a deterministic FNO, u_0 at t = 0.
template <class S, class T = float>
using MeanFno = Model<baseline::MeanOperator<typename RequireShape<S>::type>, S, T>;

/// [u_0, τ, x_τ, t, …] ↦ v
template <class S, class T = float>
using Denoiser =
    Model<baseline::DenoisingOperator<typename RequireShape<S>::type>, baseline::DiffusionShape<S>, T>;

/// Draws by so many evaluations of the denoiser: parameters are those of MeanFno, of Denoiser, and s.
template <class S, int Evaluations, class T = float>
using Diffusion = Model<baseline::DiffusionOperator<typename RequireShape<S>::type, Evaluations>, S, T>;

}  // namespace mno

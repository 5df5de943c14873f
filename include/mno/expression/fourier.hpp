#pragma once
// (spectral + pointwise) >> activation, a Fourier layer, in one pass over each sample:
//
//     z = F⁻¹(R · F x) + W x + b,   y = f(z)
//
// The plain chain would write z, read it again for every summand and then for the activation; here a sample's
// z stays in cache from the inverse transform through the product to the activation, and is forgotten. The
// bias is part of the mean mode: b is the coefficient of a constant field. What is kept is F x and f′(z).
#include "mno/layer/activation.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/spectral.hpp"

namespace mno::detail {

/// SpectralFirst: whose parameters come first, those of spectral + pointwise or of pointwise + spectral.
template <class Spectral, class Linear, class Act, bool SpectralFirst> struct FourierKernel {
  static constexpr int inputs = Spectral::inputs, outputs = Spectral::outputs, D = Spectral::dimension;
  static constexpr const char* name = "fourier";
  static constexpr std::size_t parameters = Spectral::parameters + Linear::parameters;
  static constexpr std::size_t spectral_at = SpectralFirst ? 0 : Linear::parameters,
                               linear_at = SpectralFirst ? Spectral::parameters : 0;

  template <class Pass> struct Trace : Spectral::template Trace<Pass> {
    In<Pass> x, derivative;  // f′(z)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this SpectralConv was made for fields of another dimension");
    const auto& from = Spectral::template transform<T>(x.grid, inputs, pass);
    const auto& to = Spectral::template transform<T>(x.grid, outputs, pass);
    const Weights<Pass> mixing = w.subspan(spectral_at, Spectral::parameters);
    const T *const weight = w.data() + linear_at, *const bias = weight + inputs * outputs;
    const Out<Pass> derivative = pass.recording ? pass.keep_uninitialised(x, outputs) : Out<Pass>{};
    trace.x = x;
    trace.derivative = derivative;
    Spectral::coefficients(mixing, from, x, trace, pass);

    const auto scope = pass.scope();
    const auto mixed =
        Spectral::spectrum(pass.scratch_values(to.modes() * x.batch * 2 * outputs), to, x.batch, outputs);
    Spectral::mix(mixing, trace.coefficients, mixed, to.waves(), pass);
    const T* const transposed = pass.transposed(weight, outputs, inputs);  // Wᵀ: (input, output)
    // z has room of its own, which stays in cache from sample to sample; where a sample is too large for
    // that, it becomes y in place, unless y is to be added to or has other channels in between.
    const bool in_place = x.points() >= 8192 && write == Write::set && y.pitch == outputs;
    const Out<Pass> room = in_place ? Out<Pass>{} : pass.scratch_uninitialised(x.samples(0, 1), outputs);
    for (Index b = 0; b < x.batch; ++b) {
      const Out<Pass> z = in_place ? y.samples(b, 1) : room;
      Linear::add_to_row(bias, mixed.at(to.waves().mean(), b));
      const auto finish = [&](Index first, Index count) {  // of z, while it is in cache
        const Index at = b * x.points() + first;
        multiply_add<T>({z.row(first), count, outputs, outputs}, {x.row(at), count, inputs, x.pitch},
                        {transposed, inputs, outputs, outputs});
        Act::apply_rows(z, first, y, derivative, at, count, write);
      };
      to.expand(mixed, b, z, Weight::multiplicity, pass.scratch_arena(), Write::set, finish);
    }
  }

  /// z̄ = f′(z) ȳ; then with Z̄ = (F⁻¹)* z̄ (whose mean mode is Σ z̄ = b̄):
  ///   W̄ = Σ z̄ xᵀ,  R̄_k = x̂_kᴴ Z̄_k,  x̄ = Wᵀ z̄ + F* (Z̄_k R_kᴴ)
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto& to = Spectral::template transform<T>(ybar.grid, outputs, pass);
    const Index batch = ybar.batch;
    const T* const weight = w.data() + linear_at;
    T *const weight_bar = wbar.data() + linear_at, *const bias_bar = weight_bar + inputs * outputs;
    const auto scope = pass.scope();
    const auto mixed_bar = Spectral::coefficients_bar(to, batch, trace, pass);
    const Out<Pass> zbar = pass.scratch_uninitialised(ybar.samples(0, 1), outputs);
    for (Index b = 0; b < batch; ++b) {
      const auto begin = [&](Index first, Index count) {  // z̄, and what is made of it while it is in cache
        const Index at = b * ybar.points() + first;
        Act::apply_adjoint_rows(ybar, trace.derivative, at, zbar, first, count);
        const MatrixView<const T> z_bar{zbar.row(first), count, outputs, outputs};
        multiply_add_transposed_left<T>({weight_bar, outputs, inputs, inputs}, z_bar,
                                        {trace.x.row(at), count, inputs, trace.x.pitch});
        if (xbar)
          multiply_add<T>({xbar.row(at), count, inputs, xbar.pitch}, z_bar, {weight, outputs, inputs, inputs},
                          T(1), write);
      };
      to.project(zbar, mixed_bar, b, Weight::multiplicity, pass.scratch_arena(), begin);
      Linear::add_to_row(mixed_bar.at(to.waves().mean(), b), bias_bar);
    }
    Spectral::mix_vjp(w.subspan(spectral_at, Spectral::parameters), trace, mixed_bar,
                      wbar.subspan(spectral_at, Spectral::parameters), xbar, pass, Write::add);
  }
};

}  // namespace mno::detail

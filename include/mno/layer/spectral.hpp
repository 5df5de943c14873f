#pragma once
// Spectral convolution, y = F⁻¹(R · F u): the integral operator of a Fourier layer.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

/// For every kept wave vector k a complex (inputs × outputs) matrix R_k acts on the row of coefficients:
/// ŷ_k = û_k R_k. Weights are stored (mode, re|im, input, output).
template <int In_, int Out_, int D, int Modes> struct SpectralConv {
  static_assert(Modes >= 1, "mno: SpectralConv needs at least one mode (the mean)");
  static constexpr int inputs = In_, outputs = Out_, dimension = D, modes = Modes;
  static constexpr const char* name = "spectral";
  static constexpr std::array leaves{parameter("weight", mode_count<D>(Modes), 2, inputs, outputs)};
  static constexpr std::size_t parameters = total(leaves);

  template <class Pass> struct Trace {
    Spectrum<typename Pass::Scalar> coefficients;  // F u: (mode, sample, re|im, input)
    Grid<Pass::dimension> grid;
  };

  /// Real and imaginary parts uniform in [0, 1/(inputs·outputs)).
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    for (T& value : w) value = T(random.uniform() / (double(inputs) * outputs));
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    using T = typename Pass::Scalar;
    static_assert(Pass::dimension == D, "mno: this SpectralConv was made for fields of another dimension");
    const auto& from = transform<T>(x.grid, inputs, pass);
    const auto& to = transform<T>(x.grid, outputs, pass);
    trace.grid = x.grid;
    trace.coefficients =
        spectrum(pass.keep_values(from.modes() * x.batch * 2 * inputs), from, x.batch, inputs);
    from.project(x, trace.coefficients, Weight::analysis, pass.scratch_arena());

    const auto scope = pass.scope();
    const auto mixed =
        spectrum(pass.scratch_values(to.modes() * x.batch * 2 * outputs), to, x.batch, outputs);
    std::fill_n(mixed.data, mixed.size(), T(0));
    for (Index k = 0; k < to.modes(); ++k) {
      const auto [re, im] = mode<const T>(w.data(), to.waves().weight_index(k));
      const auto u = trace.coefficients;
      multiply_add<T>(mixed.real(k), u.real(k), re);
      multiply_add<T>(mixed.real(k), u.imaginary(k), im, T(-1));
      multiply_add<T>(mixed.imaginary(k), u.real(k), im);
      multiply_add<T>(mixed.imaginary(k), u.imaginary(k), re);
    }
    to.expand(mixed, y, Weight::multiplicity, pass.scratch_arena());
  }

  /// With Ȳ = (F⁻¹)* ȳ:  R̄_k = û_kᴴ Ȳ_k,  ū = F* (Ȳ_k R_kᴴ).
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    using T = typename Pass::Scalar;
    const auto& from = transform<T>(trace.grid, inputs, pass);
    const auto& to = transform<T>(trace.grid, outputs, pass);
    const Index batch = ybar.batch;
    const auto scope = pass.scope();
    const auto mixed_bar =
        spectrum(pass.scratch_values(to.modes() * batch * 2 * outputs), to, batch, outputs);
    to.project(ybar, mixed_bar, Weight::multiplicity, pass.scratch_arena());

    const auto u = trace.coefficients;
    for (Index k = 0; k < to.modes(); ++k) {
      const auto [re_bar, im_bar] = mode<T>(wbar.data(), to.waves().weight_index(k));
      multiply_add_transposed_left<T>(re_bar, u.real(k), mixed_bar.real(k));
      multiply_add_transposed_left<T>(re_bar, u.imaginary(k), mixed_bar.imaginary(k));
      multiply_add_transposed_left<T>(im_bar, u.real(k), mixed_bar.imaginary(k));
      multiply_add_transposed_left<T>(im_bar, u.imaginary(k), mixed_bar.real(k), T(-1));
    }
    if (!xbar) return;
    const auto u_bar = spectrum(pass.scratch_values(from.modes() * batch * 2 * inputs), from, batch, inputs);
    std::fill_n(u_bar.data, u_bar.size(), T(0));
    for (Index k = 0; k < to.modes(); ++k) {
      const auto [re, im] = mode<const T>(w.data(), to.waves().weight_index(k));
      multiply_add_transposed_right<T>(u_bar.real(k), mixed_bar.real(k), re);
      multiply_add_transposed_right<T>(u_bar.real(k), mixed_bar.imaginary(k), im);
      multiply_add_transposed_right<T>(u_bar.imaginary(k), mixed_bar.imaginary(k), re);
      multiply_add_transposed_right<T>(u_bar.imaginary(k), mixed_bar.real(k), im, T(-1));
    }
    from.expand(u_bar, xbar, Weight::analysis, pass.scratch_arena());
  }

 private:
  template <class T, class Pass>
  static const Transform<T, D>& transform(const Grid<D>& grid, Index channels, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, channels, Modes));
  }
  template <class T>
  static Spectrum<T> spectrum(T* data, const Transform<T, D>& f, Index batch, Index channels) {
    return {data, f.modes(), batch, channels};
  }
  /// The real and the imaginary part of one mode's matrix.
  template <class T> static std::array<Matrix<T>, 2> mode(T* w, Index k) {
    T* const matrix = w + k * 2 * inputs * outputs;
    return {Matrix<T>{matrix, inputs, outputs, outputs},
            Matrix<T>{matrix + inputs * outputs, inputs, outputs, outputs}};
  }
};

}  // namespace mno

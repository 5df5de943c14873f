#pragma once
// Spectral convolution, y = F⁻¹(R · F u): the integral operator of a Fourier layer.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/device/complex_product.hpp"
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
    mix(w, trace.coefficients, mixed, to.waves(), pass);
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

    mix_weights_adjoint(trace.coefficients, mixed_bar, wbar, to.waves(), pass);
    if (!xbar) return;
    const auto u_bar = spectrum(pass.scratch_values(from.modes() * batch * 2 * inputs), from, batch, inputs);
    mix_adjoint(w, mixed_bar, u_bar, to.waves(), pass);
    from.expand(u_bar, xbar, Weight::analysis, pass.scratch_arena());
  }

  // The pieces, for kernels that do more in one go.

  template <class T, class Pass>
  static const Transform<T, D>& transform(const Grid<D>& grid, Index channels, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, channels, Modes));
  }
  template <class T>
  static Spectrum<T> spectrum(T* data, const Transform<T, D>& f, Index batch, Index channels) {
    return {data, f.modes(), batch, channels};
  }
  /// ŷ_k = û_k R_k
  template <class T, class Pass>
  static void mix(std::span<const T> w, const Spectrum<T>& u, const Spectrum<T>& y,
                  const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * u.batch * inputs);
    for (Index k = 0; k < u.modes; ++k)
      detail::complex_product<T>(parts(y, k), left(u, k, T(1), room, inputs, 1),
                                 mode<const T>(w.data(), waves.weight_index(k)), Write::set);
  }
  /// R̄_k += û_kᴴ Ȳ_k
  template <class T, class Pass>
  static void mix_weights_adjoint(const Spectrum<T>& u, const Spectrum<T>& ybar, std::span<T> wbar,
                                  const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * u.batch * inputs);
    for (Index k = 0; k < u.modes; ++k)
      detail::complex_product<T>(mode<T>(wbar.data(), waves.weight_index(k)),
                                 left(u, k, T(-1), room, 1, inputs), parts<const T>(ybar, k), Write::add);
  }
  /// û-bar_k = Ȳ_k R_kᴴ
  template <class T, class Pass>
  static void mix_adjoint(std::span<const T> w, const Spectrum<T>& ybar, const Spectrum<T>& ubar,
                          const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * ybar.batch * outputs);
    T* const adjoint = pass.scratch_values(2 * inputs * outputs);  // Rᴴ: (re|im, output, input)
    for (Index k = 0; k < ybar.modes; ++k) {
      const auto r = mode<const T>(w.data(), waves.weight_index(k));
      transpose<T>(r.real.data, outputs, adjoint, inputs, inputs, outputs);
      transpose<T>(r.imaginary.data, outputs, adjoint + inputs * outputs, inputs, inputs, outputs, T(-1));
      detail::complex_product<T>(
          parts(ubar, k), left(ybar, k, T(1), room, outputs, 1),
          {{adjoint, outputs, inputs, inputs}, {adjoint + inputs * outputs, outputs, inputs, inputs}},
          Write::set);
    }
  }

 private:
  /// The coefficients of mode k as left factor, (a, ±b, a ± b) each as (sample, channel).
  template <class T>
  static detail::ComplexLeft<T> left(const Spectrum<T>& z, Index k, T sign, T* room, Index row, Index step) {
    const Index n = z.batch * z.channels;
    const Packet<T> s = everywhere(sign);
    for (Index b = 0; b < z.batch; ++b) {
      const T* const from = z.at(k, b);
      T* const to = room + b * z.channels;
      for_each_packet<T>(z.channels, [&](auto load, auto store) {
        const Packet<T> re = load(from), im = pmul(s, load(from + z.channels));
        store(to, re);
        store(to + n, im);
        store(to + 2 * n, padd(re, im));
      });
    }
    return {room, room + n, room + 2 * n, row, step};
  }
  template <class U, class T> static ComplexMatrix<U> parts(const Spectrum<T>& z, Index k) {
    return {z.real(k), z.imaginary(k)};
  }
  template <class T> static ComplexMatrix<T> parts(const Spectrum<T>& z, Index k) {
    return parts<T, T>(z, k);
  }
  /// The real and the imaginary part of one mode's matrix.
  template <class T> static ComplexMatrix<T> mode(T* w, Index k) {
    T* const matrix = w + k * 2 * inputs * outputs;
    return {{matrix, inputs, outputs, outputs}, {matrix + inputs * outputs, inputs, outputs, outputs}};
  }
};

}  // namespace mno

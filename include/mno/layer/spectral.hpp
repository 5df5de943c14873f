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
    trace.coefficients = coefficients(w, from, x.batch, pass);
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
    const auto& to = transform<T>(trace.grid, outputs, pass);
    const auto scope = pass.scope();
    const auto mixed_bar = coefficients_bar(w, to, ybar.batch, pass);
    to.project(ybar, mixed_bar, Weight::multiplicity, pass.scratch_arena());
    mix_vjp(w, trace.coefficients, mixed_bar, wbar, xbar, trace.grid, pass);
  }

  // The pieces, for kernels that do more in one go.

  template <class T, class Pass>
  static const Transform<T, D>& transform(const Grid<D>& grid, Index channels, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, channels, Modes));
  }
  /// Where û goes: into the trace, or to those of the other samples.
  template <class T, class Pass>
  static Spectrum<T> coefficients(std::span<const T> w, const Transform<T, D>& f, Index batch, Pass& pass) {
    if (!pass.collected) return spectrum(pass.keep_values(f.modes() * batch * 2 * inputs), f, batch, inputs);
    return pass.collected->input(collected(w, pass), f.modes(), pass.first, batch);
  }
  /// Where Ȳ goes: into memory of the enclosing `scope()`, or to those of the other samples.
  template <class T, class Pass>
  static Spectrum<T> coefficients_bar(std::span<const T> w, const Transform<T, D>& f, Index batch,
                                      Pass& pass) {
    if (!pass.collected)
      return spectrum(pass.scratch_values(f.modes() * batch * 2 * outputs), f, batch, outputs);
    return pass.collected->output_bar(collected(w, pass), f.modes(), pass.first, batch);
  }
  /// From Ȳ to R̄, unless that is left to the end, and to x̄, if it is asked for.
  template <class T, class Pass>
  static void mix_vjp(std::span<const T> w, const Spectrum<T>& u, const Spectrum<T>& ybar, std::span<T> wbar,
                      const View<T, D>& xbar, const Grid<D>& grid, Pass& pass) {
    const auto& from = transform<T>(grid, inputs, pass);
    if (!pass.collected) mix_weights_adjoint(u, ybar, wbar, from.waves(), 0, u.modes, Write::add, pass);
    if (!xbar) return;
    const auto scope = pass.scope();
    const auto u_bar =
        spectrum(pass.scratch_values(from.modes() * ybar.batch * 2 * inputs), from, ybar.batch, inputs);
    mix_adjoint(w, ybar, u_bar, from.waves(), pass);
    from.expand(u_bar, xbar, Weight::analysis, pass.scratch_arena());
  }
  /// R̄ of all samples that were collected, added or set, for one of several shares of the modes.
  template <class T, class Pass>
  static void collect(const SpectrumStore<T>& store, std::size_t offset, std::span<T> wbar,
                      const Grid<D>& grid, Index share, Index shares, Write write, Pass& pass) {
    const auto& f = transform<T>(grid, inputs, pass);
    const auto& layer = store.layer(offset);
    const auto whole = [&](T* data, Index channels) {
      return Spectrum<T>{data, f.modes(), store.samples(), channels};
    };
    if (share == 0 && write == Write::set && f.modes() < layer.modes) {
      Index k = 0;
      for (Index m = 0; m < layer.modes; ++m) {
        const bool carried = k < f.modes() && f.waves().weight_index(k) == m;
        if (carried) ++k;
        if (!carried)  // a wave that this grid does not have
          std::fill_n(wbar.data() + m * 2 * inputs * outputs, 2 * inputs * outputs, T(0));
      }
    }
    mix_weights_adjoint(whole(layer.u, inputs), whole(layer.ybar, outputs), wbar, f.waves(),
                        f.modes() * share / shares, f.modes() * (share + 1) / shares, write, pass);
  }
  template <class T> static typename SpectrumStore<T>::Layer to_collect(std::size_t offset) {
    return {offset, parameters, mode_count<D>(Modes), inputs, outputs};
  }
  /// Rᴴ of all modes, (mode, re|im, output, input), where `mix_adjoint` will look for it; one share of it.
  template <class T>
  static void prepare_adjoint(std::span<const T> w, std::span<T> to, Index share, Index shares) {
    const Index all = mode_count<D>(Modes);
    for (Index k = all * share / shares; k < all * (share + 1) / shares; ++k)
      adjoint_of(mode<const T>(w.data(), k), to.data() + k * 2 * inputs * outputs);
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
                                 mode<const T>(w.data(), waves.weight_index(k)), Write::set,
                                 2 * inputs * outputs);
  }
  /// R̄_k += û_kᴴ Ȳ_k, or = that, for the modes [begin, end).
  template <class T, class Pass>
  static void mix_weights_adjoint(const Spectrum<T>& u, const Spectrum<T>& ybar, std::span<T> wbar,
                                  const Wavenumbers<D>& waves, Index begin, Index end, Write write,
                                  Pass& pass) {
    constexpr Index most = 64;  // samples at a time: what the product reads stays in cache
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * std::min(most, u.batch) * inputs);
    for (Index k = begin; k < end; ++k)
      for (Index b = 0; b < u.batch; b += most) {
        const Index n = std::min(most, u.batch - b);
        detail::complex_product<T>(mode<T>(wbar.data(), waves.weight_index(k)),
                                   left(some(u, b, n), k, T(-1), room, 1, inputs),
                                   parts<const T>(some(ybar, b, n), k), b == 0 ? write : Write::add);
      }
  }
  /// û-bar_k = Ȳ_k R_kᴴ
  template <class T, class Pass>
  static void mix_adjoint(std::span<const T> w, const Spectrum<T>& ybar, const Spectrum<T>& ubar,
                          const Wavenumbers<D>& waves, Pass& pass) {
    const auto scope = pass.scope();
    T* const room = pass.scratch_values(3 * ybar.batch * outputs);
    T* const made = pass.prepared ? nullptr : pass.scratch_values(2 * inputs * outputs);
    for (Index k = 0; k < ybar.modes; ++k) {
      const T* adjoint = made;  // Rᴴ: (re|im, output, input)
      const Index index = waves.weight_index(k);
      if (made)
        adjoint_of(mode<const T>(w.data(), index), made);
      else
        adjoint = pass.prepared + (w.data() - pass.weights) + index * 2 * inputs * outputs;
      detail::complex_product<T>(
          parts(ubar, k), left(ybar, k, T(1), room, outputs, 1),
          {{adjoint, outputs, inputs, inputs}, {adjoint + inputs * outputs, outputs, inputs, inputs}},
          Write::set, made ? 0 : 2 * inputs * outputs);
    }
  }

 private:
  template <class T, class Pass>
  static const typename SpectrumStore<T>::Layer& collected(std::span<const T> w, const Pass& pass) {
    return pass.collected->layer(std::size_t(w.data() - pass.weights));
  }
  /// Samples [first, first + count) of a spectrum.
  template <class T> static Spectrum<T> some(const Spectrum<T>& z, Index first, Index count) {
    return {z.data + first * 2 * z.channels, z.modes, count, z.channels, z.stored};
  }
  template <class T> static void adjoint_of(const ComplexMatrix<const T>& r, T* to) {
    transpose<T>(r.real.data, outputs, to, inputs, inputs, outputs);
    transpose<T>(r.imaginary.data, outputs, to + inputs * outputs, inputs, inputs, outputs, T(-1));
  }
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

#pragma once
// The separable drift prior of the paper: A(u_0,t)(x) = Σ_i α_i φ_i(x) ⟨ψ_i, u_0⟩_{L²(D)}.
//
// Sensing functions ψ_i and actuation functions φ_i are learned Fourier series, so they exist on every grid.
// The coefficients α_i(u_0,t) come from the layers before: α_i is the mean over the grid of input channel i.
#include <cmath>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

template <int Terms, int Channels, int D, int Modes> struct Separable {
  static constexpr int inputs = Terms, outputs = Channels;
  static constexpr const char* name = "separable";
  static constexpr Index modes = mode_count<D>(Modes);
  static constexpr std::array leaves{parameter("actuation", Terms, modes, 2, Channels),  // φ̂
                                     parameter("sensing", Terms, modes, 2, Channels)};   // ψ̂
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes)};
  static constexpr Index series = modes * 2 * Channels;  // numbers of one Fourier series

  template <class Pass> struct Trace {
    Spectrum<typename Pass::Scalar> sensed;  // (F⁻¹)* u_0: (mode, sample, re|im, channel)
    typename Pass::Scalar *alpha, *inner;    // α_i and ⟨ψ_i, u_0⟩: (sample, term)
    In<Pass> x;
  };

  template <class T> static void initialise(std::span<T> w, Stream& random) {
    const double scale = 1 / std::sqrt(2.0 * double(modes));
    for (T& value : w) value = T(scale * random.normal());
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    using T = typename Pass::Scalar;
    const auto& f = transform<T>(x.grid, pass);
    const T cell = T(x.grid.cell());
    trace.x = x;
    trace.alpha = pass.keep_values(x.batch * Terms);
    trace.inner = pass.keep_values(x.batch * Terms);
    trace.sensed = {pass.keep_values(f.modes() * x.batch * 2 * Channels), f.modes(), x.batch, Channels};
    f.project(pass.initial, trace.sensed, Weight::multiplicity, pass.scratch_arena());

    const auto scope = pass.scope();
    const Spectrum<T> series_sum{pass.scratch_values(f.modes() * x.batch * 2 * Channels), f.modes(), x.batch,
                                 Channels};
    std::fill_n(series_sum.data, series_sum.size(), T(0));
    for (Index b = 0; b < x.batch; ++b)
      for (Index i = 0; i < Terms; ++i) {
        T alpha = 0;
        for (Index p = 0; p < x.points(); ++p) alpha += x(b, p, i);
        alpha /= T(x.points());
        const T inner = cell * dot(f, sensing(w, i), trace.sensed, b);
        trace.alpha[b * Terms + i] = alpha;
        trace.inner[b * Terms + i] = inner;
        add(f, alpha * inner, actuation(w, i), series_sum, b);
      }
    f.expand(series_sum, y, Weight::multiplicity, pass.scratch_arena());
  }

  /// With c_i = α_i ⟨ψ_i,u_0⟩ and Ȳ = (F⁻¹)* ȳ:  c̄_i = ⟨φ̂_i, Ȳ⟩,  φ̂-bar_i = c_i Ȳ,  and c̄_i splits into
  /// ᾱ_i = c̄_i ⟨ψ_i,u_0⟩ and s̄_i = c̄_i α_i, which gives ψ̂-bar_i = |cell| s̄_i (F⁻¹)* u_0 and
  /// ū_0 = |cell| Σ_i s̄_i F⁻¹ ψ̂_i.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    using T = typename Pass::Scalar;
    const auto& f = transform<T>(ybar.grid, pass);
    const T cell = T(ybar.grid.cell());
    const Index batch = ybar.batch;
    const auto scope = pass.scope();
    const Spectrum<T> series_bar{pass.scratch_values(f.modes() * batch * 2 * Channels), f.modes(), batch,
                                 Channels};
    f.project(ybar, series_bar, Weight::multiplicity, pass.scratch_arena());
    const Spectrum<T> sensed_bar{pass.scratch_values(f.modes() * batch * 2 * Channels), f.modes(), batch,
                                 Channels};
    std::fill_n(sensed_bar.data, sensed_bar.size(), T(0));
    for (Index b = 0; b < batch; ++b)
      for (Index i = 0; i < Terms; ++i) {
        const T alpha = trace.alpha[b * Terms + i], inner = trace.inner[b * Terms + i];
        const T cbar = dot(f, actuation(w, i), series_bar, b);
        gather(f, alpha * inner, series_bar, b, actuation(wbar, i));
        gather(f, cell * cbar * alpha, trace.sensed, b, sensing(wbar, i));
        add(f, cell * cbar * alpha, sensing(w, i), sensed_bar, b);
        if (xbar)
          for (Index p = 0; p < xbar.points(); ++p) xbar(b, p, i) += cbar * inner / T(xbar.points());
      }
    if (pass.initial_bar) f.expand(sensed_bar, pass.initial_bar, Weight::multiplicity, pass.scratch_arena());
  }

 private:
  template <class T, class Pass> static const Transform<T, D>& transform(const Grid<D>& grid, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, Channels, Modes));
  }
  template <class T> static T* actuation(std::span<T> w, Index i) { return w.data() + i * series; }
  template <class T> static T* sensing(std::span<T> w, Index i) { return w.data() + (Terms + i) * series; }

  // One series (weight mode, re|im, channel) against one sample of a spectrum, over the modes of this grid.
  template <class F, class T> static T dot(const F& f, const T* a, const Spectrum<T>& z, Index b) {
    T sum = 0;
    for (Index k = 0; k < f.modes(); ++k) {
      const T* const row = a + f.waves().weight_index(k) * 2 * Channels;
      for (Index c = 0; c < 2 * Channels; ++c) sum += row[c] * z.at(k, b)[c];
    }
    return sum;
  }
  template <class F, class T> static void add(const F& f, T s, const T* a, const Spectrum<T>& z, Index b) {
    for (Index k = 0; k < f.modes(); ++k) {
      const T* const row = a + f.waves().weight_index(k) * 2 * Channels;
      for (Index c = 0; c < 2 * Channels; ++c) z.at(k, b)[c] += s * row[c];
    }
  }
  template <class F, class T> static void gather(const F& f, T s, const Spectrum<T>& z, Index b, T* a) {
    for (Index k = 0; k < f.modes(); ++k) {
      T* const row = a + f.waves().weight_index(k) * 2 * Channels;
      for (Index c = 0; c < 2 * Channels; ++c) row[c] += s * z.at(k, b)[c];
    }
  }
};

}  // namespace mno

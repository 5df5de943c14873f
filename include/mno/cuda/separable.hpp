#pragma once
// The separable drift prior on the GPU: A = Σ_i α_i φ_i ⟨ψ_i, u_0⟩, with a thread for every small sum.
#include "mno/cuda/elementwise.hpp"
#include "mno/cuda/transform.hpp"
#include "mno/layer/separable.hpp"

namespace mno {

namespace cuda {

namespace detail {
// Series are (term, mode of all, re|im, channel), spectra complex (mode, sample, channel).

/// ⟨series_i, z_b⟩ over the modes of the grid: one thread per (sample, term).
template <class T, int D> struct SeriesDot {
  const T* series;
  const Complex<T>* z;
  Wavenumbers<D> waves;
  Index modes, all_modes, batch, channels, terms;
  T scale;
  T* to;  // (sample, term)
  MNO_HOST_DEVICE void operator()(Index n) const {
    const Index b = n / terms, i = n % terms;
    T sum = 0;
    for (Index k = 0; k < modes; ++k) {
      const T* const row = series + (i * all_modes + waves.weight_index(k)) * 2 * channels;
      const Complex<T>* const at = z + (k * batch + b) * channels;
      for (Index c = 0; c < channels; ++c) sum += row[c] * at[c].x + row[channels + c] * at[c].y;
    }
    to[n] = scale * sum;
  }
};
/// z_b = Σ_i weight(b, i) series_i: one thread per coefficient.
template <class T, int D> struct SeriesSum {
  const T* series;
  const T* weight;  // (sample, term)
  Wavenumbers<D> waves;
  Index all_modes, batch, channels, terms;
  Complex<T>* z;
  MNO_HOST_DEVICE void operator()(Index n) const {
    const Index c = n % channels, b = n / channels % batch, k = n / channels / batch;
    T re = 0, im = 0;
    for (Index i = 0; i < terms; ++i) {
      const T* const row = series + (i * all_modes + waves.weight_index(k)) * 2 * channels;
      re += weight[b * terms + i] * row[c];
      im += weight[b * terms + i] * row[channels + c];
    }
    z[n] = {re, im};
  }
};
/// series-bar_i += Σ_b weight(b, i) z_b: one thread per (term, mode, channel).
template <class T, int D> struct SeriesBar {
  const Complex<T>* z;
  const T* weight;
  Wavenumbers<D> waves;
  Index modes, all_modes, batch, channels, terms;
  T* series_bar;
  MNO_HOST_DEVICE void operator()(Index n) const {
    const Index c = n % channels, k = n / channels % modes, i = n / channels / modes;
    T re = 0, im = 0;
    for (Index b = 0; b < batch; ++b) {
      const Complex<T> at = z[(k * batch + b) * channels + c];
      re += weight[b * terms + i] * at.x;
      im += weight[b * terms + i] * at.y;
    }
    T* const row = series_bar + (i * all_modes + waves.weight_index(k)) * 2 * channels;
    row[c] += re;
    row[channels + c] += im;
  }
};
/// The mean over the grid of a channel: segment (sample, term).
template <class T> struct MeanTerm {
  Rows<const T> x;
  Index points;
  MNO_HOST_DEVICE T operator()(Index segment, Index point) const {
    const Index b = segment / x.channels, i = segment % x.channels;
    return x.data[(b * points + point) * x.pitch + i] / T(points);
  }
};
template <class T> struct Multiply {
  const T *a, *b;
  T scale;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const { to[i] = scale * a[i] * b[i]; }
};
/// x̄(b, p, i) = bar(b, i)/points for all points, or that added.
template <class T> struct SpreadMean {
  const T* bar;
  Index points;
  Rows<T> xbar;
  bool add;
  MNO_HOST_DEVICE void operator()(Index n) const {
    const Index i = n % xbar.channels, b = n / xbar.channels / points;
    const T value = bar[b * xbar.channels + i] / T(points);
    xbar(n) = add ? xbar(n) + value : value;
  }
};
}  // namespace detail

template <class L, int Terms, int Channels, int D, int Modes> struct SeparableOnCuda {
  template <class Pass> struct Trace {
    Coefficients<typename Pass::Scalar> sensed;  // (F⁻¹)* u_0
    typename Pass::Scalar *alpha, *inner, *product;  // α_i, ⟨ψ_i, u_0⟩ and α_i ⟨ψ_i, u_0⟩: (sample, term)
  };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(x.grid, Modes);
    const Index modes = waves.size(), each = x.batch * Terms;
    trace.alpha = pass.keep_values(each);
    trace.inner = pass.keep_values(each);
    trace.product = pass.keep_values(each);
    trace.sensed = {device.arena().template keep<Complex<T>>(std::size_t(modes * x.batch * Channels)), modes,
                    x.batch, Channels};
    project<T, D>(device, pass.initial, waves, Weight::multiplicity, trace.sensed);
    reduce<T>(device, each, x.points(), detail::MeanTerm<T>{rows(x), x.points()}, trace.alpha);
    device.for_each(
        each, detail::SeriesDot<T, D>{sensing(w.data()), trace.sensed.data, waves, modes, L::modes, x.batch,
                                      Channels, Terms, T(x.grid.cell()), trace.inner});
    device.for_each(each, detail::Multiply<T>{trace.alpha, trace.inner, T(1), trace.product});
    const auto scope = pass.scope();
    const Coefficients<T> sum{
        device.arena().template scratch<Complex<T>>(std::size_t(modes * x.batch * Channels)), modes, x.batch,
        Channels};
    device.for_each(sum.size(), detail::SeriesSum<T, D>{w.data(), trace.product, waves, L::modes, x.batch,
                                                        Channels, Terms, sum.data});
    expand<T, D>(device, sum, waves, Weight::multiplicity, y, write);
  }

  /// As on the CPU: c̄_i = ⟨φ̂_i, Ȳ⟩ splits into ᾱ_i = c̄_i ⟨ψ_i,u_0⟩ and s̄_i = c̄_i α_i.
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto waves = waves_of<D>(ybar.grid, Modes);
    const Index modes = waves.size(), batch = ybar.batch, each = batch * Terms;
    const auto scope = pass.scope();
    const auto spectrum = [&] {
      return Coefficients<T>{
          device.arena().template scratch<Complex<T>>(std::size_t(modes * batch * Channels)), modes, batch,
          Channels};
    };
    const Coefficients<T> series_bar = spectrum();
    T *const cbar = pass.scratch_values(each), *const share = pass.scratch_values(each);
    project<T, D>(device, ybar, waves, Weight::multiplicity, series_bar);
    device.for_each(each, detail::SeriesDot<T, D>{w.data(), series_bar.data, waves, modes, L::modes, batch,
                                                  Channels, Terms, T(1), cbar});
    device.for_each(Terms * modes * Channels,
                    detail::SeriesBar<T, D>{series_bar.data, trace.product, waves, modes, L::modes, batch,
                                            Channels, Terms, wbar.data()});
    device.for_each(each, detail::Multiply<T>{cbar, trace.alpha, T(ybar.grid.cell()), share});
    device.for_each(Terms * modes * Channels,
                    detail::SeriesBar<T, D>{trace.sensed.data, share, waves, modes, L::modes, batch, Channels,
                                            Terms, sensing(wbar.data())});
    if (pass.initial_bar) {
      const auto inner = pass.scope();
      const Coefficients<T> sensed_bar = spectrum();
      device.for_each(sensed_bar.size(), detail::SeriesSum<T, D>{sensing(w.data()), share, waves, L::modes,
                                                                 batch, Channels, Terms, sensed_bar.data});
      expand<T, D>(device, sensed_bar, waves, Weight::multiplicity, pass.initial_bar, Write::add);
    }
    if (!xbar) return;
    device.for_each(each, detail::Multiply<T>{cbar, trace.inner, T(1), share});
    device.for_each(numbers(xbar),
                    detail::SpreadMean<T>{share, xbar.points(), rows(xbar), write == Write::add});
  }

 private:
  template <class T> static T* sensing(T* w) { return w + Terms * L::series; }
};

}  // namespace cuda

template <int Terms, int Channels, int D, int Modes>
cuda::SeparableOnCuda<Separable<Terms, Channels, D, Modes>, Terms, Channels, D, Modes> on_cuda(
    const Separable<Terms, Channels, D, Modes>*);

}  // namespace mno

#pragma once
// A learned field that is the same for every sample, on the GPU.
#include "mno/cuda/elementwise.hpp"
#include "mno/cuda/transform.hpp"
#include "mno/layer/fixed_field.hpp"

namespace mno {

namespace cuda {

namespace detail {
// The series is (mode of all, re|im, channel), a spectrum of one sample complex (mode, channel).

template <class T, int D> struct TakeSeries {
  const T* series;
  Wavenumbers<D> waves;
  Index channels;
  Complex<T>* z;
  MNO_HOST_DEVICE void operator()(Index n) const {
    const T* const row = series + waves.weight_index(n / channels) * 2 * channels + n % channels;
    z[n] = {row[0], row[channels]};
  }
};
template <class T, int D> struct AddToSeries {
  const Complex<T>* z;
  Wavenumbers<D> waves;
  Index channels;
  T* series;
  MNO_HOST_DEVICE void operator()(Index n) const {
    T* const row = series + waves.weight_index(n / channels) * 2 * channels + n % channels;
    row[0] += z[n].x;
    row[channels] += z[n].y;
  }
};
/// y(b, p, c) = field(p, c), or that added.
template <class T> struct SpreadField {
  const T* field;
  Index each;  // numbers of one sample
  Rows<T> y;
  bool add;
  MNO_HOST_DEVICE void operator()(Index n) const {
    const T value = field[n % each];
    y(n) = add ? y(n) + value : value;
  }
};
/// Σ_b ȳ(b, p, c): segment (point, channel).
template <class T> struct OverSamples {
  Rows<const T> ybar;
  Index each;
  MNO_HOST_DEVICE T operator()(Index segment, Index sample) const { return ybar(sample * each + segment); }
};
}  // namespace detail

template <int Channels, int D, int Modes> struct FixedFieldOnCuda {
  template <class Pass> struct Trace {};

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass>, Out<Pass> y, Trace<Pass>&, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    const auto waves = waves_of<D>(y.grid, Modes);
    const auto series = scratch_coefficients<T>(device, waves.size(), 1, Channels);
    device.for_each(series.size(), detail::TakeSeries<T, D>{w.data(), waves, Channels, series.data});
    const Out<Pass> field = pass.scratch_uninitialised(1, y.grid, Channels);
    expand<T, D>(device, series, waves, Weight::multiplicity, field, Write::set);
    device.for_each(numbers(y),
                    detail::SpreadField<T>{field.data, y.points() * Channels, rows(y), write == Write::add});
  }

  /// ŵ-bar = (F⁻¹)* Σ_b ȳ_b;  nothing for x̄
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass> wbar, Out<Pass> xbar,
                  Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    Cuda& device = pass.device();
    const auto scope = pass.scope();
    const auto waves = waves_of<D>(ybar.grid, Modes);
    const Index each = ybar.points() * Channels;
    const Out<Pass> sum = pass.scratch_uninitialised(1, ybar.grid, Channels);
    reduce<T>(device, each, ybar.batch, detail::OverSamples<T>{rows(ybar), each}, sum.data,
              Neighbours::segments);
    const auto series = scratch_coefficients<T>(device, waves.size(), 1, Channels);
    project<T, D>(device, In<Pass>(sum), waves, Weight::multiplicity, series);
    device.for_each(series.size(), detail::AddToSeries<T, D>{series.data, waves, Channels, wbar.data()});
    if (xbar && write == Write::set) device.for_each(numbers(xbar), SetTo<T>{rows(xbar), T(0)});
  }
};

}  // namespace cuda

template <int In_, int Channels, int D, int Modes>
cuda::FixedFieldOnCuda<Channels, D, Modes> on_cuda(const FixedField<In_, Channels, D, Modes>*);

}  // namespace mno

#pragma once
// The truncated transforms of spectral/transform.hpp by cuFFT: the same two routines with the same two
// weights.
//
//     project_s: z_k = s_k Σ_j x_j e^{−2πi k·j/N},        expand_s: y_j = Re Σ_k s_k z_k e^{2πi k·j/N}
//
// cuFFT takes fields one after the other, so channels are separated before and joined after.
// spectral/wavenumbers.hpp says which waves there are, how they are weighted and where they lie in the half
// spectrum.
#include "mno/cuda/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno::cuda {

/// Coefficients of a batch: (mode, sample, channel), re and im side by side, as cuBLAS takes them.
template <class T> struct Coefficients {
  Complex<T>* data = nullptr;
  Index modes = 0, batch = 0, channels = 0;

  Index size() const { return modes * batch * channels; }
  Matrices<Complex<T>> matrices() const { return {data, batch, channels, channels, batch * channels}; }
};

template <class T>
Coefficients<T> scratch_coefficients(Cuda& device, Index modes, Index batch, Index channels) {
  return {device.arena().template scratch<Complex<T>>(std::size_t(modes * batch * channels)), modes, batch,
          channels};
}

/// What is transformed: (outer, point, inner, channel), and (outer, inner) are the samples. For a whole field
/// inner is 1; for its lines along an axis it is the number of points on the axes after that.
template <class T, int D> struct Samples {
  T* data;
  std::array<Index, D> points;
  Index outer, inner, channels, pitch;

  explicit Samples(const View<T, D>& field)
      : data(field.data),
        points(field.grid.points),
        outer(field.batch),
        inner(1),
        channels(field.channels),
        pitch(field.pitch) {}
  template <int E>
  Samples(const View<T, E>& field, int axis) requires(D == 1)
      : data(field.data),
        points{field.grid.points[std::size_t(axis)]},
        inner(1),
        channels(field.channels),
        pitch(field.pitch) {
    for (int d = axis + 1; d < E; ++d) inner *= field.grid.points[std::size_t(d)];
    outer = field.rows() / points[0] / inner;
  }

  Index count() const { return outer * inner; }
  Index size() const { return Grid<D>{points}.size(); }
};

namespace detail {

/// (outer, point, inner, channel) → (outer, inner, channel, point)
template <class T> struct Apart {
  const T* from;
  Index pitch, points, inner, channels;
  T* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index point = i % points, field = i / points;
    const Index sample = field / channels, row = (sample / inner * points + point) * inner + sample % inner;
    to[i] = from[row * pitch + field % channels];
  }
};
/// and back, set or added
template <class T> struct Together {
  const T* from;
  Index pitch, points, inner, channels;
  T* to;
  bool add;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % channels, row = i / channels;
    const Index sample = row / inner / points * inner + row % inner, point = row / inner % points;
    const T value = from[(sample * channels + channel) * points + point];
    T& y = to[row * pitch + channel];
    y = add ? y + value : value;
  }
};

template <int D> struct Weights {
  Wavenumbers<D> waves;
  bool analysis;
  MNO_HOST_DEVICE double operator()(Index mode) const {
    return analysis ? waves.analysis_weight(mode) : waves.multiplicity(mode);
  }
};

/// The kept modes of half spectra (sample, channel, bin), weighted.
template <class T, int D> struct Truncate {
  const Complex<T>* half;
  HalfSpectrum<D> layout;
  Weights<D> weight;
  Index batch, channels;
  Complex<T>* to;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index channel = i % channels, sample = i / channels % batch, mode = i / channels / batch;
    const Complex<T> z =
        half[(sample * channels + channel) * layout.size() + layout.bin(weight.waves.wave(mode), 1)];
    const T s = T(weight(mode));
    to[i] = {s * z.x, s * z.y};
  }
};
/// Half spectra whose inverse real transform is the sum of the kept modes; every other bin is zero.
template <class T, int D> struct Pad {
  const Complex<T>* from;
  HalfSpectrum<D> layout;
  Weights<D> weight;
  Index batch, channels;
  Complex<T>* half;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const Index bin = i % layout.size(), field = i / layout.size();
    const Index sample = field / channels, channel = field % channels;
    Complex<T> sum{0, 0};
    layout.gather(bin, weight.waves, Add{*this, sample, channel, sum});
    half[i] = sum;
  }
  struct Add {
    const Pad& pad;
    Index sample, channel;
    Complex<T>& sum;
    MNO_HOST_DEVICE void operator()(Index mode, bool conjugated) const {
      const Complex<T> z = pad.from[(mode * pad.batch + sample) * pad.channels + channel];
      const T s = T(pad.weight(mode) / 2);
      sum.x += s * z.x;
      sum.y += conjugated ? -s * z.y : s * z.y;
    }
  };
};

}  // namespace detail

template <int D> Wavenumbers<D> waves_of(const Grid<D>& grid, Index modes) {
  std::array<Index, D> m{};
  m.fill(modes);
  return {grid.points, m};
}

/// to_k = s_k Σ_j x_j e^{−2πi k·j/N}   (overwrites)
template <class T, int D>
void project(Cuda& device, const Samples<const T, D>& x, const Wavenumbers<D>& waves, Weight weight,
             const Coefficients<T>& to) {
  const DeviceScope scope(device.arena());
  const HalfSpectrum<D> layout{x.points};
  const Index fields = x.count() * x.channels, points = x.size();
  T* const apart = device.arena().template scratch<T>(std::size_t(fields * points));
  Complex<T>* const half = device.arena().template scratch<Complex<T>>(std::size_t(fields * layout.size()));
  device.for_each(fields * points, detail::Apart<T>{x.data, x.pitch, points, x.inner, x.channels, apart});
  device.template transform<T>(x.points, fields, apart, half);
  device.for_each(to.size(),
                  detail::Truncate<T, D>{
                      half, layout, {waves, weight == Weight::analysis}, x.count(), x.channels, to.data});
}
template <class T, int D>
void project(Cuda& device, const View<const T, D>& x, const Wavenumbers<D>& waves, Weight weight,
             const Coefficients<T>& to) {
  project<T, D>(device, Samples<const T, D>(x), waves, weight, to);
}

/// y_j = Re Σ_k s_k z_k e^{2πi k·j/N}, set or added
template <class T, int D>
void expand(Cuda& device, const Coefficients<T>& z, const Wavenumbers<D>& waves, Weight weight,
            const Samples<T, D>& y, Write write) {
  const DeviceScope scope(device.arena());
  const HalfSpectrum<D> layout{y.points};
  const Index fields = y.count() * y.channels, points = y.size();
  T* const apart = device.arena().template scratch<T>(std::size_t(fields * points));
  Complex<T>* const half = device.arena().template scratch<Complex<T>>(std::size_t(fields * layout.size()));
  device.for_each(
      fields * layout.size(),
      detail::Pad<T, D>{z.data, layout, {waves, weight == Weight::analysis}, y.count(), y.channels, half});
  device.template inverse_transform<T>(y.points, fields, half, apart);
  device.for_each(fields * points, detail::Together<T>{apart, y.pitch, points, y.inner, y.channels, y.data,
                                                       write == Write::add});
}
template <class T, int D>
void expand(Cuda& device, const Coefficients<T>& z, const Wavenumbers<D>& waves, Weight weight,
            const View<T, D>& y, Write write) {
  expand<T, D>(device, z, waves, weight, Samples<T, D>(y), write);
}

}  // namespace mno::cuda

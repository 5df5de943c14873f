#pragma once
// A periodic field on another grid: spectral/resample.hpp by cuFFT.
#include "mno/cuda/transform.hpp"
#include "mno/layer/spectral_resample.hpp"

namespace mno {

namespace cuda::detail {

/// to = the waves of `from` that both grids carry, on to's grid, or to += that.
template <class T, int D>
void carry(Cuda& device, const View<const T, D>& from, Weight first, const View<T, D>& to, Weight second,
           Write write) {
  const auto modes = shared_modes(from.grid, to.grid);
  const Wavenumbers<D> there(from.grid.points, modes), here(to.grid.points, modes);
  const DeviceScope scope(device.arena());
  const Coefficients<T> z = scratch_coefficients<T>(device, there.size(), from.batch, from.channels);
  project<T, D>(device, from, there, first, z);
  expand<T, D>(device, z, here, second, to, write);
}

}  // namespace cuda::detail

template <int Channels, int Up, int Down>
SpectralResample<Channels, Up, Down> on_cuda(const SpectralResample<Channels, Up, Down>*);

template <class T, int D>
void DevicePass<T, D, Cuda>::resample(const View<const T, D>& from, const View<T, D>& to, Write write) {
  cuda::detail::carry(device_, from, Weight::analysis, to, Weight::multiplicity, write);
}
template <class T, int D>
void DevicePass<T, D, Cuda>::resample_adjoint(const View<const T, D>& to_bar, const View<T, D>& from_bar,
                                              Write write) {
  cuda::detail::carry(device_, to_bar, Weight::multiplicity, from_bar, Weight::analysis, write);
}

}  // namespace mno

#pragma once
// A pass of a whole batch through an expression on the GPU. Views and spans that it hands out and is given
// point to memory of the device.
#include "mno/cuda/device.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <class T, int D> class Pass<T, D, Cuda> {
 public:
  using Scalar = T;
  static constexpr int dimension = D;

  explicit Pass(Cuda& device) : device_(device) {}

  bool recording = true;  // does vjp follow?

  View<const T, D> initial{};  // u_0: (sample, grid…, channel)
  std::span<const T> times{};  // t: (sample)
  View<T, D> initial_bar{};    // where parts other than the lift add their share of ū_0, if asked for
  std::span<T> times_bar{};    // likewise for t̄

  Cuda& device() const { return device_; }

  View<T, D> keep_uninitialised(const View<const T, D>& like, Index channels) {
    return {keep_values(like.rows() * channels), like.batch, like.grid, channels, channels};
  }
  View<T, D> scratch_uninitialised(const View<const T, D>& like, Index channels) {
    return {scratch_values(like.rows() * channels), like.batch, like.grid, channels, channels};
  }
  T* keep_values(Index n) { return device_.arena().template keep<T>(std::size_t(n)); }
  T* scratch_values(Index n) { return device_.arena().template scratch<T>(std::size_t(n)); }
  cuda::DeviceScope scope() { return cuda::DeviceScope(device_.arena()); }

 private:
  Cuda& device_;
};

namespace cuda {

/// A layer without a version for the GPU.
template <class L> struct Missing {
  static_assert(
      sizeof(L) == 0,
      "mno: this layer has no version for mno::Cuda. Give it one: a struct with Trace, evaluate and "
      "adjoint for Pass<T, D, mno::Cuda>, named by on_cuda(const YourLayer*) beside the layer");
};
template <class L> Missing<L> find_on_cuda(const L*, ...);
template <class L> auto find_on_cuda(const L* layer, int) -> decltype(on_cuda(layer));

}  // namespace cuda

/// The version of a layer for the GPU is what on_cuda(const Layer*) returns: declared, never defined, and
/// found for whatever derives from the layer too.
template <class L, class T, int D> struct OnDevice<L, Pass<T, D, Cuda>> {
  using type = decltype(cuda::find_on_cuda(static_cast<const L*>(nullptr), 0));
};

}  // namespace mno

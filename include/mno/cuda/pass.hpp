#pragma once
// A pass of a whole batch through an expression on the GPU. Views and spans that it hands out and is given
// point to memory of the device.
#include "mno/cuda/device.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

template <class T, int D> class DevicePass<T, D, Cuda> : public PassState<T, D> {
 public:
  explicit DevicePass(Cuda& device) : device_(device) {}

  Cuda& device() const { return device_; }

  T* keep_values(Index n) { return device_.arena().template keep<T>(std::size_t(n)); }
  T* scratch_values(Index n) { return device_.arena().template scratch<T>(std::size_t(n)); }
  cuda::DeviceScope scope() { return cuda::DeviceScope(device_.arena()); }

  // As on the processor: see layer/pass.hpp. A kernel is a struct whose operator() is MNO_HOST_DEVICE.
  template <class F> void for_each(const View<const T, D>& y, const F& f);
  void add_sample_sums(const View<const T, D>& y, T* sums);
  void resample(const View<const T, D>& from, const View<T, D>& to, Write write);
  void resample_adjoint(const View<const T, D>& to_bar, const View<T, D>& from_bar, Write write);
  void clear(const View<T, D>& y);
  void transfer(const View<const T, D>& x, const View<T, D>& y, Write write, double c = 1);
  void multiply(const View<const T, D>& a, const View<const T, D>& b, const View<T, D>& y, Write write);

 private:
  Cuda& device_;
};

namespace cuda {

/// A layer without a version for the GPU.
template <class L> struct Missing {
  static_assert(sizeof(L) == 0,
                "mno: this layer has no version for mno::Cuda. Give it one: a struct with Trace, forward and "
                "vjp for Pass<T, D, mno::Cuda>, named by on_cuda(const YourLayer*) beside the layer");
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

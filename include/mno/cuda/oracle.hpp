#pragma once
// The gradient oracle through a GPU: check_gradients<MyLayer, 1, mno::Cuda>(grid).
#include "mno/cuda/model.hpp"
#include "mno/cuda/upload.hpp"
#include "mno/expression/oracle.hpp"

namespace mno {

template <int D, class T> class CudaProbe : public ProbeData<D, T> {
 public:
  using PassType = Pass<T, D, Cuda>;

  Field<T, D> forward() override {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), this->ybar.channels());
    device_.run(y.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const View<T, D> to = pass.keep_uninitialised(y.view(), y.channels());
      run(pass, there.w, there.x, to, {}, {}, {});
      bring(to.data, y.span());
    });
    return y;
  }
  void pull_back() override {
    device_.run(this->x.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const Index outputs = this->ybar.channels(), parameters = Index(this->w.size());
      const View<T, D> y = pass.keep_uninitialised(this->ybar.view(), outputs),
                       xbar = pass.keep_uninitialised(there.x, there.x.channels),
                       ybar = pass.keep_uninitialised(this->ybar.view(), outputs);
      device_.upload(this->ybar.data(), ybar.data, this->ybar.size());
      pass.initial_bar = pass.keep_uninitialised(this->initial.view(), this->initial.channels());
      pass.times_bar = {pass.keep_values(y.batch), std::size_t(y.batch)};
      T* const wbar = pass.keep_values(parameters);
      device_.fill(pass.initial_bar.data, Index(this->initial.size()), T(0));
      device_.fill(pass.times_bar.data(), y.batch, T(0));
      device_.fill(wbar, parameters, T(0));
      run(pass, there.w, there.x, y, ybar, xbar, {wbar, this->w.size()});
      bring(xbar.data, this->xbar.span());
      bring(pass.initial_bar.data, this->initial_bar.span());
      bring(pass.times_bar.data(), std::span<T>(this->times_bar));
      bring(wbar, std::span<T>(this->wbar));
    });
  }

 protected:
  using ProbeData<D, T>::ProbeData;
  /// The layer's forward and, where there is a ȳ, its vjp.
  virtual void run(PassType& pass, std::span<const T> w, View<const T, D> x, View<T, D> y,
                   View<const T, D> ybar, View<T, D> xbar, std::span<T> wbar) = 0;

 private:
  struct OnDevice {
    explicit OnDevice(CudaProbe& probe)
        : x(cuda::uploaded(probe.device_, std::as_const(probe.x).view())),
          initial(cuda::uploaded(probe.device_, std::as_const(probe.initial).view())),
          times(cuda::uploaded(probe.device_, std::span<const T>(probe.times))),
          w(cuda::uploaded(probe.device_, std::span<const T>(probe.w))),
          noise_seed(probe.noise_seed) {}
    PassType pass(Cuda& device) const {
      PassType p(device);
      p.initial = initial;
      p.times = times;
      p.noise_seed = noise_seed;
      return p;
    }
    View<const T, D> x, initial;
    std::span<const T> times, w;
    std::uint64_t noise_seed = 0;
  };
  void bring(const T* from, std::span<T> to) {
    device_.download(from, to.data(), to.size());
    if (!device_.measuring()) device_.wait();
  }

  Cuda device_;
};

template <Layer L, int D, class T> class Probe<L, D, T, Cuda> : public ProbeOf<L, CudaProbe<D, T>> {
 public:
  using PassType = Pass<T, D, Cuda>;
  using ProbeOf<L, CudaProbe<D, T>>::ProbeOf;

 private:
  void run(PassType& pass, std::span<const T> w, View<const T, D> x, View<T, D> y, View<const T, D> ybar,
           View<T, D> xbar, std::span<T> wbar) override {
    TraceOf<L, PassType> trace;
    forward_of<L, PassType>(w, x, y, trace, pass, Write::set);
    if (ybar) vjp_of<L, PassType>(w, ybar, trace, wbar, xbar, pass, Write::set);
  }
};

}  // namespace mno

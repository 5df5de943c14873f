#pragma once
// The gradient oracle through a GPU: check_gradients<MyLayer, 1, mno::Cuda>(grid).
#include "mno/cuda/model.hpp"
#include "mno/cuda/upload.hpp"
#include "mno/expression/oracle.hpp"

namespace mno {

template <Layer L, int D, class T> class Probe<L, D, T, Cuda> : public ProbeData<L, D, T> {
 public:
  using PassType = Pass<T, D, Cuda>;
  using Data = ProbeData<L, D, T>;
  using Data::Data;

  Field<T, D> forward() {
    Field<T, D> y(this->ybar.batch(), this->ybar.grid(), L::outputs);
    device_.run(y.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const View<T, D> to = pass.keep_uninitialised(y.view(), L::outputs);
      TraceOf<L, PassType> trace;
      forward_of<L, PassType>(there.w, there.x, to, trace, pass, Write::set);
      bring(to.data, y.span());
    });
    return y;
  }

  /// Fills x̄, w̄, ū_0 and t̄ from ȳ.
  void pull_back() {
    device_.run(this->x.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const View<T, D> y = pass.keep_uninitialised(this->ybar.view(), L::outputs),
                       xbar = pass.keep_uninitialised(there.x, L::inputs),
                       ybar = pass.keep_uninitialised(this->ybar.view(), L::outputs);
      TraceOf<L, PassType> trace;
      forward_of<L, PassType>(there.w, there.x, y, trace, pass, Write::set);
      device_.upload(this->ybar.data(), ybar.data, this->ybar.size());
      pass.initial_bar = pass.keep_uninitialised(this->initial.view(), this->initial.channels());
      pass.times_bar = {pass.keep_values(y.batch), std::size_t(y.batch)};
      T* const wbar = pass.keep_values(Index(L::parameters));
      device_.fill(pass.initial_bar.data, Index(this->initial.size()), T(0));
      device_.fill(pass.times_bar.data(), y.batch, T(0));
      device_.fill(wbar, Index(L::parameters), T(0));
      vjp_of<L, PassType>(there.w, ybar, trace, {wbar, L::parameters}, xbar, pass, Write::set);
      bring(xbar.data, this->xbar.span());
      bring(pass.initial_bar.data, this->initial_bar.span());
      bring(pass.times_bar.data(), std::span<T>(this->times_bar));
      bring(wbar, std::span<T>(this->wbar));
    });
  }

  double objective() {
    const Field<T, D> y = forward();
    return this->dot(std::span<const T>(this->ybar.span()), y.span());
  }

 private:
  struct OnDevice {
    explicit OnDevice(Probe& probe)
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

}  // namespace mno

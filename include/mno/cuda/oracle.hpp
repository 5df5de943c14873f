#pragma once
// The gradient oracle through a GPU: check_gradients<MyLayer, 1, mno::Cuda>(grid).
#include "mno/cuda/model.hpp"
#include "mno/expression/oracle.hpp"

namespace mno {

template <Layer L, int D, class T> class Probe<L, D, T, Cuda> : public ProbeData<L, D, T> {
 public:
  using PassType = Pass<T, D, Cuda>;
  using Data = ProbeData<L, D, T>;
  using Data::Data;

  Field<T, D> forward() {
    Field<T, D> y(this->x.batch(), this->x.grid(), L::outputs);
    device_.run(y.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const View<T, D> to = pass.keep_uninitialised(there.x, L::outputs);
      TraceOf<L, PassType> trace;
      detail::evaluate<L, PassType>(there.w, there.x, to, trace, pass, Write::set);
      bring(to.data, y.span());
    });
    return y;
  }

  /// Fills x̄, w̄, ū_0 and t̄ from ȳ.
  void pull_back() {
    device_.run(this->x.batch(), [&](Index) {
      const OnDevice there(*this);
      PassType pass = there.pass(device_);
      const View<T, D> y = pass.keep_uninitialised(there.x, L::outputs),
                       xbar = pass.keep_uninitialised(there.x, L::inputs),
                       ybar = pass.keep_uninitialised(there.x, L::outputs);
      TraceOf<L, PassType> trace;
      detail::evaluate<L, PassType>(there.w, there.x, y, trace, pass, Write::set);
      device_.upload(this->ybar.data(), ybar.data, this->ybar.size());
      pass.initial_bar = {pass.keep_values(Index(this->initial.size())), y.batch, y.grid,
                          this->initial.channels(), this->initial.channels()};
      pass.times_bar = {pass.keep_values(y.batch), std::size_t(y.batch)};
      T* const wbar = pass.keep_values(Index(L::parameters));
      device_.fill(pass.initial_bar.data, Index(this->initial.size()), T(0));
      device_.fill(pass.times_bar.data(), y.batch, T(0));
      device_.fill(wbar, Index(L::parameters), T(0));
      detail::adjoint<L, PassType>(there.w, ybar, trace, {wbar, L::parameters}, xbar, pass, Write::set);
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
    explicit OnDevice(Probe& probe) {
      Cuda& device = probe.device_;
      const auto send = [&](std::span<const T> values) {
        T* const to = device.arena().template keep<T>(values.size());
        device.upload(values.data(), to, values.size());
        return to;
      };
      const auto view = [&](const Field<T, D>& field) {
        return View<const T, D>{send(field.span()), field.batch(), field.grid(), field.channels(),
                                field.channels()};
      };
      x = view(probe.x);
      initial = view(probe.initial);
      times = {send(probe.times), probe.times.size()};
      w = {send(probe.w), probe.w.size()};
    }
    PassType pass(Cuda& device) const {
      PassType p(device);
      p.initial = initial;
      p.times = times;
      return p;
    }
    View<const T, D> x, initial;
    std::span<const T> times, w;
  };
  void bring(const T* from, std::span<T> to) {
    device_.download(from, to.data(), to.size());
    if (!device_.measuring()) device_.wait();
  }

  Cuda device_;
};

}  // namespace mno

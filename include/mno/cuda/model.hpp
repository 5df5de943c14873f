#pragma once
// A model's forward pass and its adjoint on the device, all samples at once. Everything here is queued,
// nothing waits.
#include "mno/cuda/condition.hpp"
#include "mno/cuda/fourier.hpp"
#include "mno/cuda/mercer.hpp"
#include "mno/cuda/nodes.hpp"
#include "mno/cuda/perceptron.hpp"
#include "mno/cuda/refined.hpp"
#include "mno/cuda/separable.hpp"
#include "mno/model/model.hpp"

namespace mno::cuda {

/// A law in the device's memory and its cotangents; all fields are dense. An operator that gives a field has
/// no factor.
template <class T, int D> struct DeviceLaw {
  View<const T, D> mean{}, factor{};
  View<T, D> mean_bar{}, factor_bar{};  // set by the loss
};

namespace detail {

/// m = u_0 + A, bit for bit u_0 where A is zero
template <class T> struct MeanInto {
  Rows<const T> initial, drift;
  Rows<T> mean;
  MNO_HOST_DEVICE void operator()(Index i) const {
    const T u = initial(i), a = drift(i);
    mean(i) = a == T(0) ? u : u + a;
  }
};

}  // namespace detail

template <class M> class DeviceModel {
 public:
  using T = typename M::Scalar;
  using E = typename M::Expression;
  using S = typename M::ShapeType;
  static constexpr int D = M::dimension;
  using PassType = Pass<T, D, Cuda>;
  static constexpr Index channels = S::channels, factors = S::rank * S::channels;

  /// weights: of the device.
  DeviceModel(const T* weights, const M& model)
      : weights_(weights, M::parameters),
        factor_scale_(model.factor_scale()),
        least_points_(model.least_points()) {}

  /// Mean and factor into memory that is kept.
  DeviceLaw<T, D> predict(Cuda& device, const DeviceCondition<T, D>& given) const {
    const DeviceRefined<T, D> fine(device, given, least_points_);
    PassType pass = make_pass(device, fine.condition);
    pass.recording = false;
    const View<T, D> x = pass.keep_uninitialised(fine.condition.initial, E::inputs);
    assemble<S, T, D>(device, fine.condition, x);
    const View<T, D> y = pass.keep_uninitialised(x, E::outputs);
    TraceOf<E, PassType> trace;
    mno::detail::evaluate<E, PassType>(weights_, x, y, trace, pass, Write::set);
    return law(device, given, fine.at_given(y), pass);
  }

  /// loss(law) sets the cotangents of mean and factor; `gradient` (of the device) is set, `given_bar` is
  /// added to.
  template <class Loss>
  void gradient(Cuda& device, const DeviceCondition<T, D>& given, Loss&& loss, T* gradient,
                const DeviceConditionBar<T, D>& given_bar) const {
    const DeviceRefined<T, D> fine(device, given, least_points_, given_bar);
    const DeviceConditionBar<T, D>& bar = fine.bar;
    PassType pass = make_pass(device, fine.condition);
    pass.initial_bar = bar.initial;
    if (bar.times) pass.times_bar = {bar.times, std::size_t(given.initial.batch)};
    device.fill(gradient, Index(M::parameters), T(0));
    const View<T, D> x = pass.keep_uninitialised(fine.condition.initial, E::inputs);
    assemble<S, T, D>(device, fine.condition, x);
    const View<T, D> y = pass.keep_uninitialised(x, E::outputs);
    TraceOf<E, PassType> trace;
    mno::detail::evaluate<E, PassType>(weights_, x, y, trace, pass, Write::set);

    DeviceLaw<T, D> law = this->law(device, given, fine.at_given(y), pass);
    law.mean_bar = pass.keep_uninitialised(law.mean, channels);
    if constexpr (M::stochastic) law.factor_bar = pass.keep_uninitialised(law.mean, factors);
    loss(law);

    View<T, D> seen_bar = law.mean_bar;
    if constexpr (M::stochastic) {
      seen_bar = pass.keep_uninitialised(law.mean, E::outputs);
      transfer<T, D>(device, law.mean_bar, seen_bar.slice(0, channels), Write::set);
      transfer<T, D>(device, law.factor_bar, seen_bar.slice(channels, factors), Write::set, factor_scale_);
    }
    const View<T, D> ybar = fine.spread(seen_bar);
    if (M::stochastic && bar.initial)  // m = u_0 + A
      transfer<T, D>(device, ybar.slice(0, channels), bar.initial, Write::add);
    const View<T, D> xbar = bar.wanted() ? pass.keep_uninitialised(x, E::inputs) : View<T, D>{};
    mno::detail::adjoint<E, PassType>(weights_, ybar, trace, {gradient, M::parameters}, xbar, pass,
                                      Write::set);
    if (bar.wanted()) assemble_adjoint<S, T, D>(device, xbar, bar);
    fine.pull_back();
  }

 private:
  static PassType make_pass(Cuda& device, const DeviceCondition<T, D>& condition) {
    PassType pass(device);
    pass.initial = condition.initial;
    pass.times = {condition.times, std::size_t(condition.initial.batch)};
    return pass;
  }
  DeviceLaw<T, D> law(Cuda& device, const DeviceCondition<T, D>& condition, const View<const T, D>& y,
                      PassType& pass) const {
    if constexpr (M::stochastic) {
      const View<T, D> mean = pass.keep_uninitialised(y, channels),
                       factor = pass.keep_uninitialised(y, factors);
      device.for_each(numbers(mean),
                      detail::MeanInto<T>{rows(condition.initial), rows(y.slice(0, channels)), rows(mean)});
      transfer<T, D>(device, y.slice(channels, factors), factor, Write::set, factor_scale_);
      return {mean, factor, {}, {}};
    } else {
      return {y, {}, {}, {}};
    }
  }

  std::span<const T> weights_;
  T factor_scale_;
  Index least_points_;
};

}  // namespace mno::cuda

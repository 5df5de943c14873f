#pragma once
// value_and_gradient and vjp with a GPU as the device.
#include "mno/cuda/loss.hpp"
#include "mno/cuda/predict.hpp"
#include "mno/model/gradient.hpp"

namespace mno {

namespace cuda {

/// A host target in the device's memory, for as long as the computation runs.
template <class T, int D>
DeviceTarget<T, D> uploaded(Cuda& device, const Target<T, D>& target, Index samples) {
  DeviceTarget<T, D> result;
  const auto copy = [&](const View<const T, D>& view, Index each) {
    if (!view) return View<const T, D>{};
    const View<const T, D> some = view.samples(0, samples * each);
    T* const to = device.arena().template keep<T>(std::size_t(numbers(some)));
    require(some.pitch == some.channels, "value_and_gradient", "target", text("dense fields"),
            text("a slice of channels"));
    device.upload(some.data, to, std::size_t(numbers(some)));
    return View<const T, D>{to, some.batch, some.grid, some.channels, some.channels};
  };
  result.mean = copy(target.mean, 1);
  result.variance = copy(target.variance, 1);
  result.covariance_factor = copy(target.covariance_factor, 1);
  if (target.members && target.samples() > 0) {
    result.kept = target.members.batch / target.samples();
    result.members = copy(target.members, result.kept);
  }
  if (!target.counts.empty()) {
    std::vector<Index> counts(std::size_t(samples), Index(0));
    for (Index b = 0; b < samples; ++b) counts[std::size_t(b)] = target.count(b);
    Index* const to = device.arena().template keep<Index>(std::size_t(samples));
    device.upload(counts.data(), to, counts.size());
    if (!device.measuring()) device.wait();
    result.counts = to;
  }
  return result;
}

/// Forward, loss(law, samples) and adjoint of a host condition; gradient and bar come back to the host.
/// `loss` sets the cotangents.
template <class E, class S, class T, class Loss>
void pull_back(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition, Loss&& loss,
               Model<E, S, T>& gradient, Cuda& device, const ConditionBar<T, S::dimension>& bar) {
  using M = Model<E, S, T>;
  constexpr int D = S::dimension;
  const KnownFields<M> known(model, condition);
  device.run(condition.initial.batch, [&](Index samples) {
    DeviceArena& arena = device.arena();
    T *const weights = arena.keep<T>(M::parameters), *const g = arena.keep<T>(M::parameters);
    device.upload(model.values().data(), weights, M::parameters);
    const auto on_device = uploaded<T, D>(device, condition, known.view(), 0, samples);
    const auto like = [&](const View<T, D>& host) {
      if (!host) return View<T, D>{};
      require(host.pitch == host.channels, "value_and_gradient", "bar", text("dense fields"),
              text("a slice of channels"));
      const View<T, D> to{arena.keep<T>(std::size_t(samples * host.points() * host.channels)), samples,
                          host.grid, host.channels, host.channels};
      device.upload(host.data, to.data, std::size_t(numbers(to)));
      return to;
    };
    DeviceConditionBar<T, D> bars{like(bar.initial), nullptr, like(bar.known)};
    if (!bar.times.empty()) {
      bars.times = arena.keep<T>(std::size_t(samples));
      device.upload(bar.times.data(), bars.times, std::size_t(samples));
    }
    DeviceModel<M>(weights, model)
        .gradient(
            device, on_device, [&](const DeviceLaw<T, D>& law) { loss(law, samples); }, g, bars);
    device.download(g, gradient.values().data(), M::parameters);
    if (bar.initial) device.download(bars.initial.data, bar.initial.data, std::size_t(numbers(bars.initial)));
    if (bar.known) device.download(bars.known.data, bar.known.data, std::size_t(numbers(bars.known)));
    if (bars.times) device.download(bars.times, bar.times.data(), std::size_t(samples));
    if (!device.measuring()) device.wait();
  });
}

}  // namespace cuda

/// Returns the loss and sets `gradient`. The loss is one of the library's terms, put together by Loss or
/// Recipe.
template <class E, class S, class T, class L>
double value_and_gradient(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                          const LossOn<L, T, S::dimension>& loss, Model<E, S, T>& gradient, Cuda& device,
                          const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::check_gradient_arguments(model, condition, bar);
  require(loss.target().samples() == condition.initial.batch, "value_and_gradient", "loss",
          text("a target of ", condition.initial.batch, " samples, as the condition has"),
          text(loss.target().samples()));
  std::array<double, L::size> values{};
  cuda::pull_back(
      model, condition,
      [&](const cuda::DeviceLaw<T, D>& law, Index samples) {
        const auto target = cuda::uploaded<T, D>(device, loss.target(), samples);
        double* const on_device = device.arena().template keep<double>(L::size);
        cuda::evaluate_loss<L, T, D>(device, loss.loss(), law, target, loss.target(), on_device);
        device.download(on_device, values.data(), L::size);
      },
      gradient, device, bar);
  double total = 0;
  for (std::size_t term = 0; term < L::size; ++term) {
    if (loss.values()) loss.values()->set(0, term, values[term]);
    total += values[term];
  }
  return total;
}

/// The vector–Jacobian product: cotangents of mean and factor in, gradient of the parameters out.
template <class E, class S, class T>
void vjp(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
         const Field<T, S::dimension>& mean_bar, const Field<T, S::dimension>& factor_bar,
         Model<E, S, T>& gradient, Cuda& device, const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::require_like<T, D>("vjp", "mean_bar", mean_bar.view(), condition.initial, S::channels);
  detail::require_like<T, D>("vjp", "factor_bar", factor_bar.view(), condition.initial,
                             S::rank * S::channels);
  detail::check_gradient_arguments(model, condition, bar);
  cuda::pull_back(
      model, condition,
      [&](const cuda::DeviceLaw<T, D>& law, Index) {
        device.upload(mean_bar.data(), law.mean_bar.data, std::size_t(cuda::numbers(law.mean_bar)));
        device.upload(factor_bar.data(), law.factor_bar.data, std::size_t(cuda::numbers(law.factor_bar)));
      },
      gradient, device, bar);
}

/// The same for a deterministic operator: the cotangent of its field in.
template <class E, class S, class T>
requires(!Model<E, S, T>::stochastic) void vjp(const Model<E, S, T>& model,
                                               const Condition<T, S::dimension>& condition,
                                               const Field<T, S::dimension>& field_bar,
                                               Model<E, S, T>& gradient, Cuda& device,
                                               const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::require_like<T, D>("vjp", "field_bar", field_bar.view(), condition.initial, S::channels);
  detail::check_gradient_arguments(model, condition, bar);
  cuda::pull_back(
      model, condition,
      [&](const cuda::DeviceLaw<T, D>& law, Index) {
        device.upload(field_bar.data(), law.mean_bar.data, std::size_t(cuda::numbers(law.mean_bar)));
      },
      gradient, device, bar);
}

}  // namespace mno

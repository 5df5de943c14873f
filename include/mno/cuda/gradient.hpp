#pragma once
// value_and_gradient and vjp with a GPU as the device.
#include "mno/cuda/loss.hpp"
#include "mno/cuda/predict.hpp"
#include "mno/model/gradient.hpp"

namespace mno {

namespace detail {

template <> struct HostGradient<Cuda> {
  static constexpr bool in_slices = false;  // every rank computes all of it
  template <class M, class T, int D, class Loss>
  static double run(const M& model, const Condition<T, D>& condition, Loss& loss, M& gradient, Cuda& device,
                    const ConditionBar<T, D>& bar) {
    const auto dense = [](const View<T, D>& view) {
      require(view.pitch == view.channels, "value_and_gradient", "bar", Text("dense fields"),
              Text("a slice of channels"));
      return std::span<T>(view.data, std::size_t(cuda::numbers(view)));
    };
    double value = 0;
    device.run(condition.initial.batch, [&](Index samples) {
      const auto weights = cuda::uploaded(device, model.values());
      const std::span<T> g(device.arena().template keep<T>(M::parameters), M::parameters);
      const auto there = cuda::uploaded(device, condition, 0, samples);
      const auto stored =
          cuda::uploaded(device, condition.known ? View<const T, D>{} : model.stored_known_fields().view());
      // Cotangents are copied to the device, added to there, and copied back.
      const auto send = [&](std::span<T> host) {
        T* const to = device.arena().template keep<T>(host.size());
        device.upload(host.data(), to, host.size());
        return std::span<T>(to, host.size());
      };
      const auto send_field = [&](const View<T, D>& host) {
        View<T, D> to = host ? host.samples(0, samples) : host;
        to.data = send(dense(to)).data();
        return host ? to : host;
      };
      const auto fetch = [&](std::span<const T> from, std::span<T> host) {
        device.download(from.data(), host.data(), from.size());
      };
      const ConditionBar<T, D> bars{send_field(bar.initial),
                                    send(bar.times.first(bar.times.empty() ? 0 : std::size_t(samples))),
                                    send_field(bar.known)};
      value = gradient_on(model, weights, there, stored, loss, g, device, bars);
      fetch(g, gradient.values());
      fetch(dense(bars.initial), dense(bar.initial));
      fetch(bars.times, bar.times);
      fetch(dense(bars.known), dense(bar.known));
      if (!device.measuring()) device.wait();
    });
    return value;
  }
  template <class T, int D>
  static void copy(const View<const T, D>& host, const View<T, D>& to, Cuda& device) {
    Pass<T, D, Cuda>(device).transfer(cuda::uploaded(device, host), to, Write::set);
  }
};

}  // namespace detail

/// Returns the loss and sets `gradient`. The loss is one of the library's terms, put together by Loss or
/// Recipe.
template <class E, class S, class T, class L>
double value_and_gradient(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                          const LossOn<L, T, S::dimension>& loss, Model<E, S, T>& gradient, Cuda& device,
                          const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::check_gradient_arguments(model, condition, bar);
  const Target<T, D>& target = loss.target();
  require(target.samples() == condition.initial.batch, "value_and_gradient", "loss",
          Text("a target of ", condition.initial.batch, " samples, as the condition has"),
          Text(target.samples()));
  Condition<T, D> given = condition;
  if constexpr (detail::OfDraws<L>) given = detail::visited<Model<E, S, T>>(condition, loss.draws());
  std::array<double, L::size> values{};
  const auto on_device = [&](const auto& block) {
    const auto there = cuda::uploaded(device, target, detail::as_law(block).mean.batch / given.draws);
    double* const results = device.arena().template keep<double>(L::size);
    cuda::evaluate_loss(device, loss.loss(), block, there, target, results);
    device.download(results, values.data(), L::size);
    return 0.0;  // known when the device is done
  };
  detail::HostGradient<Cuda>::run(model, given, on_device, gradient, device, bar);
  double total = 0;
  for (std::size_t term = 0; term < L::size; ++term) {
    if (loss.values()) loss.values()->set(0, term, values[term]);
    total += values[term];
  }
  return total;
}

namespace detail {
template <class L> inline constexpr bool is_loss_on = false;
template <class L, class T, int D> inline constexpr bool is_loss_on<LossOn<L, T, D>> = true;
}  // namespace detail

/// Any other loss is refused with a sentence.
template <class E, class S, class T, class Loss>
requires(!detail::is_loss_on<std::remove_cvref_t<Loss>>) double value_and_gradient(
    const Model<E, S, T>&, const Condition<T, S::dimension>&, Loss&&, Model<E, S, T>&, Cuda&,
    const ConditionBar<T, S::dimension>& = {}) {
  static_assert(
      detail::is_loss_on<std::remove_cvref_t<Loss>>,
      "mno: a loss on mno::Cuda is made of the library's terms, loss.on(target); a function of yours runs on "
      "mno::Cpu");
  return 0;
}

}  // namespace mno

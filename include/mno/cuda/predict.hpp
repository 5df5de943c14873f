#pragma once
// predict and its kin with a GPU as the device: the same calls, the same results to rounding.
#include "mno/cuda/model.hpp"
#include "mno/model/predict.hpp"
#include "mno/model/prepared.hpp"
#include "mno/train/scores.hpp"

namespace mno {

namespace cuda {

/// law(first sample, law of some samples in the device's memory) for all samples of a condition, as many at a
/// time as there is room for.
template <class E, class S, class T, class Visit>
void predict_all(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition, Cuda& device,
                 Visit&& visit) {
  using M = Model<E, S, T>;
  constexpr int D = S::dimension;
  const KnownFields<M> known(model, condition);
  const Index batch = condition.initial.batch;
  Index first = 0;
  const auto body = [&](Index samples) {
    T* const weights = device.arena().template keep<T>(M::parameters);
    device.upload(model.values().data(), weights, M::parameters);
    const auto on_device = uploaded<T, D>(device, condition, known.view(), first, samples);
    visit(first, DeviceModel<M>(weights, model).predict(device, on_device));
  };
  std::size_t free = 0, total = 0;
  device.check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t room = device.memory() + free / 2;
  Index most = batch;
  while (most > 1 && device.measure(most, body) > room) most = (most + 1) / 2;
  for (; first < batch; first += most) device.run(std::min(most, batch - first), body);
}

}  // namespace cuda

/// The law of u_t for every sample, into fields that exist already.
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Law<T, S::dimension>& law, Cuda& device) {
  static_assert(Model<E, S, T>::stochastic,
                "mno: this operator gives a field, not a law: predict into a Field");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "law.mean", law.mean.view(), condition.initial, S::channels);
  detail::require_like<T, D>("predict", "law.factor", law.factor.view(), condition.initial,
                             S::rank * S::channels);
  const Index points = condition.initial.points();
  cuda::predict_all(model, condition, device, [&](Index first, const cuda::DeviceLaw<T, D>& some) {
    device.download(some.mean.data, law.mean.data() + first * points * S::channels,
                    std::size_t(cuda::numbers(some.mean)));
    device.download(some.factor.data, law.factor.data() + first * points * S::rank * S::channels,
                    std::size_t(cuda::numbers(some.factor)));
    if (!device.measuring()) device.wait();
  });
}
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Field<T, S::dimension>& field, Cuda& device) {
  static_assert(!Model<E, S, T>::stochastic,
                "mno: this operator gives a law, not a field: predict into a Law");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "field", field.view(), condition.initial, S::channels);
  const Index points = condition.initial.points();
  cuda::predict_all(model, condition, device, [&](Index first, const cuda::DeviceLaw<T, D>& some) {
    device.download(some.mean.data, field.data() + first * points * S::channels,
                    std::size_t(cuda::numbers(some.mean)));
    if (!device.measuring()) device.wait();
  });
}

/// A Law from a stochastic operator, a Field from a deterministic one.
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition, Cuda& device) {
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  const auto& u = condition.initial;
  if constexpr (Model<E, S, T>::stochastic) {
    Law<T, D> law(Field<T, D>(u.batch, u.grid, S::channels),
                  Field<T, D>(u.batch, u.grid, S::rank * S::channels));
    predict_into(model, condition, law, device);
    return law;
  } else {
    Field<T, D> field(u.batch, u.grid, S::channels);
    predict_into(model, condition, field, device);
    return field;
  }
}
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, View<const T, S::dimension> initial, std::type_identity_t<T> time,
             Cuda& device) {
  return predict(model, Condition<T, S::dimension>{initial, {&time, 1}}, device);
}
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, const Field<T, S::dimension>& initial, std::type_identity_t<T> time,
             Cuda& device) {
  return predict(model, initial.view(), time, device);
}

/// A model made ready for many predictions; on this device there is nothing to prepare.
template <class E, class S, class T, class To>
void predict_into(const Prepared<Model<E, S, T>>& prepared, const Condition<T, S::dimension>& condition,
                  To& to, Cuda& device) {
  predict_into(prepared.model(), condition, to, device);
}

}  // namespace mno

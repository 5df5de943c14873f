#pragma once
// From a condition to the law of u_t, in one pass.
#include "mno/device/cpu.hpp"
#include "mno/law/law.hpp"
#include "mno/layer/pass.hpp"
#include "mno/model/input.hpp"
#include "mno/model/model.hpp"
#include "mno/model/refined.hpp"

namespace mno {

namespace detail {

/// Blocks of about a thousand points, so that a block's activations stay in cache from the lift to the heads
/// and back. A block also reads every weight once: where a sample has few points for a model of that size, as
/// on planes, blocks are made of more samples, until a block's activations outweigh the weights.
inline Index samples_per_block(Index points, Index parameters) {
  const Index cached = std::min<Index>(16, 1024 / points);
  const Index amortised = std::min<Index>(8, parameters / (128 * points));
  return std::max<Index>({1, cached, amortised});
}

/// body(lane, workspace, first sample, count) for every block, dealt to lanes in turn.
template <class Device, class Body>
void for_each_block(Device& device, Index batch, Index points, Index parameters, Body&& body) {
  const Index size = samples_per_block(points, parameters), blocks = (batch + size - 1) / size;
  const Index lanes = Device::lanes(blocks);
  device.for_each_lane(lanes, [&](Index lane, typename Device::Workspace& workspace) {
    for (Index block = lane; block < blocks; block += lanes)
      body(lane, workspace, block * size, std::min(size, batch - block * size));
  });
}

/// The input of a block of samples, in a workspace that is empty again: (sample, grid…, input channel).
template <class M> struct BlockInput {
  View<typename M::Scalar, M::dimension> x;
  std::span<const typename M::Scalar> times;
};
template <class M>
BlockInput<M> block_input(const M& model, const Condition<typename M::Scalar, M::dimension>& condition,
                          Index first, Index count, Workspace& workspace) {
  using T = typename M::Scalar;
  constexpr int D = M::dimension;
  workspace.trace.release();
  workspace.scratch.release();
  Pass<T, D> pass(workspace);
  const View<T, D> x = pass.keep(condition.initial.samples(first, count), M::Expression::inputs);
  T* const times = pass.keep_values(count);
  for (Index b = 0; b < count; ++b) times[b] = condition.time(first + b);
  assemble<typename M::ShapeType, T, D>(condition, model.stored_known_fields().view(), first, x, workspace);
  return {x, {times, std::size_t(count)}};
}

/// The factor, or its cotangent, times the model's constant.
template <class M> void scale_factor(View<typename M::Scalar, M::dimension> law, typename M::Scalar scale) {
  constexpr Index channels = M::ShapeType::channels;
  if (!M::stochastic || scale == typename M::Scalar(1)) return;
  for (Index r = 0; r < law.rows(); ++r)
    for (Index c = channels; c < law.channels; ++c) law.row(r)[c] *= scale;
}

/// m = u_0 + A. Where A is zero the mean is u_0 bit for bit (u_0 + 0 would turn −0 into +0).
template <class T, int D> void mean_into(View<const T, D> initial, View<const T, D> drift, View<T, D> mean) {
  for (Index r = 0; r < mean.rows(); ++r)
    for (Index c = 0; c < mean.channels; ++c) {
      const T u = initial.row(r)[c], a = drift.row(r)[c];
      mean.row(r)[c] = a == T(0) ? u : u + a;
    }
}

/// What the expression gives for a block of samples: (sample, grid…, output channel).
template <class M>
View<const typename M::Scalar, M::dimension> block_output(
    const M& model, const Condition<typename M::Scalar, M::dimension>& condition, Index first, Index count,
    Workspace& workspace, const typename M::Scalar* prepared) {
  using T = typename M::Scalar;
  using E = typename M::Expression;
  using PassType = Pass<T, M::dimension>;
  const auto input = block_input(model, condition, first, count, workspace);
  PassType pass(workspace);
  pass.recording = false;
  pass.weights = model.values().data();
  pass.prepared = prepared;
  pass.initial = condition.initial.samples(first, count);
  pass.times = input.times;
  const auto y = pass.keep_uninitialised(input.x, E::outputs);
  typename E::template Trace<PassType> trace;
  evaluate<E, PassType>(model.values(), input.x, y, trace, pass, Write::set);
  scale_factor<M>(y, model.factor_scale());
  return y;
}

template <class T, int D>
void require_like(const char* function, const char* argument, View<const T, D> got, View<const T, D> like,
                  Index channels) {
  require(got.batch == like.batch && got.grid == like.grid && got.channels == channels, function, argument,
          text(like.batch, " sample(s) of ", channels, " channel(s) on ", like.grid.str()),
          text(got.batch, " of ", got.channels, " on ", got.grid.str()));
}

}  // namespace detail

namespace detail {

/// `prepared`: the weights with their matrices transposed, or null.
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const T* prepared, const Condition<T, S::dimension>& condition,
                  Law<T, S::dimension>& law, Cpu& device) {
  using M = Model<E, S, T>;
  static_assert(M::stochastic, "mno: this operator gives a field, not a law: predict into a Field");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "law.mean", law.mean.view(), condition.initial, S::channels);
  detail::require_like<T, D>("predict", "law.factor", law.factor.view(), condition.initial,
                             S::rank * S::channels);
  const Refined<T, D> fine(condition, model.least_points(), device);
  detail::for_each_block(device, condition.initial.batch, fine.condition.initial.points(),
                         Index(M::parameters), [&](Index, Workspace& workspace, Index first, Index count) {
                           Pass<T, D> pass(workspace);
                           const auto y = fine.at_given(
                               detail::block_output(model, fine.condition, first, count, workspace, prepared),
                               pass);
                           detail::mean_into<T, D>(condition.initial.samples(first, count), y,
                                                   law.mean.view().samples(first, count));
                           const auto factor = law.factor.view().samples(first, count);
                           for (Index r = 0; r < factor.rows(); ++r)
                             std::copy_n(y.row(r) + S::channels, factor.channels, factor.row(r));
                         });
}
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const T* prepared, const Condition<T, S::dimension>& condition,
                  Field<T, S::dimension>& field, Cpu& device) {
  using M = Model<E, S, T>;
  static_assert(!M::stochastic, "mno: this operator gives a law, not a field: predict into a Law");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "field", field.view(), condition.initial, S::channels);
  const Refined<T, D> fine(condition, model.least_points(), device);
  detail::for_each_block(device, condition.initial.batch, fine.condition.initial.points(),
                         Index(M::parameters), [&](Index, Workspace& workspace, Index first, Index count) {
                           Pass<T, D> pass(workspace);
                           const auto y = fine.at_given(
                               detail::block_output(model, fine.condition, first, count, workspace, prepared),
                               pass);
                           const auto to = field.view().samples(first, count);
                           for (Index r = 0; r < to.rows(); ++r)
                             std::copy_n(y.row(r), to.channels, to.row(r));
                         });
}

}  // namespace detail

/// The law of u_t for every sample, into fields that exist already: after the first call nothing is
/// allocated.
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Law<T, S::dimension>& law, Cpu& device = default_device()) {
  static_assert(Model<E, S, T>::stochastic,
                "mno: this operator gives a field, not a law: predict into a Field");
  detail::predict_into<E, S, T>(model, nullptr, condition, law, device);
}
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Field<T, S::dimension>& field, Cpu& device = default_device()) {
  static_assert(!Model<E, S, T>::stochastic,
                "mno: this operator gives a law, not a field: predict into a Law");
  detail::predict_into<E, S, T>(model, nullptr, condition, field, device);
}

/// A Law from a stochastic operator, a Field from a deterministic one.
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
             Cpu& device = default_device()) {
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

/// predict(model, u_0, t): one time for all samples.
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, View<const T, S::dimension> initial, std::type_identity_t<T> time,
             Cpu& device = default_device()) {
  return predict(model, Condition<T, S::dimension>{initial, {&time, 1}}, device);
}
template <class E, class S, class T>
auto predict(const Model<E, S, T>& model, const Field<T, S::dimension>& initial, std::type_identity_t<T> time,
             Cpu& device = default_device()) {
  return predict(model, initial.view(), time, device);
}

}  // namespace mno

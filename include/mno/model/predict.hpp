#pragma once
// From a condition to the law of u_t, in one pass.
#include "mno/device/cpu.hpp"
#include "mno/law/law.hpp"
#include "mno/layer/pass.hpp"
#include "mno/model/input.hpp"
#include "mno/model/model.hpp"

namespace mno {

namespace detail {

/// Blocks of about a thousand points: a block's activations stay in cache from the lift to the heads and
/// back.
inline Index samples_per_block(Index points) { return std::max<Index>(1, 1024 / points); }

/// body(lane, workspace, first sample, count) for every block, dealt to lanes in turn.
template <class Device, class Body>
void for_each_block(Device& device, Index batch, Index points, Body&& body) {
  const Index size = samples_per_block(points), blocks = (batch + size - 1) / size;
  const Index lanes = Device::lanes(blocks);
  device.for_each_lane(lanes, [&](Index lane, typename Device::Workspace& workspace) {
    for (Index block = lane; block < blocks; block += lanes)
      body(lane, workspace, block * size, std::min(size, batch - block * size));
  });
}

/// One block on its way through a model: what forward leaves behind for vjp.
template <class M> struct BlockPass {
  using T = typename M::Scalar;
  static constexpr int D = M::dimension;
  using E = typename M::Expression;
  using PassType = Pass<T, D>;

  PassType pass;
  View<T, D> x, y;  // the assembled input and the expression's output
  typename E::template Trace<PassType> trace;

  BlockPass(const M& model, const Condition<T, D>& condition, Index first, Index count, Workspace& workspace)
      : pass(fresh(workspace)) {
    const View<const T, D> initial = condition.initial.samples(first, count);
    x = pass.keep(initial, E::inputs);
    y = pass.keep(initial, E::outputs);
    T* const times = pass.keep_values(count);
    for (Index b = 0; b < count; ++b) times[b] = condition.time(first + b);
    pass.initial = initial;
    pass.times = {times, std::size_t(count)};
    assemble<typename M::ShapeType, T, D>(condition, model.stored_known_fields().view(), first, x, workspace);
    E::template forward<PassType>(model.values(), x, y, trace, pass);
    scale_factor(y, model.factor_scale());
  }

  /// The factor, or its cotangent, times the model's constant.
  static void scale_factor(View<T, D> law, T scale) {
    constexpr Index channels = M::ShapeType::channels;
    if (!M::stochastic || scale == T(1)) return;
    for (Index r = 0; r < law.rows(); ++r)
      for (Index c = channels; c < law.channels; ++c) law.row(r)[c] *= scale;
  }

  /// m = u_0 + A. Where A is zero the mean is u_0 bit for bit (u_0 + 0 would turn −0 into +0).
  void mean_into(View<T, D> mean) const {
    for (Index r = 0; r < mean.rows(); ++r)
      for (Index c = 0; c < mean.channels; ++c) {
        const T u = pass.initial.row(r)[c], drift = y.row(r)[c];
        mean.row(r)[c] = drift == T(0) ? u : u + drift;
      }
  }

 private:
  static Workspace& fresh(Workspace& workspace) {
    workspace.trace.release();
    workspace.scratch.release();
    return workspace;
  }
};

template <class T, int D>
void require_like(const char* function, const char* argument, View<const T, D> got, View<const T, D> like,
                  Index channels) {
  require(got.batch == like.batch && got.grid == like.grid && got.channels == channels, function, argument,
          text(like.batch, " sample(s) of ", channels, " channel(s) on ", like.grid.str()),
          text(got.batch, " of ", got.channels, " on ", got.grid.str()));
}

}  // namespace detail

/// The law of u_t for every sample, into fields that exist already: after the first call nothing is
/// allocated.
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Law<T, S::dimension>& law, Cpu& device = default_device()) {
  using M = Model<E, S, T>;
  static_assert(M::stochastic, "mno: this operator gives a field, not a law: predict into a Field");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "law.mean", law.mean.view(), condition.initial, S::channels);
  detail::require_like<T, D>("predict", "law.factor", law.factor.view(), condition.initial,
                             S::rank * S::channels);
  detail::for_each_block(device, condition.initial.batch, condition.initial.points(),
                         [&](Index, Workspace& workspace, Index first, Index count) {
                           const detail::BlockPass<M> block(model, condition, first, count, workspace);
                           block.mean_into(law.mean.view().samples(first, count));
                           const auto factor = law.factor.view().samples(first, count);
                           for (Index r = 0; r < factor.rows(); ++r)
                             std::copy_n(block.y.row(r) + S::channels, factor.channels, factor.row(r));
                         });
}
template <class E, class S, class T>
void predict_into(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                  Field<T, S::dimension>& field, Cpu& device = default_device()) {
  using M = Model<E, S, T>;
  static_assert(!M::stochastic, "mno: this operator gives a law, not a field: predict into a Law");
  constexpr int D = S::dimension;
  check<S>("predict", condition, model.domain(), model.stored_known_fields().size() > 0);
  detail::require_like<T, D>("predict", "field", field.view(), condition.initial, S::channels);
  detail::for_each_block(device, condition.initial.batch, condition.initial.points(),
                         [&](Index, Workspace& workspace, Index first, Index count) {
                           const detail::BlockPass<M> block(model, condition, first, count, workspace);
                           const auto to = field.view().samples(first, count);
                           for (Index r = 0; r < to.rows(); ++r)
                             std::copy_n(block.y.row(r), to.channels, to.row(r));
                         });
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

#pragma once
// A loss of what a model predicts, and its gradient: forward, loss, back (expression/pull_back.hpp).
//
// The loss is a function of blocks: it takes the model's output for some samples, a LawBlock or a FieldBlock,
// adds to the block's cotangents, and returns its value.
#include "mno/expression/pull_back.hpp"
#include "mno/law/block.hpp"
#include "mno/model/predict.hpp"

namespace mno {

namespace detail {

/// Do the condition and the places for its cotangents fit the model and each other? For every device.
template <class E, class S, class T>
void check_gradient_arguments(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                              const ConditionBar<T, S::dimension>& bar) {
  constexpr int D = S::dimension;
  check_condition("value_and_gradient", model, condition);
  const auto& u = condition.initial;
  if (bar.initial) require_like<T, D>("value_and_gradient", "bar.initial", bar.initial, u, S::channels);
  if (bar.known) require_like<T, D>("value_and_gradient", "bar.known", bar.known, u, known_fields<S>());
  require(bar.times.empty() || Index(bar.times.size()) == u.batch, "value_and_gradient", "bar.times",
          Text("one per sample, ", u.batch), Text(bar.times.size()));
}

/// The condition with the number of runs that a loss of draws asks of an operator with noise inside.
template <class M, class T, int D> Condition<T, D> visited(Condition<T, D> condition, Index draws) {
  if constexpr (!M::stochastic) {
    static_assert(M::gives_draws,
                  "mno: this operator gives one and the same field in every visit: draws need Noise in the "
                  "expression, or a model that gives a law");
    require(condition.draws == 1 || condition.draws == draws, "value_and_gradient", "condition.draws",
            Text("1, or the loss's ", draws), Text(condition.draws));
    condition.draws = draws;
  }
  return condition;
}

/// A step of a model: from a condition to the blocks that a loss sees, and from their cotangents back.
template <class M, class Loss, class Device> class ModelStep {
 public:
  using T = typename M::Scalar;
  using S = typename M::ShapeType;
  static constexpr int D = M::dimension;
  using PassType = Pass<T, D, Device>;

  ModelStep(const M& model, const Condition<T, D>& given, const Refined<T, D, Device>& fine, Loss& loss,
            Index place = 0)
      : model_(model), given_(given), fine_(fine), loss_(loss), place_(place) {}

  Index batch() const { return fine_.batch(); }
  const Grid<D>& grid() const { return fine_.grid(); }

  void condition(PassType& pass, Index first, Index count) {
    fine_.enter(pass, first, count);
    pass.first += place_;
  }
  View<T, D> input(PassType& pass, Index first, Index count) {
    return model_input(model_, fine_.condition, model_.domain().bounded, pass, first, count);
  }

  double loss(PassType& pass, Index first, View<T, D> y, View<T, D> ybar) {
    scale_factor(y, pass);
    const View<const T, D> seen = fine_.at_given(y, pass);
    const View<T, D> seen_bar = fine_.given_bar(ybar, pass);
    const double value = loss_of(pass, first, seen, seen_bar);
    fine_.spread(seen_bar, ybar, pass);
    if (M::stochastic && pass.initial_bar)  // m = u_0 + A
      pass.transfer(ybar.slice(0, S::channels), pass.initial_bar, Write::add);
    scale_factor(ybar, pass);
    return value;
  }

  bool wants_input_bar() const { return fine_.bar.wanted(); }
  void take_input_bar(PassType& pass, Index first, View<const T, D> xbar) {
    add_input_bar(model_, xbar, first, fine_.bar, pass);
  }

 private:
  static constexpr Index factors = M::Expression::outputs - S::channels;

  /// Factor and nugget, or their cotangents, times the model's constant.
  void scale_factor(const View<T, D>& law, PassType& pass) const {
    const View<T, D> factor = law.slice(S::channels, factors);
    if (M::stochastic && model_.factor_scale() != T(1))
      pass.transfer(factor, factor, Write::set, model_.factor_scale());
  }
  double loss_of(PassType& pass, Index first, View<const T, D> y, View<T, D> ybar) {
    if constexpr (M::stochastic) {
      const View<T, D> mean = pass.keep_uninitialised(y, S::channels);
      pass.for_each(mean, MeanInto<T, D>{given_.initial.samples(first, y.batch), y, mean});
      constexpr Index rank = rank_of<S>() * S::channels;
      LawBlock<T, D> law{place_ + first, mean, y.slice(S::channels, rank), ybar.slice(0, S::channels),
                         ybar.slice(S::channels, rank)};
      if constexpr (M::has_nugget) {
        law.nugget = y.slice(S::channels + rank, S::channels);
        law.nugget_bar = ybar.slice(S::channels + rank, S::channels);
      }
      return loss_(law);
    } else {
      return loss_(FieldBlock<T, D>{place_ + first, y, ybar});
    }
  }

  const M& model_;
  const Condition<T, D>& given_;
  const Refined<T, D, Device>& fine_;
  Loss& loss_;
  Index place_;
};

/// What `loss` returns; `gradient` is set, `bar` is added to. Everything but the model itself is in the
/// memory of the device. `stored`: the model's known fields. `place`: where the condition's samples begin in
/// the batch that noise and target belong to. A processor cuts batches itself, and is given whole ones.
template <class M, class T, int D, class Loss, class Device>
double gradient_on(const M& model, std::span<const T> weights, const Condition<T, D>& condition,
                   const View<const T, D>& stored, Loss& loss, std::span<T> gradient, Device& device,
                   const ConditionBar<T, D>& bar, Index place = 0) {
  using E = typename M::Expression;
  const Refined<T, D, Device> fine(condition, stored, model.least_points(), device, bar);
  ModelStep<M, Loss, Device> step(model, condition, fine, loss, place);
  const double value =
      pull_back<E, T, D>(weights, step, gradient,
                         block_sizes(fine.grid().size(), Index(E::parameters), condition.draws), device);
  fine.pull_back();
  return value;
}

/// The shards of a batch (core/tree.hpp), as `gradient_on` cuts it.
template <class M, class T, int D> Shards shards_of(const M& model, const Condition<T, D>& condition) {
  const Grid<D> grid = working_grid(condition.initial.grid, model.least_points());
  return {condition.samples(),
          block_sizes(grid.size(), Index(M::Expression::parameters), condition.draws).samples};
}
/// Every rank has the values of terms on its own samples; afterwards all ranks have all values.
template <class Values>
void gather_terms(Values& values, const Shards& shards, Index draws, Communicator& ranks) {
  std::vector<Communicator::Slice> parts;
  for (Index rank = 0; rank < ranks.size(); ++rank) {
    const ShardRange own = shards.part(rank, ranks.size());
    const auto at = [&](Index shard) {
      return std::size_t(shards.first_sample(shard) / draws) * values.size();
    };
    parts.push_back({at(own.begin), at(own.end)});
  }
  ranks.all_gather(values.numbers(), std::span<const Communicator::Slice>(parts));
}

/// A loss of any type as one type, so that a step is compiled once for a model, not once for every loss. One
/// indirect call per block costs nothing beside the block.
template <class Block> class BlockLoss {
 public:
  template <class Loss>
  requires(!std::is_same_v<Loss, BlockLoss>) explicit BlockLoss(Loss& loss)
      : loss_(const_cast<void*>(static_cast<const void*>(&loss))),
        call_([](void* given, const Block& block) -> double { return (*static_cast<Loss*>(given))(block); }) {
  }
  double operator()(const Block& block) { return call_(loss_, block); }

 private:
  void* loss_;
  double (*call_)(void*, const Block&);
};
template <class M>
using BlockLossOf = BlockLoss<std::conditional_t<M::stochastic, LawBlock<typename M::Scalar, M::dimension>,
                                                 FieldBlock<typename M::Scalar, M::dimension>>>;

/// The same with everything in the host's memory; every device specialises it.
template <class Device> struct HostGradient;
template <> struct HostGradient<Cpu> {
  static constexpr bool in_slices = true;  // of several ranks each has its slice of the gradient
  template <class M, class T, int D, class Loss>
  static double run(const M& model, const Condition<T, D>& condition, Loss& loss, M& gradient, Cpu& device,
                    const ConditionBar<T, D>& bar) {
    BlockLossOf<M> any(loss);
    return gradient_on(model, model.values(), condition, model.stored_known_fields().view(), any,
                       gradient.values(), device, bar);
  }
  /// A field of the host's into memory of the device.
  template <class T, int D> static void copy(const View<const T, D>& host, const View<T, D>& to, Cpu&) {
    Pass<T, D>::transfer(host, to, Write::set);
  }
};

}  // namespace detail

namespace detail {

/// As value_and_gradient; on a device of several ranks each has its slice of the gradient alone.
template <class M, class Loss>
double own_value_and_gradient(const M& model, const Condition<typename M::Scalar, M::dimension>& condition,
                              Loss&& loss, M& gradient, Cpu& device,
                              const ConditionBar<typename M::Scalar, M::dimension>& bar = {}) {
  check_gradient_arguments(model, condition, bar);
  require(device.communicator().size() == 1 || !bar.wanted(), "value_and_gradient", "bar",
          Text("none on a device of several ranks, which sum over parameters alone"),
          Text("cotangents of the condition"));
  auto given = condition;
  if constexpr (requires { loss.draws(); }) given = visited<M>(condition, loss.draws());
  double value = HostGradient<Cpu>::run(model, given, loss, gradient, device, bar);
  if constexpr (requires { loss.add_of_model(model, given, gradient, device); }) {
    const double beside = loss.add_of_model(model, given, gradient, device);
    require(beside == 0 || (device.communicator().size() == 1 && !bar.wanted()), "value_and_gradient", "loss",
            Text("no term of the model on a device of several ranks, or where cotangents of the condition "
                 "are asked for"),
            Text("one of value ", beside));
    value += beside;
  }
  if constexpr (requires { loss.values(); })  // of other ranks' samples too
    if (device.communicator().size() > 1 && loss.values())
      gather_terms(*loss.values(), shards_of(model, given), given.draws, device.communicator());
  return value;
}

}  // namespace detail

/// Returns Σ_blocks loss(block) and sets `gradient` to its derivative in the model's parameters. The
/// derivative with respect to the condition is added to the members of `bar` that are given. On a device of
/// several ranks all of them call it alike, each sees blocks of its share, and all get the whole.
template <class E, class S, class T, class Loss>
double value_and_gradient(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                          Loss&& loss, Model<E, S, T>& gradient, Cpu& device = default_device(),
                          const ConditionBar<T, S::dimension>& bar = {}) {
  const double value = detail::own_value_and_gradient(model, condition, loss, gradient, device, bar);
  detail::gather_parameters(device.communicator(), gradient.values());
  return value;
}

/// The vector–Jacobian product on any device: cotangents of mean and factor in, gradient of the parameters
/// out. A model with a nugget takes that of η in C further channels of factor_bar.
template <class E, class S, class T, class Device = Cpu>
void vjp(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
         const Field<T, S::dimension>& mean_bar, const Field<T, S::dimension>& factor_bar,
         Model<E, S, T>& gradient, Device& device = default_device(),
         const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  using Host = detail::HostGradient<Device>;
  detail::check_gradient_arguments(model, condition, bar);
  detail::require_like<T, D>("vjp", "mean_bar", mean_bar.view(), condition.initial, S::channels);
  constexpr Index rank = rank_of<S>() * S::channels;
  detail::require_like<T, D>("vjp", "factor_bar", factor_bar.view(), condition.initial,
                             E::outputs - S::channels);
  const auto given = [&](const LawBlock<T, D>& block) {
    Host::copy(mean_bar.view().samples(block.first, block.mean.batch), block.mean_bar, device);
    const View<const T, D> bars = factor_bar.view().samples(block.first, block.mean.batch);
    Host::copy(bars.slice(0, rank), block.factor_bar, device);
    if constexpr (Model<E, S, T>::has_nugget)
      Host::copy(bars.slice(rank, S::channels), block.nugget_bar, device);
    return 0.0;
  };
  Host::run(model, condition, given, gradient, device, bar);
  if (Host::in_slices) detail::gather_parameters(ranks_of(device), gradient.values());
}

/// The same for a deterministic operator: the cotangent of its field in.
template <class E, class S, class T, class Device = Cpu>
requires(!Model<E, S, T>::stochastic) void vjp(const Model<E, S, T>& model,
                                               const Condition<T, S::dimension>& condition,
                                               const Field<T, S::dimension>& field_bar,
                                               Model<E, S, T>& gradient, Device& device = default_device(),
                                               const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  using Host = detail::HostGradient<Device>;
  detail::check_gradient_arguments(model, condition, bar);
  View<const T, D> like = condition.initial;
  like.batch = condition.samples();
  detail::require_like<T, D>("vjp", "field_bar", field_bar.view(), like, S::channels);
  const auto given = [&](const FieldBlock<T, D>& block) {
    Host::copy(field_bar.view().samples(block.first, block.value.batch), block.value_bar, device);
    return 0.0;
  };
  Host::run(model, condition, given, gradient, device, bar);
  if (Host::in_slices) detail::gather_parameters(ranks_of(device), gradient.values());
}

}  // namespace mno

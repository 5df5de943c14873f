#pragma once
// A loss of the predicted law and its gradient, block by block: forward, loss, vjp, next block.
//
// The loss is a function of blocks: it is given the law of some samples, writes the cotangents of mean and
// factor, and returns its value. Losses are therefore sums of per-sample terms, and memory is that of a
// block.
#include "mno/model/predict.hpp"
#include "mno/model/step.hpp"

namespace mno {

/// The law of samples [first, first + mean.batch), and where its cotangents go (zeroed before). Whoever has
/// several terms to evaluate may compute v = Σ_k B_k² once for all of them, and collect v̄.
template <class T, int D> struct LawBlock {
  Index first = 0;
  View<const T, D> mean, factor;
  View<T, D> mean_bar, factor_bar;
  View<const T, D> variance = {};  // v, or empty: then a term computes it from the factor
  View<T, D> variance_bar = {};    // v̄, or empty: then a term adds 2 v̄ B_k to B̄_k
};
/// The same for a deterministic operator.
template <class T, int D> struct FieldBlock {
  Index first = 0;
  View<const T, D> value;
  View<T, D> value_bar;
};

namespace detail {

/// A chain without its last part, and the last part; anything else is a last part alone. The heads are the
/// widest part of a model: they run on a few samples of a block at a time, forward, loss and back, so that
/// what they keep stays in cache while the layers before them work on the whole block.
template <class E> struct Split {
  static constexpr bool possible = false;
  using Back = E;
};
template <class... Fronts> struct FrontOf {
  template <class L> using Append = FrontOf<Fronts..., L>;
  using type = Chain<Fronts...>;
};
template <class Front, class L, class... Ls>
struct SplitParts : SplitParts<typename Front::template Append<L>, Ls...> {};
template <class Front, class L> struct SplitParts<Front, L> {
  static constexpr bool possible = true;
  using Before = typename Front::type;
  using Back = L;
};
template <class A, class B, class... Ls>
struct Split<Chain<A, B, Ls...>> : SplitParts<FrontOf<>, A, B, Ls...> {};
template <class E>
requires(!std::is_same_v<E, typename E::expression>) struct Split<E> : Split<typename E::expression> {
};

/// Samples of a block that go through the last part together.
inline Index samples_of_last_part(Index points) { return std::max<Index>(1, 256 / points); }

/// Does what is given fit the model, and what is asked for fit what is given? For every device.
template <class E, class S, class T>
void check_gradient_arguments(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                              const ConditionBar<T, S::dimension>& bar) {
  constexpr int D = S::dimension;
  check<S>("value_and_gradient", condition, model.domain(), model.stored_known_fields().size() > 0);
  const auto& u = condition.initial;
  if (bar.initial) require_like<T, D>("value_and_gradient", "bar.initial", bar.initial, u, S::channels);
  if (bar.known) require_like<T, D>("value_and_gradient", "bar.known", bar.known, u, known_fields<S>());
  require(bar.times.empty() || Index(bar.times.size()) == u.batch, "value_and_gradient", "bar.times",
          text("one per sample, ", u.batch), text(bar.times.size()));
}

}  // namespace detail

/// Returns Σ_blocks loss(block) and sets `gradient` to its derivative in the model's parameters. The
/// derivative with respect to the condition is added to the members of `bar` that are given.
template <class E, class S, class T, class Loss>
double value_and_gradient(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                          Loss&& loss, Model<E, S, T>& gradient, Cpu& device = default_device(),
                          const ConditionBar<T, S::dimension>& condition_bar = {}) {
  using M = Model<E, S, T>;
  constexpr int D = S::dimension;
  using PassType = Pass<T, D>;
  using Parts = detail::Split<E>;
  using Back = typename Parts::Back;
  constexpr std::size_t before = E::parameters - Back::parameters;
  detail::check_gradient_arguments(model, condition, condition_bar);
  const auto& given = condition.initial;
  const detail::Refined<T, D> fine(condition, model.least_points(), device, condition_bar);
  const ConditionBar<T, D>& bar = fine.bar;
  const View<const T, D>& u = fine.condition.initial;

  double values[Cpu::most_lanes] = {};
  T* sums[Cpu::most_lanes] = {};
  Index lanes = 0;
  const detail::Step<E, T> step(model.values(), u.batch,
                                detail::samples_per_block(u.points(), Index(M::parameters)), device);
  const auto make_pass = [&](Workspace& workspace, Index first, Index count, std::span<const T> times) {
    PassType pass(workspace);
    pass.weights = model.values().data();
    pass.prepared = step.ready();
    pass.collected = step.spectra();
    pass.first = first;
    pass.initial = u.samples(first, count);
    pass.times = times;
    if (bar.initial) pass.initial_bar = bar.initial.samples(first, count);
    if (!bar.times.empty()) pass.times_bar = bar.times.subspan(std::size_t(first), std::size_t(count));
    return pass;
  };
  // The last part on samples [first, first + v.batch): forward, loss, and back to v̄ (empty: not asked for).
  const auto last_part = [&](Workspace& workspace, Index lane, Index first, std::span<const T> times,
                             View<const T, D> v, View<T, D> vbar) {
    const ArenaScope scope(workspace.trace);
    PassType pass = make_pass(workspace, first, v.batch, times);
    typename Back::template Trace<PassType> trace;
    const View<T, D> y = pass.keep_uninitialised(v, E::outputs), ybar = pass.keep(v, E::outputs);
    detail::evaluate<Back, PassType>(model.values().subspan(before), v, y, trace, pass, Write::set);
    detail::scale_factor<M>(y, model.factor_scale());
    const View<const T, D> seen = fine.at_given(y, pass);  // what the loss sees
    const View<T, D> seen_bar = fine.given_bar(ybar, pass);
    if constexpr (M::stochastic) {
      const View<T, D> mean = pass.keep_uninitialised(seen, S::channels);
      detail::mean_into<T, D>(given.samples(first, v.batch), seen, mean);
      constexpr Index factors = S::rank * S::channels;
      values[lane] +=
          loss(LawBlock<T, D>{first, mean, seen.slice(S::channels, factors), seen_bar.slice(0, S::channels),
                              seen_bar.slice(S::channels, factors)});
    } else {
      values[lane] += loss(FieldBlock<T, D>{first, seen, seen_bar});
    }
    fine.spread(seen_bar, ybar);
    if (M::stochastic && bar.initial)  // m = u_0 + A
      for (Index r = 0; r < ybar.rows(); ++r)
        for (Index c = 0; c < S::channels; ++c) pass.initial_bar.row(r)[c] += ybar.row(r)[c];
    detail::scale_factor<M>(ybar, model.factor_scale());
    detail::adjoint<Back, PassType>(model.values().subspan(before), ybar, trace,
                                    std::span<T>(sums[lane] + before, Back::parameters), vbar, pass,
                                    Write::set);
  };

  const auto block = [&](Index lane, Workspace& workspace, Index first, Index count) {
    if (!sums[lane]) sums[lane] = device.template lane_sum<T>(lane, M::parameters, step.summed());
    const auto input = detail::block_input<M>(model, fine.condition, first, count, workspace);
    const View<T, D> x = input.x;
    PassType pass = make_pass(workspace, first, count, input.times);
    View<T, D> xbar{};
    if (bar.wanted()) xbar = pass.keep(x, E::inputs);
    if constexpr (Parts::possible) {
      using Before = typename Parts::Before;
      typename Before::template Trace<PassType> trace;
      const View<T, D> v = pass.keep_uninitialised(x, Before::outputs);
      const View<T, D> vbar = pass.keep_uninitialised(x, Before::outputs);
      detail::evaluate<Before, PassType>(model.values().first(before), x, v, trace, pass, Write::set);
      const Index few = detail::samples_of_last_part(u.points());
      for (Index at = 0; at < count; at += few) {
        const Index n = std::min(few, count - at);
        last_part(workspace, lane, first + at, input.times.subspan(std::size_t(at), std::size_t(n)),
                  v.samples(at, n), vbar.samples(at, n));
      }
      Before::template vjp<PassType>(model.values().first(before), vbar, trace,
                                     std::span<T>(sums[lane], before), xbar, pass);
    } else {
      last_part(workspace, lane, first, input.times, x, xbar);
    }
    if (bar.wanted()) assemble_adjoint<S, T, D>(xbar, first, bar);
  };
  for (Index begin = 0; begin < u.batch; begin += step.round()) {
    const Index samples = std::min(step.round(), u.batch - begin);
    if (step.spectra()) step.spectra()->begin(begin, samples);
    detail::for_each_block(device, samples, u.points(), Index(M::parameters),
                           [&](Index lane, Workspace& workspace, Index first, Index count) {
                             block(lane, workspace, begin + first, count);
                           });
    step.collect(gradient.values(), u.grid, begin == 0 ? Write::set : Write::add);
  }

  fine.pull_back();
  double value = 0;
  for (Index lane = 0; lane < Cpu::most_lanes; ++lane) {
    value += values[lane];
    if (sums[lane]) lanes = lane + 1;
  }
  device.add_lane_sums(lanes, gradient.values().data(), step.summed(), Write::set);
  return value;
}

/// The vector–Jacobian product: cotangents of mean and factor in, gradient of the parameters out.
template <class E, class S, class T>
void vjp(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
         const Field<T, S::dimension>& mean_bar, const Field<T, S::dimension>& factor_bar,
         Model<E, S, T>& gradient, Cpu& device = default_device(),
         const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::require_like<T, D>("vjp", "mean_bar", mean_bar.view(), condition.initial, S::channels);
  detail::require_like<T, D>("vjp", "factor_bar", factor_bar.view(), condition.initial,
                             S::rank * S::channels);
  const auto copy = [](View<const T, D> from, View<T, D> to) {
    for (Index r = 0; r < to.rows(); ++r) std::copy_n(from.row(r), to.channels, to.row(r));
  };
  value_and_gradient(
      model, condition,
      [&](const LawBlock<T, D>& block) {
        copy(mean_bar.view().samples(block.first, block.mean.batch), block.mean_bar);
        copy(factor_bar.view().samples(block.first, block.mean.batch), block.factor_bar);
        return 0.0;
      },
      gradient, device, bar);
}

/// The same for a deterministic operator: the cotangent of its field in.
template <class E, class S, class T>
requires(!Model<E, S, T>::stochastic) void vjp(const Model<E, S, T>& model,
                                               const Condition<T, S::dimension>& condition,
                                               const Field<T, S::dimension>& field_bar,
                                               Model<E, S, T>& gradient, Cpu& device = default_device(),
                                               const ConditionBar<T, S::dimension>& bar = {}) {
  constexpr int D = S::dimension;
  detail::require_like<T, D>("vjp", "field_bar", field_bar.view(), condition.initial, S::channels);
  value_and_gradient(
      model, condition,
      [&](const FieldBlock<T, D>& block) {
        const auto from = field_bar.view().samples(block.first, block.value.batch);
        for (Index r = 0; r < from.rows(); ++r) std::copy_n(from.row(r), S::channels, block.value_bar.row(r));
        return 0.0;
      },
      gradient, device, bar);
}

}  // namespace mno

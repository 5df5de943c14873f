#pragma once
// A loss of the predicted law and its gradient, block by block: forward, loss, vjp, next block.
//
// The loss is a function of blocks: it is given the law of some samples, writes the cotangents of mean and
// factor, and returns its value. Losses are therefore sums of per-sample terms, and memory is that of a
// block.
#include "mno/model/predict.hpp"

namespace mno {

/// The law of samples [first, first + mean.batch), and where its cotangents go (zeroed before).
template <class T, int D> struct LawBlock {
  Index first = 0;
  View<const T, D> mean, factor;
  View<T, D> mean_bar, factor_bar;
};
/// The same for a deterministic operator.
template <class T, int D> struct FieldBlock {
  Index first = 0;
  View<const T, D> value;
  View<T, D> value_bar;
};

/// Returns Σ_blocks loss(block) and sets `gradient` to its derivative in the model's parameters. The
/// derivative with respect to the condition is added to the members of `bar` that are given.
template <class E, class S, class T, class Loss>
double value_and_gradient(const Model<E, S, T>& model, const Condition<T, S::dimension>& condition,
                          Loss&& loss, Model<E, S, T>& gradient, Cpu& device = default_device(),
                          const ConditionBar<T, S::dimension>& bar = {}) {
  using M = Model<E, S, T>;
  constexpr int D = S::dimension;
  check<S>("value_and_gradient", condition, model.domain(), model.stored_known_fields().size() > 0);
  const auto& u = condition.initial;
  if (bar.initial)
    detail::require_like<T, D>("value_and_gradient", "bar.initial", bar.initial, u, S::channels);
  if (bar.known)
    detail::require_like<T, D>("value_and_gradient", "bar.known", bar.known, u, known_fields<S>());
  require(bar.times.empty() || Index(bar.times.size()) == u.batch, "value_and_gradient", "bar.times",
          text("one per sample, ", u.batch), text(bar.times.size()));

  double values[Cpu::most_lanes] = {};
  T* sums[Cpu::most_lanes] = {};
  Index lanes = 0;
  detail::for_each_block(
      device, u.batch, u.points(), [&](Index lane, Workspace& workspace, Index first, Index count) {
        if (!sums[lane]) sums[lane] = device.template lane_sum<T>(lane, M::parameters);
        detail::BlockPass<M> block(model, condition, first, count, workspace);
        auto& pass = block.pass;
        const View<T, D> ybar = pass.keep(block.y, E::outputs);
        if constexpr (M::stochastic) {
          const View<T, D> mean = pass.keep(block.y, S::channels);
          block.mean_into(mean);
          constexpr Index factors = S::rank * S::channels;
          values[lane] += loss(LawBlock<T, D>{first, mean, block.y.slice(S::channels, factors),
                                              ybar.slice(0, S::channels), ybar.slice(S::channels, factors)});
        } else {
          values[lane] += loss(FieldBlock<T, D>{first, block.y, ybar});
        }

        View<T, D> xbar{};
        if (bar.wanted()) {
          xbar = pass.keep(block.x, E::inputs);
          if (bar.initial) pass.initial_bar = bar.initial.samples(first, count);
          if (!bar.times.empty()) pass.times_bar = bar.times.subspan(std::size_t(first), std::size_t(count));
        }
        block.scale_factor(ybar, model.factor_scale());
        E::template vjp<Pass<T, D>>(model.values(), ybar, block.trace,
                                    std::span<T>(sums[lane], M::parameters), xbar, pass);
        if (!bar.wanted()) return;
        assemble_adjoint<S, T, D>(xbar, first, bar);
        if (M::stochastic && bar.initial)  // m = u_0 + A
          for (Index b = 0; b < count; ++b)
            for (Index p = 0; p < u.points(); ++p)
              for (Index c = 0; c < S::channels; ++c) bar.initial(first + b, p, c) += ybar(b, p, c);
      });

  double value = 0;
  for (Index lane = 0; lane < Cpu::most_lanes; ++lane) {
    value += values[lane];
    if (sums[lane]) lanes = lane + 1;
  }
  std::fill_n(gradient.values().data(), M::parameters, T(0));
  device.add_lane_sums(lanes, gradient.values().data(), M::parameters);
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

}  // namespace mno

#pragma once
// A loss of what an expression gives, and its gradient, block by block: forward, loss, back, next block.
//
// `Work` says what a step is about:
//   Index batch() const;  Grid<D> grid() const;          of the expression's input
//   void condition(Pass&, Index first, Index count);     puts what layers read beside x into the pass
//   View<T, D> input(Pass&, Index first, Index count);   x of these samples
//   double loss(Pass&, Index first, y, ȳ);               their loss; adds to ȳ, zeroed before
//   bool wants_input_bar() const;                        is x̄ asked for?
//   void take_input_bar(Pass&, Index first, x̄);
// Losses are therefore sums of terms per sample, and memory is that of a block.
#include "mno/expression/chain.hpp"
#include "mno/expression/step.hpp"

namespace mno::detail {

/// The runs of a chain but the last, and the last. The heads are the widest part of an operator: they run on
/// a few samples of a block at a time, forward, loss and back, so that what they keep stays in cache while
/// the layers before them work on the whole block.
struct NoFront {
  static constexpr std::size_t parameters = 0;
};
template <class E> struct FrontAndBack {
  using Front = NoFront;
  using Back = E;
};
template <class Done, class... Ls> struct SplitRuns;
template <class... Done, class A, class B, class... Ls>
struct SplitRuns<Parts<Done...>, A, B, Ls...> : SplitRuns<Parts<Done..., A>, B, Ls...> {};
template <class... Done, class L> struct SplitRuns<Parts<Done...>, L> {
  using Front = Sequence<Done...>;
  using Back = L;
};
template <class L> struct SplitRuns<Parts<>, L> {
  using Front = NoFront;
  using Back = L;
};
template <class... Ls> struct FrontAndBack<Sequence<Ls...>> : SplitRuns<Parts<>, Ls...> {};
template <class E>
requires requires { typename E::runs; }
struct FrontAndBack<E> : FrontAndBack<typename E::runs> {};

template <class E, class T, int D, class Work> class PullBack {
 public:
  using PassType = Pass<T, D>;
  using Front = typename FrontAndBack<E>::Front;
  using Back = typename FrontAndBack<E>::Back;
  static constexpr bool has_front = !std::is_same_v<Front, NoFront>;

  PullBack(std::span<const T> weights, Work& work, const BlockSizes& sizes, Cpu& device)
      : weights_(weights),
        work_(work),
        sizes_(sizes),
        device_(device),
        step_(weights, work.grid(), work.batch(), sizes, device, [&](PassType& pass) { rehearse(pass); }) {}

  /// Sets `gradient`, and returns the loss.
  double run(std::span<T> gradient) {
    double values[Cpu::most_lanes] = {};
    T* sums[Cpu::most_lanes] = {};
    for (Index begin = 0; begin < work_.batch(); begin += step_.round()) {
      const Index samples = std::min(step_.round(), work_.batch() - begin);
      step_.begin(begin, samples);
      for_each_block(device_, samples, sizes_.samples,
                     [&](Index lane, Workspace& workspace, Index first, Index count) {
                       if (!sums[lane])
                         sums[lane] = device_.template lane_sum<T>(lane, E::parameters, step_.summed());
                       values[lane] += block(workspace, begin + first, count, {sums[lane], E::parameters});
                     });
      step_.collect(gradient, begin == 0 ? Write::set : Write::add);
    }
    Index lanes = 0;
    double value = 0;
    for (Index lane = 0; lane < Cpu::most_lanes; ++lane) {
      value += values[lane];
      if (sums[lane]) lanes = lane + 1;
    }
    device_.add_lane_sums(lanes, gradient.data(), step_.summed(), Write::set);
    return value;
  }

 private:
  std::span<const T> front(std::span<const T> w) const { return w.first(Front::parameters); }
  std::span<T> front(std::span<T> w) const { return w.first(Front::parameters); }
  template <class Span> static Span back(Span w) { return w.subspan(Front::parameters); }

  /// Forward, loss and back of a block.
  double block(Workspace& workspace, Index first, Index count, std::span<T> wbar) {
    workspace.trace.release();
    workspace.scratch.release();
    PassType pass = step_.pass(workspace, first);
    work_.condition(pass, first, count);
    const View<const T, D> x = work_.input(pass, first, count);
    const View<T, D> xbar = work_.wants_input_bar() ? pass.keep_uninitialised(x, E::inputs) : View<T, D>{};
    double value = 0;
    if constexpr (has_front) {
      TraceOf<Front, PassType> trace;
      const Grid<D> grid = output_grid<Front>(x.grid);
      const View<T, D> v = pass.keep_uninitialised(count, grid, Front::outputs);
      const View<T, D> vbar = pass.keep_uninitialised(count, grid, Front::outputs);
      forward_of<Front, PassType>(front(weights_), x, v, trace, pass, Write::set);
      for (Index at = 0; at < count; at += sizes_.last_part) {
        const Index n = std::min(sizes_.last_part, count - at);
        value += last_part(workspace, pass.visits, first + at, v.samples(at, n), vbar.samples(at, n), wbar);
      }
      vjp_of<Front, PassType>(front(weights_), vbar, trace, front(wbar), xbar, pass, Write::set);
    } else {
      value = last_part(workspace, pass.visits, first, x, xbar, wbar);
    }
    if (xbar) work_.take_input_bar(pass, first, xbar);
    return value;
  }

  /// The last part on some samples of a block: forward, loss, and back to v̄ (empty: not asked for).
  double last_part(Workspace& workspace, VisitCounts visits, Index first, View<const T, D> v, View<T, D> vbar,
                   std::span<T> wbar) {
    const ArenaScope scope(workspace.trace);
    PassType pass = step_.pass(workspace, first);
    pass.visits = visits;
    work_.condition(pass, first, v.batch);
    TraceOf<Back, PassType> trace;
    const View<T, D> y = pass.keep_uninitialised(v.batch, output_grid<Back>(v.grid), E::outputs);
    forward_of<Back, PassType>(back(weights_), v, y, trace, pass, Write::set);
    const View<T, D> ybar = pass.keep(y, E::outputs);
    const double value = work_.loss(pass, first, y, ybar);
    vjp_of<Back, PassType>(back(weights_), ybar, trace, back(wbar), vbar, pass, Write::set);
    return value;
  }

  void rehearse(PassType& pass) {
    work_.condition(pass, 0, 1);
    const View<const T, D> x = work_.input(pass, 0, 1);
    TraceOf<E, PassType> trace;
    const View<T, D> y = pass.keep_uninitialised(1, output_grid<E>(x.grid), E::outputs);
    forward_of<E, PassType>(weights_, x, y, trace, pass, Write::set);
  }

  std::span<const T> weights_;
  Work& work_;
  BlockSizes sizes_;
  Cpu& device_;
  Step<E, T, D> step_;
};

/// The loss of `work` under these weights; `gradient` is set to its derivative.
template <class E, class T, int D, class Work>
double pull_back(std::span<const T> weights, Work& work, std::span<T> gradient, const BlockSizes& sizes,
                 Cpu& device) {
  return PullBack<E, T, D, Work>(weights, work, sizes, device).run(gradient);
}

}  // namespace mno::detail

#pragma once
// A loss of an expression's output, and its gradient, block by block: forward, loss, back, next block.
//
// `Work` says what a step is about:
//   Index batch() const;  Grid<D> grid() const;          of the expression's input
//   void condition(Pass&, Index first, Index count);     puts what layers read beside x into the pass
//   View<T, D> input(Pass&, Index first, Index count);   x of these samples
//   double loss(Pass&, Index first, y, ȳ);               their loss; adds to ȳ, zeroed before
//   bool wants_input_bar() const;                        is x̄ asked for?
//   void take_input_bar(Pass&, Index first, x̄);
// Losses are therefore sums of terms per sample, and memory is that of a block. Loss and gradient are summed
// in the tree of core/tree.hpp.
#include "mno/expression/chain.hpp"
#include "mno/expression/rank_sums.hpp"
#include "mno/expression/step.hpp"

namespace mno::detail {

/// A chain is cut into its last run and the runs before it. The last has the heads, the widest part of an
/// operator: they run on a few samples of a block at a time, forward, loss and back, so that what they keep
/// stays in cache. The layers before them work on the whole block.
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
        shards_{work.batch(), sizes.samples},
        step_(weights, work.grid(), shards_, sizes, device, [&](PassType& pass) { rehearse(pass); }) {}

  const Shards& shards() const { return shards_; }

  /// Sets `gradient`, and returns the loss. On a device of several ranks every rank computes its share of the
  /// shards and gets its slice of the sum; `all_gather` puts slices together where all are wanted.
  double run(std::span<T> gradient) {
    double values[Shards::most];
    Communicator& ranks = device_.communicator();
    const TreeStack nodes = run(shards_.part(ranks.rank(), ranks.size()), gradient, values);
    if (ranks.size() > 1) {
      const T* own[TreeStack::most];
      for (Index k = 0; k < nodes.size(); ++k) own[k] = k == 0 ? gradient.data() : node(k).data();
      add_ranks<T>(device_, shards_, {own, std::size_t(nodes.size())}, gradient, values);
    }
    return tree_sum({values, std::size_t(shards_.count())});
  }

  /// The same for a run of shards: sums over the nodes of the tree that it is made of, the first in
  /// `gradient`, the others in `node(1)`, `node(2)`, …; and the loss of each of its shards, at its place
  /// among all.
  TreeStack run(ShardRange range, std::span<T> gradient, double* values) {
    TreeStack nodes(shards_.count());
    while (range.begin < range.end) {
      // A round: nodes whose coefficients are kept together.
      Index end = range.begin;
      while (end < range.end) {
        const ShardRange more = shards_.of(shards_.node({end, range.end}, step_.round()));
        if (end > range.begin && more.end - range.begin > step_.round()) break;
        end = more.end;
      }
      sum_round({range.begin, end}, values);
      while (range.begin < end) {
        const TreeNode node = shards_.node({range.begin, end}, step_.round());
        const std::span<T> to = nodes.size() == 0 ? gradient : this->node(nodes.size());
        take_sums(node, to);
        step_.collect(to, node);
        nodes.push(node, [&](Index left, Index right) {
          const Cpu::Range all[] = {{0, E::parameters}};
          add<T>(device_, left == 0 ? gradient.data() : this->node(left).data(), this->node(right).data(),
                 all);
        });
        range.begin = shards_.of(node).end;
      }
    }
    return nodes;
  }
  std::span<T> node(Index position) {
    return {step_.memory().node(position - 1, E::parameters), E::parameters};
  }

 private:
  std::span<const T> front(std::span<const T> w) const { return w.first(Front::parameters); }
  std::span<T> front(std::span<T> w) const { return w.first(Front::parameters); }
  template <class Span> static Span back(Span w) { return w.subspan(Front::parameters); }

  /// Forward, loss and back of all shards of a round: every thread sums over the nodes that lie whole in its
  /// run of them.
  void sum_round(const ShardRange& round, double* values) {
    const Index first = shards_.first_sample(round.begin);
    step_.begin(first, shards_.first_sample(round.end) - first);
    team_ = device_.team(round.end - round.begin);
    device_.for_each_run(round.end - round.begin, [&](const Cpu::Run& run, Workspace& workspace) {
      TreeStack& stack = step_.memory().threads[std::size_t(run.thread)].stack = TreeStack(shards_.count());
      for (Index shard = round.begin + run.begin; shard < round.begin + run.end; ++shard) {
        T* const sum = thread_sum(run.thread, stack.size());
        for (const Cpu::Range& range : step_.summed()) std::fill(sum + range.begin, sum + range.end, T(0));
        double value = 0;
        const Index end = shards_.first_sample(shard + 1);
        for (Index at = shards_.first_sample(shard); at < end; at += sizes_.samples)
          value += block(workspace, at, std::min(sizes_.samples, end - at), {sum, E::parameters});
        values[shard] = value;
        stack.push({shard, 1}, [&](Index left, Index right) {
          add_part<T>(thread_sum(run.thread, left), thread_sum(run.thread, right), step_.summed(), 0, 1);
        });
      }
    });
  }

  /// to = the sum of the threads' parts of a node, for the parameters that are summed; one thread adds up
  /// each number.
  void take_sums(const TreeNode& node, std::span<T> to) {
    TreeStack stack(shards_.count());
    T* sums[TreeStack::most];
    struct Addition {
      T *to, *from;
    };
    Addition additions[Shards::most];
    std::size_t count = 0;
    for (Index thread = 0; thread < team_; ++thread) {
      const TreeStack& own = step_.memory().threads[std::size_t(thread)].stack;
      for (Index i = 0; i < own.size(); ++i) {
        if (own[i].begin < node.begin || own[i].begin >= node.begin + node.width) continue;
        sums[stack.size()] = thread_sum(thread, i);
        stack.push(own[i], [&](Index left, Index right) { additions[count++] = {sums[left], sums[right]}; });
      }
    }
    const Index pieces = device_.threads();
    device_.for_each(pieces, [&](Index piece, Workspace&) {
      for (const Addition& a : std::span(additions, count))
        add_part<T>(a.to, a.from, step_.summed(), piece, pieces);
      for_each_part(step_.summed(), piece, pieces, [&](std::size_t begin, std::size_t n) {
        std::copy_n(sums[0] + begin, n, to.data() + begin);
      });
    });
  }

  T* thread_sum(Index thread, Index position) const {
    return step_.memory().thread_node(thread, position, E::parameters);
  }
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
  Shards shards_;
  Index team_ = 1;  // threads of the round
  Step<E, T, D> step_;
};

/// The loss of `work` under these weights; `gradient` is set to its derivative.
template <class E, class T, int D, class Work>
double pull_back(std::span<const T> weights, Work& work, std::span<T> gradient, const BlockSizes& sizes,
                 Cpu& device) {
  return PullBack<E, T, D, Work>(weights, work, sizes, device).run(gradient);
}

}  // namespace mno::detail

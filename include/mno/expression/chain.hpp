#pragma once
// a >> b >> c: one after the other.
#include "mno/expression/patterns.hpp"

namespace mno {

namespace detail {
/// The sentence of a wrong chain is in the name of this type, which compilers print with both sides.
template <class A, class B> struct Joined {
  static_assert(
      A::outputs == B::inputs,
      "mno: a >> b needs as many output channels of a as b has input channels; the two layers and their "
      "channel counts are named in the template arguments of detail::ChannelsMustAgree");
};
template <class A, class B, int OutputsOfA, int InputsOfB> struct ChannelsMustAgree : Joined<A, B> {};

template <class... Ls> struct Ends;
template <class L> struct Ends<L> { static constexpr int inputs = L::inputs, outputs = L::outputs; };
template <class A, class B, class... Ls>
struct Ends<A, B, Ls...> : ChannelsMustAgree<A, B, A::outputs, B::inputs> {
  static constexpr int inputs = A::inputs, outputs = Ends<B, Ls...>::outputs;
};
}  // namespace detail

template <Layer... Ls> struct Chain : Node<Ls...> {
  using expression = Chain;
  static constexpr int inputs = detail::Ends<Ls...>::inputs, outputs = detail::Ends<Ls...>::outputs;
  /// What runs: patterns of links that have a kernel are one step.
  using runs = detail::RunsOf<Ls...>;
  template <class Pass> using Trace = typename runs::template Trace<Pass>;

  template <int D> static Grid<D> grid(const Grid<D>& g) { return runs::grid(g); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    runs::template forward<Pass>(w, x, y, trace, pass, write);
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    runs::template vjp<Pass>(w, ybar, trace, wbar, xbar, pass, write);
  }
};

namespace detail {
/// Chains inside chains are opened, so that a >> b >> c and a >> (b >> c) are the same type. A struct that
/// derives from a chain is a part of its own.
template <class L> struct Links { using type = Parts<L>; };
template <class... Ls> struct Links<Chain<Ls...>> { using type = Parts<Ls...>; };
template <class A, class B> struct ChainOf;
template <class... As, class... Bs> struct ChainOf<Parts<As...>, Parts<Bs...>> {
  using type = Chain<As..., Bs...>;
};
}  // namespace detail

template <Layer A, Layer B> constexpr auto operator>>(A, B) {
  return typename detail::ChainOf<typename detail::Links<A>::type, typename detail::Links<B>::type>::type{};
}

}  // namespace mno

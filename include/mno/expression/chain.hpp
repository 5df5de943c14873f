#pragma once
// a >> b >> c: one after the other.
#include "mno/expression/node.hpp"

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
template <class L> struct Ends<L> {
  static constexpr int inputs = L::inputs, outputs = L::outputs;
  static constexpr bool agree = true;
};
template <class A, class B, class... Ls>
struct Ends<A, B, Ls...> : ChannelsMustAgree<A, B, A::outputs, B::inputs> {
  static constexpr int inputs = A::inputs, outputs = Ends<B, Ls...>::outputs;
};
}  // namespace detail

template <Layer... Ls> struct Chain : Node<Ls...> {
  using expression = Chain;
  using Base = Node<Ls...>;
  template <std::size_t I> using Part = typename Base::template Part<I>;
  template <class Pass> using Trace = typename Base::template Trace<Pass>;
  static constexpr int inputs = detail::Ends<Ls...>::inputs, outputs = detail::Ends<Ls...>::outputs;

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    evaluate<Pass>(w, x, y, trace, pass, Write::add);
  }
  template <class Pass>
  static void evaluate(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                       Write write) {
    evaluate_from<0, Pass>(w, x, y, trace, pass, write);
  }

  /// x̄ = J_1ᵀ ⋯ J_nᵀ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    adjoint<Pass>(w, ybar, trace, wbar, xbar, pass, Write::add);
  }
  template <class Pass>
  static void adjoint(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                      Out<Pass> xbar, Pass& pass, Write write) {
    adjoint_from<sizeof...(Ls) - 1>(w, ybar, trace, wbar, xbar, pass, write);
  }

 private:
  template <std::size_t I, class Pass>
  static void evaluate_from(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass,
                            Write write) {
    const auto part_w = Base::template slice<I>(w);
    if constexpr (I + 1 == sizeof...(Ls)) {
      detail::evaluate<Part<I>, Pass>(part_w, x, y, std::get<I>(trace.parts), pass, write);
    } else {
      const Out<Pass> z = pass.keep_uninitialised(x, Part<I>::outputs);
      detail::evaluate<Part<I>, Pass>(part_w, x, z, std::get<I>(trace.parts), pass, Write::set);
      evaluate_from<I + 1, Pass>(w, z, y, trace, pass, write);
    }
  }
  template <std::size_t I, class Pass>
  static void adjoint_from(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                           Out<Pass> xbar, Pass& pass, Write write) {
    const auto part_w = Base::template slice<I>(w);
    const auto part_wbar = Base::template slice<I>(wbar);
    const auto& part_trace = std::get<I>(trace.parts);
    if constexpr (I == 0) {
      detail::adjoint<Part<I>, Pass>(part_w, ybar, part_trace, part_wbar, xbar, pass, write);
    } else {
      const auto scope = pass.scope();
      const Out<Pass> zbar = pass.scratch_uninitialised(ybar, Part<I>::inputs);
      detail::adjoint<Part<I>, Pass>(part_w, ybar, part_trace, part_wbar, zbar, pass, Write::set);
      adjoint_from<I - 1, Pass>(w, zbar, trace, wbar, xbar, pass, write);
    }
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

// Patterns that have a kernel of their own: whoever sees chains sees these too.
#include "mno/expression/fourier.hpp"
#include "mno/expression/perceptron.hpp"

#pragma once
// a + b: both see the same input, their outputs add up. skip(a) is a + identity.
#include "mno/expression/node.hpp"
#include "mno/layer/identity.hpp"

namespace mno {

template <Layer First, Layer... Ls> struct Sum : Node<First, Ls...> {
  static_assert(((Ls::inputs == First::inputs) && ...),
                "mno: a + b needs the same number of input channels on both sides");
  static_assert(((Ls::outputs == First::outputs) && ...),
                "mno: a + b needs the same number of output channels on both sides");
  using expression = Sum;
  using Base = Node<First, Ls...>;
  template <class Pass> using Trace = typename Base::template Trace<Pass>;
  static constexpr int inputs = First::inputs, outputs = First::outputs;

  template <int D> static Grid<D> grid(const Grid<D>& g) {
    return detail::common_grid<First, Ls...>("a + b", g);
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    Base::for_each_part([&](auto i) {
      forward_of<typename Base::template Part<i>, Pass>(
          Base::template slice<i>(w), x, y, std::get<i>(trace.parts), pass, i == 0 ? write : Write::add);
    });
  }

  /// x̄ = Σ_i J_iᵀ ȳ
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    Base::for_each_part([&](auto i) {
      vjp_of<typename Base::template Part<i>, Pass>(Base::template slice<i>(w), ybar,
                                                    std::get<i>(trace.parts), Base::template slice<i>(wbar),
                                                    xbar, pass, i == 0 ? write : Write::add);
    });
  }
};

namespace detail {
template <class L> struct Summands { using type = Parts<L>; };
template <class... Ls> struct Summands<Sum<Ls...>> { using type = Parts<Ls...>; };
template <class A, class B> struct SumOf;
template <class... As, class... Bs> struct SumOf<Parts<As...>, Parts<Bs...>> {
  using type = Sum<As..., Bs...>;
};
}  // namespace detail

template <Layer A, Layer B> constexpr auto operator+(A, B) {
  return
      typename detail::SumOf<typename detail::Summands<A>::type, typename detail::Summands<B>::type>::type{};
}

/// x + a(x)
template <Layer A> constexpr auto skip(A a) {
  static_assert(A::inputs == A::outputs, "mno: skip(a) needs as many output channels of a as input channels");
  return a + Identity<A::inputs>{};
}

}  // namespace mno

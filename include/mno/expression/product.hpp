#pragma once
// a * b: both see the same input, their outputs are multiplied number by number: a gate that is a field, say,
// or noise whose size depends on the solution.
#include "mno/device/packet.hpp"
#include "mno/expression/node.hpp"

namespace mno {

template <Layer A, Layer B> struct Product : Node<A, B> {
  static_assert(A::inputs == B::inputs, "mno: a * b needs the same number of input channels on both sides");
  static_assert(A::outputs == B::outputs,
                "mno: a * b needs the same number of output channels on both sides");
  using expression = Product;
  using Base = Node<A, B>;
  static constexpr int inputs = A::inputs, outputs = A::outputs;

  template <class Pass> struct Trace {
    TraceOf<A, Pass> first;
    TraceOf<B, Pass> second;
    In<Pass> a, b;  // a(x), b(x)
  };

  template <int D> static Grid<D> grid(const Grid<D>& g) { return detail::common_grid<A, B>("a * b", g); }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    const Out<Pass> a = pass.keep_uninitialised(y, outputs), b = pass.keep_uninitialised(y, outputs);
    forward_of<A, Pass>(Base::template slice<0>(w), x, a, trace.first, pass, Write::set);
    forward_of<B, Pass>(Base::template slice<1>(w), x, b, trace.second, pass, Write::set);
    trace.a = a;
    trace.b = b;
    pass.multiply(trace.a, trace.b, y, write);
  }

  /// ā = b ȳ,  b̄ = a ȳ,  x̄ = J_aᵀ ā + J_bᵀ b̄
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    const auto scope = pass.scope();
    const Out<Pass> bar = pass.scratch_uninitialised(ybar, outputs);
    pass.multiply(trace.b, ybar, bar, Write::set);
    vjp_of<A, Pass>(Base::template slice<0>(w), bar, trace.first, Base::template slice<0>(wbar), xbar, pass,
                    write);
    pass.multiply(trace.a, ybar, bar, Write::set);
    vjp_of<B, Pass>(Base::template slice<1>(w), bar, trace.second, Base::template slice<1>(wbar), xbar, pass,
                    Write::add);
  }
};

template <Layer A, Layer B> constexpr Product<A, B> operator*(A, B) { return {}; }

}  // namespace mno

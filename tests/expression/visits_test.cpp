// Right for every expression: layers that are visited several times, on several grids, by nodes and leaves
// that the library does not know. Each is tried in a plain pass and as it is trained.
#include <doctest/doctest.h>

#include "gradients.hpp"
#include "mno/expression/chain.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/recomputed.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/expression/text.hpp"
#include "mno/layer/activation.hpp"
#include "mno/layer/noise.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/spectral.hpp"

using namespace mno;
using namespace mno::test;

namespace {

using Block = Chain<Sum<SpectralConv<3, 3, 1, 3>, Pointwise<3, 3>>, Gelu<3>>;
using Plane = Chain<Sum<SpectralConv<2, 2, 2, 2>, Pointwise<2, 2>>, Gelu<2>>;

/// A user's node: a(a(x)), with one set of weights, written by hand.
template <class A> struct Twice : Node<A> {
  static constexpr int inputs = A::inputs, outputs = A::outputs;
  template <class Pass> struct Trace { TraceOf<A, Pass> first, second; };

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    const Out<Pass> z = pass.keep_uninitialised(x, outputs);
    forward_of<A, Pass>(w, x, z, trace.first, pass, Write::set);
    forward_of<A, Pass>(w, z, y, trace.second, pass, Write::add);
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    const auto scope = pass.scope();
    const Out<Pass> zbar = pass.scratch_uninitialised(ybar, inputs);
    vjp_of<A, Pass>(w, ybar, trace.second, wbar, zbar, pass, Write::set);
    vjp_of<A, Pass>(w, zbar, trace.first, wbar, xbar, pass, Write::add);
  }
};

/// A user's leaf that keeps two layers inside, of which the walk over leaves knows nothing.
struct Hidden {
  using Convolution = SpectralConv<3, 3, 1, 3>;
  using Linear = Pointwise<3, 3>;
  static constexpr int inputs = 3, outputs = 3;
  static constexpr const char* name = "hidden";
  static constexpr std::array leaves{parameter("all", Convolution::parameters + Linear::parameters)};
  static constexpr std::size_t parameters = total(leaves);
  template <class Pass> struct Trace {
    TraceOf<Convolution, Pass> convolution;
    TraceOf<Linear, Pass> linear;
  };
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    for (T& value : w) value = T(random.uniform());
  }
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    forward_of<Linear, Pass>(w.first(Linear::parameters), x, y, trace.linear, pass, Write::add);
    forward_of<Convolution, Pass>(w.subspan(Linear::parameters), x, y, trace.convolution, pass, Write::add);
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    vjp_of<Linear, Pass>(w.first(Linear::parameters), ybar, trace.linear, wbar.first(Linear::parameters),
                         xbar, pass, Write::add);
    vjp_of<Convolution, Pass>(w.subspan(Linear::parameters), ybar, trace.convolution,
                              wbar.subspan(Linear::parameters), xbar, pass, Write::add);
  }
};

/// Every second point: a layer that changes the grid.
template <int Channels> struct EverySecond {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = "every-second";
  static constexpr std::array<Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;
  template <class Pass> struct Trace {};
  template <class T> static void initialise(std::span<T>, Stream&) {}
  template <int D> static Grid<D> grid(Grid<D> g) {
    static_assert(D == 1);
    g.points[0] /= 2;
    return g;
  }
  template <class Pass> static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>&, Pass&) {
    for (Index b = 0; b < y.batch; ++b)
      for (Index p = 0; p < y.points(); ++p)
        for (Index c = 0; c < Channels; ++c) y(b, p, c) += x(b, 2 * p, c);
  }
  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>&, WeightsBar<Pass>, Out<Pass> xbar, Pass&) {
    for (Index b = 0; b < ybar.batch; ++b)
      for (Index p = 0; p < ybar.points(); ++p)
        for (Index c = 0; c < Channels; ++c) xbar(b, 2 * p, c) += ybar(b, p, c);
  }
};

/// One set of weights on two grids: a on the grid, and again on every second point.
template <class A> struct OnTwoGrids : Twice<A> {
  using Down = EverySecond<A::outputs>;
  template <int D> static Grid<D> grid(const Grid<D>& g) { return Down::grid(g); }
  template <class Pass> struct Trace : Twice<A>::template Trace<Pass> { Grid<Pass::dimension> fine; };
  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    typename Down::template Trace<Pass> nothing;
    trace.fine = x.grid;
    const Out<Pass> z = pass.keep_uninitialised(x, A::outputs);
    const Out<Pass> coarse = pass.keep_uninitialised(x.batch, Down::grid(x.grid), A::outputs);
    forward_of<A, Pass>(w, x, z, trace.first, pass, Write::set);
    forward_of<Down, Pass>({}, z, coarse, nothing, pass, Write::set);
    forward_of<A, Pass>(w, coarse, y, trace.second, pass, Write::add);
  }
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass) {
    const auto scope = pass.scope();
    const Out<Pass> coarse_bar = pass.scratch_uninitialised(ybar, A::inputs);
    const Out<Pass> zbar = pass.scratch_uninitialised(ybar.batch, trace.fine, A::inputs);
    vjp_of<A, Pass>(w, ybar, trace.second, wbar, coarse_bar, pass, Write::set);
    vjp_of<Down, Pass>({}, coarse_bar, {}, {}, zbar, pass, Write::set);
    vjp_of<A, Pass>(w, zbar, trace.first, wbar, xbar, pass, Write::add);
  }
};

}  // namespace

TEST_CASE("a layer that is visited several times trains with the right gradient") {
  for (const Grid<1>& grid : {lines[0], lines[1], lines[3]}) {
    check_vjp<Tied<3, Block>>(grid);
    check_vjp<Twice<Block>>(grid);
    check_vjp<Twice<SpectralConv<2, 2, 1, 3>>>(grid);
    check_vjp<Chain<Block, Twice<Block>, Tied<2, Chain<Block, Twice<Block>>>>>(grid);
    check_vjp<Repeat<2, Tied<2, Block>>>(grid);
  }
  check_vjp<Tied<2, Plane>>(planes[1]);
  check_vjp<Twice<Plane>>(planes[2]);
}

TEST_CASE("one set of weights on two grids, the coarser of which carries fewer waves") {
  for (const Grid<1>& grid : {lines[0], lines[3], lines[6]}) {
    check_vjp<OnTwoGrids<Block>>(grid);
    check_vjp<Chain<Block, OnTwoGrids<Block>>>(grid);
  }
}

TEST_CASE("layers inside of a user's leaf are neither collected nor taken for prepared") {
  for (const Grid<1>& grid : {lines[1], lines[3]}) {
    check_vjp<Hidden>(grid);
    check_vjp<Chain<Block, Hidden, Tied<2, Hidden>, Block>>(grid);
  }
}

TEST_CASE("a layer may change the grid, anywhere in an expression") {
  for (const Grid<1>& grid : {lines[0], lines[3], lines[6]}) {
    check_vjp<EverySecond<2>>(grid);
    check_vjp<Chain<Block, EverySecond<3>, Block>>(grid);
    check_vjp<Sum<Chain<Block, EverySecond<3>>, Chain<EverySecond<3>, Block>>>(grid);
    check_vjp<Concat<EverySecond<3>, Chain<EverySecond<3>, Pointwise<3, 2>>>>(grid);
    check_vjp<Product<Chain<Block, EverySecond<3>>, EverySecond<3>>>(grid);
  }
  check_vjp<Repeat<2, Chain<Block, EverySecond<3>>>>(lines[3]);
  check_vjp<Tied<2, Chain<Block, EverySecond<3>>>>(lines[3]);
}

TEST_CASE("a product of fields") {
  for (const Grid<1>& grid : {lines[1], lines[3]}) {
    check_vjp<Product<Block, Pointwise<3, 3>>>(grid);
    check_vjp<decltype(Pointwise<2, 3>{} * (Pointwise<2, 3>{} >> Tanh<3>{}) + Pointwise<2, 3>{})>(grid);
  }
}

TEST_CASE("parts side by side on two grids are refused by a sentence") {
  Probe<Sum<Identity<2>, EverySecond<2>>, 1>* probe = nullptr;
  CHECK_THROWS_WITH_AS((probe = new Probe<Sum<Identity<2>, EverySecond<2>>, 1>(lines[3], 1, 1, 1)),
                       "mno: a + b needs parts whose outputs are on one grid; of a field on 8, one part "
                       "makes 8 and another 4.",
                       Error);
  delete probe;
}

namespace {
using Noisy = Chain<Sum<SpectralConv<3, 3, 1, 3>, Pointwise<3, 3>, Noise<3, 3, 1, 3>>, Gelu<3>>;

/// Numbers that a pass keeps for its adjoint, in bytes.
template <class E> std::size_t kept() {
  Workspace workspace;
  Pass<double, 1> pass(workspace);
  const Field<double, 1> x(2, Grid<1>{{32}}, E::inputs);
  Field<double, 1> y(2, x.grid(), E::outputs);
  const std::vector<double> w(E::parameters);
  TraceOf<E, Pass<double, 1>> trace;
  forward_of<E, Pass<double, 1>>(w, x.view(), y.view(), trace, pass, Write::set);
  return workspace.trace.mark().used;
}
}  // namespace

TEST_CASE("recomputed steps: the same values and gradients bit by bit, noise included, and less memory") {
  using Plain = Tied<6, Noisy>;
  using Frugal = Tied<6, Recomputed<Noisy>>;
  check_vjp<Frugal>(lines[4]);
  check_vjp<Chain<Frugal, Recomputed<Twice<Block>>>>(lines[1]);
  Probe<Plain, 1> plain(lines[4], 3, 1, 5);
  Probe<Frugal, 1> frugal(lines[4], 3, 1, 5);
  const auto a = plain.forward(), b = frugal.forward();
  CHECK(std::equal(a.span().begin(), a.span().end(), b.span().begin()));
  plain.pull_back();
  frugal.pull_back();
  CHECK(plain.wbar == frugal.wbar);
  CHECK(std::equal(plain.xbar.span().begin(), plain.xbar.span().end(), frugal.xbar.span().begin()));
  CHECK(expression_text<Plain>() == expression_text<Frugal>());
  CHECK(3 * kept<Frugal>() < kept<Plain>());
}

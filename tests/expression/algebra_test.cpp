// The algebra: what composes to what, parameter counts and names, and every node against the oracle.
#include <doctest/doctest.h>

#include <set>
#include <type_traits>

#include "gradients.hpp"
#include "mno/expression/chain.hpp"
#include "mno/expression/coarse.hpp"
#include "mno/expression/concat.hpp"
#include "mno/expression/gated.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/activation.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/spectral.hpp"
#include "mno/model/gate.hpp"

using namespace mno;
using namespace mno::test;

namespace {
using A = Pointwise<2, 3>;
using B = Tanh<3>;
using C = Pointwise<3, 2>;

template <class E> constexpr E type_of(E) { return {}; }

struct Block : Chain<Sum<SpectralConv<3, 3, 1, 3>, Pointwise<3, 3>>, Gelu<3>> {
  static constexpr const char* name = "block";
};
}  // namespace

TEST_CASE("chains and sums are flat, however they are bracketed") {
  CHECK(std::is_same_v<decltype(A{} >> B{} >> C{}), Chain<A, B, C>>);
  CHECK(std::is_same_v<decltype(A{} >> (B{} >> C{})), Chain<A, B, C>>);
  CHECK(std::is_same_v<decltype((A{} >> B{}) >> (C{} >> A{})), Chain<A, B, C, A>>);
  CHECK(std::is_same_v<decltype(A{} + A{} + A{}), Sum<A, A, A>>);
  CHECK(std::is_same_v<decltype(A{} + (A{} + A{})), Sum<A, A, A>>);
}

TEST_CASE("a struct with a name that derives from a chain stays one part") {
  using E = decltype(A{} >> Block{} >> C{});
  CHECK(std::is_same_v<E, Chain<A, Block, C>>);
  CHECK(std::is_same_v<Block::expression, Chain<Sum<SpectralConv<3, 3, 1, 3>, Pointwise<3, 3>>, Gelu<3>>>);
}

TEST_CASE("channels and parameter counts are constants") {
  constexpr auto e = A{} >> repeat<2>(Block{}) >> concat(C{}, Pointwise<3, 4>{} >> Tanh<4>{}) * Gate{};
  using E = std::remove_const_t<decltype(e)>;
  static_assert(E::inputs == 2 && E::outputs == 6);
  constexpr std::size_t block = 3 * 2 * 3 * 3 + (3 * 3 + 3);
  static_assert(E::parameters == (2 * 3 + 3) + 2 * block + (3 * 2 + 2) + (3 * 4 + 4) + 1);
  CHECK(E::parameters == 166);
}

TEST_CASE("leaves are named once each, in the order of the buffer, without gaps") {
  using E = decltype(A{} >> repeat<2>(Block{}) >> concat(C{}, Pointwise<3, 4>{} >> Tanh<4>{}) * Gate{});
  const auto leaves = named_leaves<E>();
  std::set<std::string> names;
  std::size_t next = 0;
  for (const auto& leaf : leaves) {
    CHECK(leaf.offset == next);
    next += leaf.size();
    CHECK(names.insert(leaf.name).second);
  }
  CHECK(next == E::parameters);
  for (const char* name : {"pointwise0.weight", "block0.spectral.weight", "block1.pointwise.bias",
                           "pointwise1.weight", "pointwise2.bias", "gate.alpha"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("nodes against the oracle") {
  for (const Grid<1>& grid : {lines[1], lines[3]}) {
    check_vjp<Chain<A, B, C>>(grid);
    check_vjp<Sum<A, A, Chain<A, B>>>(grid);
    check_vjp<Concat<A, Chain<A, B>, A>>(grid);
    check_vjp<Repeat<3, Chain<Pointwise<2, 2>, Tanh<2>>>>(grid);
    check_vjp<Repeat<1, Chain<Pointwise<2, 2>, Tanh<2>>>>(grid);
    check_vjp<Gated<A, Gate>>(grid);
    check_vjp<Gated<Concat<A, A>, PowerGate>>(grid);
    check_vjp<decltype(skip(Pointwise<3, 3>{} >> Tanh<3>{}))>(grid);
    check_vjp<decltype(A{} >> repeat<2>(Block{}) >> concat(C{}, Pointwise<3, 4>{} >> Tanh<4>{}) * Gate{})>(
        grid);
    check_vjp<decltype((A{} >> B{}) * Gate{} + A{})>(grid);  // a gate inside a sum
  }
  check_linear<Sum<A, A>>(lines[1]);
  check_linear<Concat<A, A>>(lines[1]);
}

TEST_CASE("a chain computes b(a(x)), a sum a(x) + b(x), a concat both side by side") {
  const Grid<1> grid{{5}};
  Probe<Concat<Sum<A, Chain<A, B>>, A>, 1> both(grid, 2, 1, 3);
  Probe<A, 1> first(grid, 2, 1, 3), second(grid, 2, 1, 3), third(grid, 2, 1, 3);
  first.x = second.x = third.x = both.x;
  first.w.assign(both.w.begin(), both.w.begin() + 9);
  second.w.assign(both.w.begin() + 9, both.w.begin() + 18);
  third.w.assign(both.w.begin() + 18, both.w.end());
  const auto y = both.forward(), a = first.forward(), b = second.forward(), c = third.forward();
  for (Index s = 0; s < 2; ++s)
    for (Index p = 0; p < 5; ++p)
      for (Index o = 0; o < 3; ++o) {
        CHECK(y(s, p, o) == doctest::Approx(a(s, p, o) + std::tanh(b(s, p, o))).epsilon(1e-14));
        CHECK(y(s, p, 3 + o) == doctest::Approx(c(s, p, o)).epsilon(1e-14));
      }
}

TEST_CASE("a closed gate gives exact zeros, even from infinities") {
  Probe<Gated<A, Gate>, 1> probe(Grid<1>{{5}}, 2, 1, 3);
  probe.times = {0.0, 1.0};
  for (double& value : std::span(probe.x.span()).first(10)) value = std::numeric_limits<double>::infinity();
  const auto y = probe.forward();
  for (Index p = 0; p < 5; ++p)
    for (Index c = 0; c < 3; ++c) {
      CHECK(y(0, p, c) == 0.0);
      CHECK(!std::signbit(y(0, p, c)));
      CHECK(y(1, p, c) != 0.0);
    }
}

TEST_CASE("the first values of parameters depend on the seed alone") {
  using E = Chain<A, B, C>;
  std::vector<float> first(E::parameters), again(E::parameters), other(E::parameters);
  initialise<E, float>(std::span<float>(first), 1);
  initialise<E, float>(std::span<float>(again), 1);
  initialise<E, float>(std::span<float>(other), 2);
  CHECK(first == again);
  CHECK(first != other);
}

TEST_CASE("a on a coarser grid, between a way down and a way up") {
  using Inner = Chain<Sum<SpectralConv<2, 2, 1, 3>, Pointwise<2, 2>>, Gelu<2>>;
  for (const Grid<1>& grid : {lines[0], lines[3], lines[6]}) {
    check_vjp<decltype(coarse<2>(Inner{}))>(grid);
    check_vjp<decltype(skip(coarse<2>(Inner{} >> coarse<2>(Inner{}))))>(grid);
  }
  CHECK(output_grid<decltype(coarse<2>(Inner{}))>(Grid<1>{{8}}) == Grid<1>{{8}});
  CHECK_THROWS_AS(output_grid<decltype(coarse<2>(Inner{}))>(Grid<1>{{9}}), Error);
}

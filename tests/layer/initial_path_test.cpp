// The path from u_0, and u_0 itself: gradients, and what they give.
#include "mno/layer/initial_path.hpp"

#include "gradients.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/initial.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("path: gradients, also with respect to u_0") {
  for (const auto& grid : lines) check_vjp<InitialPath<3, 2>>(grid, 2);
  for (const auto& grid : planes) check_vjp<InitialPath<3, 1>>(grid, 1);
}

TEST_CASE("every channel of u_0 with a number of its own") {
  using L = InitialPath<1, 2>;
  const Grid<1> grid{{4}};
  Probe<L, 1> probe(grid, 1, 2, 1);
  probe.w = {3, -2};
  probe.initial.fill([](auto x, Index c) { return x[0] + double(c); });
  const auto y = probe.forward();
  for (Index p = 0; p < 4; ++p) {
    CHECK(y(0, p, 0) == doctest::Approx(3 * double(p) / 4));
    CHECK(y(0, p, 1) == doctest::Approx(-2 * (double(p) / 4 + 1)));
  }
}

TEST_CASE("u_0 itself: gradients, and its very numbers") {
  for (const auto& grid : lines) check_vjp<Initial<3, 2>>(grid, 2);
  for (const auto& grid : planes) check_vjp<Sum<Initial<3, 1>, Initial<3, 1>>>(grid, 1);  // both have a share
  Probe<Initial<3, 2>, 1> probe(lines[3], 3, 2, 1);
  CHECK(std::ranges::equal(probe.forward().span(), probe.initial.span()));
}

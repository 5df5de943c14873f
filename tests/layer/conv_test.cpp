// Convolution against the sum over taps, written out with edges of its own, and against the oracle.
#include "mno/layer/conv.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

namespace {

/// x beyond the ends of an axis: by walking there step by step, not by formula.
template <class Edge> Index walk(Index i, Index n) {
  Index at = 0, direction = 1;
  if (i < 0) {
    if constexpr (std::is_same_v<Edge, Zero>) return -1;
    if constexpr (std::is_same_v<Edge, Circular>) direction = -1;
  }
  for (Index step = 0; step < std::abs(i); ++step) {
    if constexpr (std::is_same_v<Edge, Circular>)
      at = at + direction < 0 ? n - 1 : at + direction == n ? 0 : at + direction;
    if constexpr (std::is_same_v<Edge, Zero>)
      if (++at == n) return -1;
    if constexpr (std::is_same_v<Edge, Reflecting>) {
      if (at + direction == n || at + direction < 0) direction = -direction;
      at += direction;
    }
  }
  return at;
}

template <int In, int Out, int D, int Size, class Edge, int Stride, class T>
void check_values(const Grid<D>& grid, double small) {
  using L = Conv<In, Out, D, Size, Edge, Stride>;
  Dense<L, T, D> layer(grid);
  layer.run();
  Index taps = 1;
  for (int d = 0; d < D; ++d) taps *= Size;
  double error = 0;
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < layer.y.points(); ++p)
      for (Index o = 0; o < Out; ++o) {
        double sum = double(layer.w[std::size_t(taps * In * Out + o)]);
        for (Index tap = 0; tap < taps; ++tap) {
          Index from = 0, step = 1, point = p, a = tap;
          for (int d = D - 1; d >= 0 && from >= 0; --d) {
            const Index n = grid.points[std::size_t(d)];
            const Index i = walk<Edge>(point % (n / Stride) * Stride + a % Size - Size / 2, n);
            from = i < 0 ? -1 : from + i * step;
            step *= n, point /= n / Stride, a /= Size;
          }
          for (Index i = 0; from >= 0 && i < In; ++i)
            sum += double(layer.w[std::size_t((tap * In + i) * Out + o)]) * double(layer.x(b, from, i));
        }
        const double e = std::abs(sum - double(layer.y(b, p, o)));
        error = e <= error ? error : e;
      }
  INFO(grid.str() << ", size " << Size << ", " << Edge::name << ", stride " << Stride);
  CHECK(error <= small);
}

template <int Size, class Edge, int Stride> void check_lines() {
  for (const Index n : {4, 5, 6, 8, 9, 150, 201}) {
    if (n % Stride || n < Edge::least_points(Size / 2)) continue;
    check_values<3, 5, 1, Size, Edge, Stride, double>(Grid<1>{{n}}, 1e-13);
    check_linear<Conv<3, 5, 1, Size, Edge, Stride>>(Grid<1>{{n}});
    if (n < 16) check_vjp<Conv<3, 5, 1, Size, Edge, Stride>>(Grid<1>{{n}});
  }
}

template <class Edge> void check_edge() {
  check_lines<1, Edge, 1>();
  check_lines<3, Edge, 1>();
  check_lines<7, Edge, 1>();
  check_lines<1, Edge, 2>();  // fewer taps than the stride: some points are not read
  check_lines<3, Edge, 2>();
  check_lines<5, Edge, 3>();
  for (const auto& grid : planes) {
    check_values<3, 18, 2, 3, Edge, 1, double>(grid, 1e-13);
    check_values<3, 18, 2, 3, Edge, 1, float>(grid, 1e-4);
    check_vjp<Conv<3, 2, 2, 3, Edge>>(grid);
    check_linear<Conv<2, 7, 2, 3, Edge>>(grid);
  }
  check_values<17, 2, 2, 5, Edge, 2, double>(Grid<2>{{4, 6}}, 1e-12);
  check_vjp<Conv<17, 2, 2, 5, Edge, 2>>(Grid<2>{{4, 6}});
  check_linear<Conv<17, 2, 2, 5, Edge, 2>>(Grid<2>{{4, 6}});
  check_values<2, 3, 3, 3, Edge, 1, double>(Grid<3>{{4, 3, 5}}, 1e-13);
  check_vjp<Conv<2, 3, 3, 3, Edge>>(Grid<3>{{4, 3, 5}});
  check_linear<Conv<2, 3, 3, 3, Edge, 2>>(Grid<3>{{4, 6, 2}});
}

}  // namespace

TEST_CASE("a circular convolution") { check_edge<Circular>(); }
TEST_CASE("a convolution with zeros beyond the edge") { check_edge<Zero>(); }
TEST_CASE("a reflecting convolution") { check_edge<Reflecting>(); }

TEST_CASE("a convolution in wider fields") {
  check_strided<Conv<5, 6, 1, 3>>(Grid<1>{{130}});
  check_strided<Conv<3, 20, 2, 3>>(Grid<2>{{5, 6}});
  check_strided<Conv<3, 2, 2, 3, Zero>>(Grid<2>{{5, 6}});
  check_strided<Conv<3, 2, 2, 3, Reflecting>, double>(Grid<2>{{5, 6}});
  check_strided<Conv<5, 3, 2, 3, Circular, 2>, double>(Grid<2>{{4, 6}});
  check_strided<Conv<2, 3, 3, 3, Reflecting, 2>>(Grid<3>{{4, 2, 6}});
}

TEST_CASE("a circular convolution of a shifted field is the shifted convolution, bit by bit") {
  using L = Conv<5, 19, 2, 3>;
  const Grid<2> grid{{7, 70}};
  Dense<L, float, 2> one(grid);
  one.run();
  const auto shifted = [&](Index p) { return (p / 70 + 3) % 7 * 70 + (p % 70 + 11) % 70; };
  Field<float, 2> moved(2, grid, 5);
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < grid.size(); ++p)
      for (Index c = 0; c < 5; ++c) moved(b, shifted(p), c) = one.x(b, p, c);
  Dense<L, float, 2> other(moved);
  other.run();
  bool equal = true;
  for (Index b = 0; b < 2; ++b)
    for (Index p = 0; p < grid.size(); ++p)
      for (Index c = 0; c < 19; ++c) equal = equal && other.y(b, shifted(p), c) == one.y(b, p, c);
  CHECK(equal);
}

TEST_CASE("the first weights are within the bound and fill it") {
  using L = Conv<4, 8, 2, 3>;
  std::vector<double> w(L::parameters);
  Stream random(3);
  L::initialise<double>(w, random);
  const auto [least, most] = std::minmax_element(w.begin(), w.end());
  CHECK(*least >= -1.0 / 6);  // 1/√(4·9)
  CHECK(*most <= 1.0 / 6);
  CHECK(*least < -0.9 / 6);  // 296 numbers: all above −0.9/6 with probability 0.95²⁹⁶ < 3e-7
  CHECK(*most > 0.9 / 6);
}

TEST_CASE("a grid that a convolution cannot serve is refused") {
  CHECK_THROWS_WITH_AS((output_grid<Conv<1, 1, 2, 3, Circular, 2>>(Grid<2>{{4, 5}})),
                       "mno::Conv: argument 'x': expected points that the stride 2 divides, got 5 on axis 1.",
                       Error);
  Dense<Conv<1, 1, 1, 5, Reflecting>, double, 1> layer(Grid<1>{{2}});
  CHECK_THROWS_WITH_AS(layer.run(),
                       "mno::Conv: argument 'x': expected at least 3 points on every axis, since the edge is "
                       "reflecting, got 2 on axis 0.",
                       Error);
}

// U-Net and ResNet: gradients as they are trained, what a shift does, what their grids must be, their sizes.
#include "mno/baseline/u_net.hpp"

#include "mno/baseline/res_net.hpp"
#include "rival.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 2, rank = 1, width = 4, modes = 1, depth = 3, projection = 6;
};
struct Plane {
  static constexpr int dimension = 2, channels = 1, rank = 1, width = 4, modes = 1, depth = 2, known = 1,
                       projection = 5;
};
struct Standard {
  static constexpr int dimension = 2, channels = 1, rank = 1, width = 24, modes = 1, depth = 3;
};

/// u moved by so many points of a line.
Field<double, 1> moved(const Field<double, 1>& u, Index by) {
  Field<double, 1> to(u.batch(), u.grid(), u.channels());
  for (Index b = 0; b < u.batch(); ++b)
    for (Index p = 0; p < u.points(); ++p)
      for (Index c = 0; c < u.channels(); ++c) to(b, (p + by) % u.points(), c) = u(b, p, c);
  return to;
}
template <class M> double largest_change_by_moving(Index by) {
  const M model(3);
  const auto u = smooth_fields<double, 1>(1, Grid<1>{{16}}, 2);
  const auto then = moved(predict(model, u, 0.5, device()), by),
             first = predict(model, moved(u, by), 0.5, device());
  double largest = 0;
  for (std::size_t i = 0; i < then.size(); ++i)
    largest = std::max(largest, std::abs(then.data()[i] - first.data()[i]));
  return largest;
}
}  // namespace

TEST_CASE("gradients, in one pass and as they are trained") {
  check_vjp<UNet<Line>::Expression>(Grid<1>{{16}}, 1);  // four points on the coarsest grid
  check_vjp<UNet<Plane, double, Zero>::Expression>(Grid<2>{{4, 6}}, 1);
  check_vjp<ResNet<Line>::Expression>(Grid<1>{{7}}, 1);
  check_vjp<ResNet<Plane, double, Zero>::Expression>(Grid<2>{{4, 5}}, 1);
}

TEST_CASE("a moved field has a moved answer: of a ResNet always, of a U-Net by blocks of its coarsest grid") {
  CHECK(largest_change_by_moving<ResNet<Line, double>>(1) < 1e-12);
  CHECK(largest_change_by_moving<UNet<Line, double>>(4) < 1e-12);
  CHECK(largest_change_by_moving<UNet<Line, double>>(1) > 1e-6);
  CHECK(largest_change_by_moving<ResNet<Line, double, Zero>>(1) > 1e-6);  // it sees the ends
}

TEST_CASE("a grid that cannot be halved as often as there are scales is refused") {
  const UNet<Line, double> model(1);
  CHECK_THROWS_WITH_AS(predict(model, smooth_fields<double, 1>(1, Grid<1>{{10}}, 2), 0.5, device()),
                       doctest::Contains("AveragePool"), Error);
}

TEST_CASE("their sizes: convolutions have 9 numbers per pair of channels on a plane") {
  constexpr int w = 24;
  const auto block = [](int in, int out) { return 9 * (in + out) * out + 6 * out; };
  CHECK(int(UNet<Standard>::parameters) ==
        block(2, w) + block(w, 2 * w) + block(2 * w, 4 * w) + block(6 * w, 2 * w) + block(3 * w, w) + w + 1);
}

// Group normalisation against its definition in long double, and against the oracle.
#include "mno/layer/group_norm.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

namespace {

template <int Channels, int Groups, class T, int D> double value_error(const Grid<D>& grid, double offset) {
  Dense<GroupNorm<Channels, Groups>, T, D> layer(grid);
  for (T& value : layer.x.span()) value = T(double(value) + offset);
  layer.run();
  constexpr Index size = Channels / Groups;
  double error = 0;
  for (Index b = 0; b < 2; ++b)
    for (Index g = 0; g < Groups; ++g) {
      long double mean = 0, square = 0;
      for (Index p = 0; p < grid.size(); ++p)
        for (Index c = 0; c < size; ++c) mean += layer.x(b, p, g * size + c);
      mean /= (long double)(size * grid.size());
      for (Index p = 0; p < grid.size(); ++p)
        for (Index c = 0; c < size; ++c) square += std::pow(layer.x(b, p, g * size + c) - mean, 2.0L);
      const long double deviation = std::sqrt(square / (long double)(size * grid.size()) + 1e-5L);
      for (Index p = 0; p < grid.size(); ++p)
        for (Index c = g * size; c < (g + 1) * size; ++c) {
          const long double expected = layer.w[std::size_t(c)] * (layer.x(b, p, c) - mean) / deviation +
                                       layer.w[std::size_t(Channels + c)];
          const double e = std::abs(double(expected - (long double)layer.y(b, p, c)));
          error = e <= error ? error : e;
        }
    }
  return error;
}

}  // namespace

TEST_CASE("group normalisation has the group's mean and variance") {
  CHECK(value_error<6, 3, double>(Grid<1>{{9}}, 0) <= 1e-14);
  CHECK(value_error<6, 1, double>(Grid<2>{{5, 4}}, 0) <= 1e-14);
  CHECK(value_error<20, 20, double>(Grid<1>{{17}}, 3) <= 1e-13);
  CHECK(value_error<20, 5, float>(Grid<2>{{33, 40}}, 0) <= 2e-6);
}

TEST_CASE("a field far from zero keeps its digits: nothing cancels") {
  // x has an error of 6e-5 at 1000 in itself; the difference of squares would leave nothing of the variance.
  CHECK(value_error<8, 2, float>(Grid<2>{{32, 32}}, 1000) <= 3e-4);
  CHECK(value_error<8, 2, double>(Grid<2>{{32, 32}}, 1e6) <= 1e-9);
}

TEST_CASE("group normalisation against the oracle") {
  for (const auto& grid : lines) {
    check_vjp<GroupNorm<6, 3>>(grid);
    check_vjp<GroupNorm<4, 1>>(grid);
    check_vjp<GroupNorm<3, 3>>(grid);
  }
  for (const auto& grid : planes) check_vjp<GroupNorm<18, 2>>(grid);
  check_vjp<GroupNorm<4, 2>>(Grid<3>{{3, 4, 2}});
}

TEST_CASE("group normalisation in wider fields") {
  check_strided<GroupNorm<6, 2>>(Grid<1>{{9}});
  check_strided<GroupNorm<18, 3>, double>(Grid<2>{{9, 12}});
}

TEST_CASE("a constant field becomes the shift") {
  Dense<GroupNorm<4, 2>, double, 1> layer(Grid<1>{{8}});
  for (double& value : layer.x.span()) value = 2.5;
  layer.run();
  for (Index p = 0; p < 8; ++p)
    for (Index c = 0; c < 4; ++c) CHECK(layer.y(0, p, c) == layer.w[std::size_t(4 + c)]);
}

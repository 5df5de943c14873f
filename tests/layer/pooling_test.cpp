// Pooling against plain loops over blocks, and against the oracle.
#include "mno/layer/pooling.hpp"

#include "gradients.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

namespace {

/// f(coarse point, fine point) for all points of a grid: the coarse one by its coordinates divided by K.
template <int D, class F> void for_each_pair(const Grid<D>& fine, Index k, F&& f) {
  for (Index p = 0; p < fine.size(); ++p) {
    Index rest = p, coarse = 0, step = 1;
    for (int d = D - 1; d >= 0; --d) {
      const Index n = fine.points[std::size_t(d)];
      coarse += rest % n / k * step;
      rest /= n;
      step *= n / k;
    }
    f(coarse, p);
  }
}

template <int Channels, int K, class T, int D> void check_average(const Grid<D>& grid) {
  Dense<AveragePool<Channels, K>, T, D> layer(grid);
  layer.run();
  Field<double, D> expected(2, layer.y.grid(), Channels);
  const double share = 1 / std::pow(double(K), D);
  for (Index b = 0; b < 2; ++b)
    for_each_pair<D>(grid, K, [&](Index coarse, Index p) {
      for (Index c = 0; c < Channels; ++c) expected(b, coarse, c) += share * double(layer.x(b, p, c));
    });
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    error = std::max(error, std::abs(expected.data()[i] - double(layer.y.data()[i])));
  CHECK(error <= 10 * double(std::numeric_limits<T>::epsilon()));
}

template <int Channels, int K, class T, int D> void check_max(const Grid<D>& grid) {
  Dense<MaxPool<Channels, K>, T, D> layer(grid);
  for (T& value : layer.x.span()) value = std::round(2 * value);  // so that many are equal
  layer.run();
  Field<T, D> largest(2, layer.y.grid(), Channels), bar(2, grid, Channels);
  Field<double, D> where(2, layer.y.grid(), Channels);
  for (T& value : largest.span()) value = -1000;
  for (Index b = 0; b < 2; ++b) {
    for_each_pair<D>(grid, K, [&](Index coarse, Index p) {
      for (Index c = 0; c < Channels; ++c)
        if (layer.x(b, p, c) > largest(b, coarse, c)) {
          largest(b, coarse, c) = layer.x(b, p, c);
          where(b, coarse, c) = double(p);
        }
    });
    for (Index coarse = 0; coarse < largest.points(); ++coarse)
      for (Index c = 0; c < Channels; ++c) bar(b, Index(where(b, coarse, c)), c) = layer.ybar(b, coarse, c);
  }
  CHECK(std::equal(largest.span().begin(), largest.span().end(), layer.y.span().begin()));
  CHECK(std::equal(bar.span().begin(), bar.span().end(), layer.xbar.span().begin()));
}

}  // namespace

TEST_CASE("average pooling") {
  check_average<3, 2, double>(Grid<1>{{8}});
  check_average<17, 3, float>(Grid<1>{{9}});
  check_average<5, 2, float>(Grid<2>{{6, 10}});
  check_average<2, 3, double>(Grid<2>{{3, 9}});
  check_average<2, 2, double>(Grid<3>{{4, 2, 6}});
  check_average<2, 1, double>(Grid<2>{{5, 3}});
  check_vjp<AveragePool<3, 2>>(Grid<2>{{4, 6}});
  check_linear<AveragePool<3, 2>>(Grid<1>{{12}, {{2.5}}});
  check_linear<AveragePool<3, 3>>(Grid<2>{{6, 9}});
  check_linear<AveragePool<2, 2>>(Grid<3>{{4, 2, 6}});
  check_strided<AveragePool<6, 2>>(Grid<2>{{4, 6}});
}

TEST_CASE("max pooling: the first of the largest wins, and has the whole cotangent") {
  check_max<3, 2, double>(Grid<1>{{8}});
  check_max<17, 3, float>(Grid<1>{{9}});
  check_max<5, 2, float>(Grid<2>{{6, 10}});
  check_max<2, 3, double>(Grid<2>{{3, 9}});
  check_max<2, 2, double>(Grid<3>{{4, 2, 6}});
  check_vjp<MaxPool<3, 2>>(Grid<2>{{4, 6}});
  check_vjp<MaxPool<2, 3>>(Grid<1>{{9}});
  check_strided<MaxPool<6, 2>>(Grid<2>{{4, 6}});
}

TEST_CASE("max pooling: a NaN is not lost, and gets the cotangent") {
  for (const Index at : {0, 1, 2, 3}) {
    Dense<MaxPool<3, 4>, float, 1> layer(Grid<1>{{8}});
    layer.x(0, at, 1) = layer.x(0, 3, 1) = std::numeric_limits<float>::quiet_NaN();
    layer.run();
    CHECK(std::isnan(layer.y(0, 0, 1)));
    CHECK(layer.xbar(0, at, 1) == layer.ybar(0, 0, 1));
    for (Index p = 0; p < 4; ++p)
      if (p != at) CHECK(layer.xbar(0, p, 1) == 0);
    CHECK(std::isfinite(layer.y(0, 1, 1)));
    CHECK(std::isfinite(layer.y(0, 0, 0)));
  }
}

TEST_CASE("the mean over the grid") {
  Dense<GlobalMean<5>, float, 2> layer(Grid<2>{{9, 30}});
  layer.run();
  for (Index b = 0; b < 2; ++b)
    for (Index c = 0; c < 5; ++c) {
      double mean = 0;
      for (Index p = 0; p < 270; ++p) mean += double(layer.x(b, p, c)) / 270;
      for (Index p = 0; p < 270; ++p) CHECK(double(layer.y(b, p, c)) == doctest::Approx(mean).epsilon(1e-6));
    }
  for (const auto& grid : lines) {
    check_vjp<GlobalMean<3>>(grid);
    check_linear<GlobalMean<3>>(grid);
  }
  check_linear<GlobalMean<18>>(planes[2]);
  check_strided<GlobalMean<6>>(planes[2]);
}

TEST_CASE("blocks that do not fit are refused") {
  CHECK_THROWS_WITH_AS((output_grid<AveragePool<1, 2>>(Grid<2>{{4, 5}})),
                       "mno::AveragePool: argument 'x': expected points that 2 divides, got 5 on axis 1.",
                       Error);
  CHECK_THROWS_WITH_AS((output_grid<MaxPool<1, 3>>(Grid<1>{{8}})),
                       "mno::MaxPool: argument 'x': expected points that 3 divides, got 8 on axis 0.", Error);
  const Grid<2> half = output_grid<AveragePool<1, 2>>(Grid<2>{{4, 6}, {{2.0, 0.5}}});
  CHECK(half == Grid<2>{{2, 3}, {{2.0, 0.5}}});
}

// Wick products, superpositions and slices: values against formulas, and gradients.
#include "mno/layer/hermite.hpp"

#include "gradients.hpp"
#include "mno/layer/slice.hpp"
#include "mno/layer/superposition.hpp"
#include "strided.hpp"

using namespace mno;
using namespace mno::test;

TEST_CASE("products in the order of their degree") {
  static_assert(Hermite<16, 2>::outputs == 152 && Hermite<3, 3>::outputs == 19 &&
                Hermite<5, 1>::outputs == 5);
  Probe<Hermite<2, 3>, 1, double, Device> probe(lines[0], 1, 1, 3);
  const auto y = probe.forward();
  for (Index p = 0; p < 4; ++p) {
    const double a = probe.x(0, p, 0), b = probe.x(0, p, 1), root2 = std::sqrt(2.0), root6 = std::sqrt(6.0);
    const auto h2 = [&](double x) { return (x * x - 1) / root2; };
    const auto h3 = [&](double x) { return (x * x * x - 3 * x) / root6; };
    const double expected[] = {a, b, h2(a), a * b, h2(b), h3(a), h2(a) * b, a * h2(b), h3(b)};
    for (Index k = 0; k < 9; ++k) CHECK(y(0, p, k) == doctest::Approx(expected[k]).epsilon(1e-13));
  }
}

TEST_CASE("of Gaussian numbers they are centred, uncorrelated and of variance 1") {
  // 200000 draws: a mean or a correlation of products of degree 2 is below 0.03 with five deviations (of the
  // largest, E h_2⁴ = 15: √15/√200000 = 0.009).
  constexpr int n = Hermite<3, 2>::outputs, draws = 200000;
  int at = 0;
  double mean[n] = {}, products[n][n] = {};
  Stream random(7);
  for (int d = 0; d < draws; ++d) {
    const double x[3] = {random.normal(), random.normal(), random.normal()};
    double y[n];
    at = 0;
    Hermite<3, 2>::products(x, [&](double value) { y[at++] = value; });
    for (int i = 0; i < n; ++i) {
      mean[i] += y[i] / draws;
      for (int j = 0; j < n; ++j) products[i][j] += y[i] * y[j] / draws;
    }
  }
  CHECK(at == n);
  for (int i = 0; i < n; ++i) {
    CHECK(std::abs(mean[i]) < 0.03);
    for (int j = 0; j < n; ++j) CHECK(std::abs(products[i][j] - double(i == j)) < 0.05);
  }
}

TEST_CASE("gradients") {
  check_vjp<Hermite<3, 1>>(lines[1]);
  check_vjp<Hermite<3, 2>>(lines[3]);
  check_vjp<Hermite<2, 4>>(planes[1]);
  check_vjp<Superposition<4, 2>>(planes[1]);
  check_vjp<Slice<5, 1, 3>>(lines[1]);
}

TEST_CASE("a superposition, and channels taken apart") {
  Probe<Superposition<3, 2>, 1, double, Device> sum(lines[0], 1, 1, 3);
  const auto y = sum.forward();
  for (Index p = 0; p < 4; ++p)
    for (Index c = 0; c < 2; ++c) {
      double expected = 0;
      for (Index k = 0; k < 3; ++k) expected += sum.x(0, p, k) * sum.x(0, p, 3 + 2 * k + c);
      CHECK(y(0, p, c) == doctest::Approx(expected).epsilon(1e-13));
    }
  check_linear<Slice<5, 1, 3>>(lines[1]);
  Probe<Slice<5, 1, 3>, 1, double, Device> slice(lines[0], 1, 1, 3);
  const auto part = slice.forward();
  for (Index p = 0; p < 4; ++p)
    for (Index c = 0; c < 3; ++c) CHECK(part(0, p, c) == slice.x(0, p, c + 1));
}

#ifndef MNO_TEST_CUDA
TEST_CASE("rows that lie apart") {
  check_strided<Hermite<3, 2>>(lines[1]);
  check_strided<Superposition<3, 2>>(lines[1]);
  check_strided<Slice<5, 1, 3>>(lines[1]);
}
#endif

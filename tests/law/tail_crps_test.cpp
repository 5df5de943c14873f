#include "mno/law/tail_crps.hpp"

#include <doctest/doctest.h>

#include "mno/law/residual/laplace.hpp"
#include "mno/law/residual/scale_mixture.hpp"
#include "mno/law/residual/student_t.hpp"
#include "mno/law/warp/asinh.hpp"
#include "support.hpp"

using namespace mno;

namespace {
/// ∫ (F − 1{u ≤ z})² over the tail, by Simpson's rule between points where it jumps.
template <class M> double by_definition(const M& x, double u, double t, Tail tail) {
  const double far = 60;
  const double from = tail == Tail::upper ? t : t - far, to = tail == Tail::upper ? t + far : t;
  const auto piece = [&](double a, double b, bool passed) {
    if (!(b > a)) return 0.0;
    constexpr int n = 40000;
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
      const double z = a + (b - a) * i / n, f = passed ? -x.exceedance(z) : x.cdf(z);
      sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * f * f;
    }
    return sum * (b - a) / (3 * n);
  };
  const double cut = std::clamp(u, from, to);
  return piece(from, cut, false) + piece(cut, to, true);
}
template <class R, class W = Unwarped>
void check(const R& residual, const W& warp = {}, double precision = 1e-6) {
  const Marginal<R, W> x{0.3, 0.8, residual, warp, 0};
  for (const double t : {-1.0, 0.4, 2.5})
    for (const double u : {-2.0, 0.4, 1.1, 4.0})
      for (const Tail tail : {Tail::lower, Tail::upper}) {
        const double expected = by_definition(x, u, t, tail);
        CHECK(tail_crps(x, u, t, tail) == doctest::Approx(expected).epsilon(precision).scale(1e-3));
      }
}
}  // namespace

TEST_CASE("is the integral of (F − 1)² over the tail, for every residual law") {
  check(Gaussian{});
  check(Laplace{}, {}, 1e-5);
  check(StudentT(5), {}, 1e-4);  // what lies beyond 60 is left out here
}

TEST_CASE("a threshold far below or above all that the law has") {
  const ScaleMixture mixture({0.18, 0.28, 0.29, 0.25}, {0.13, 0.73, 0.95, 1.97});
  const Marginal<ScaleMixture> x{0.3, 0.8, mixture};
  for (const double far : {12.0, 40.0, 100.0}) {
    // X is always beyond: E|X − u| − ½ E|X − X'| is the CRPS, of which nothing lies before the threshold.
    for (const double u : {-1.0, 0.4})
      CHECK(tail_crps(x, u, -far, Tail::upper) == doctest::Approx(crps(x, u)).epsilon(1e-9));
    CHECK(tail_crps(x, 0.4, far, Tail::upper) == doctest::Approx(0).scale(1e-9));
    CHECK(tail_crps(x, 0.4, far, Tail::lower) == doctest::Approx(crps(x, 0.4)).epsilon(1e-9));
    CHECK(tail_crps(x, 0.4, -far, Tail::lower) == doctest::Approx(0).scale(1e-9));
  }
}

TEST_CASE("… and with a warp") {
  const Marginal<Gaussian, AsinhWarp> x{0.3, 0.5, {}, AsinhWarp(1), 0};
  for (const double t : {-0.5, 0.6})
    for (const double u : {-1.0, 0.2, 2.0})
      for (const Tail tail : {Tail::lower, Tail::upper})
        CHECK(tail_crps(x, u, t, tail) == doctest::Approx(by_definition(x, u, t, tail)).epsilon(1e-5));
}

TEST_CASE("both tails of one threshold are the CRPS") {
  const Marginal<Gaussian> normal{-0.2, 1.7};
  const Marginal<StudentT> heavy{-0.2, 1.7, StudentT(4)};
  for (const double u : {-3.0, 0.1, 5.0})
    for (const double t : {-1.0, 0.1, 30.0}) {
      CHECK(tail_crps(normal, u, t, Tail::lower) + tail_crps(normal, u, t, Tail::upper) ==
            doctest::Approx(crps(normal, u)).epsilon(1e-10));
      CHECK(tail_crps(heavy, u, t, Tail::lower) + tail_crps(heavy, u, t, Tail::upper) ==
            doctest::Approx(crps(heavy, u)).epsilon(1e-7));
    }
}

TEST_CASE("far in the tail it stays positive, and of a point mass it is a distance") {
  const Marginal<Gaussian> normal{0, 1};
  double before = 1;
  for (const double t : {5.0, 7.0, 9.0}) {
    const double tiny = tail_crps(normal, 0, t, Tail::upper);
    CHECK(tiny > 0);
    CHECK(tiny < 1e-6 * before);
    before = tiny;
  }
  CHECK(detail::normal_square_integral(-5.9999) ==
        doctest::Approx(detail::normal_square_integral(-6.0001)).scale(0).epsilon(0.01));
  const Marginal<Gaussian> point{2, 0};
  CHECK(tail_crps(point, 5, 1, Tail::upper) == 3);
  CHECK(tail_crps(point, 5, 4, Tail::upper) == 1);
  CHECK(tail_crps(point, 1, 4, Tail::upper) == 0);
  CHECK(tail_crps(point, 1, 4, Tail::lower) == 1);
}

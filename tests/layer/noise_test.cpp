// Noise: a unit field with equal waves, the same on every grid, and a function of (seed, sample, visit)
// alone.
#include "mno/layer/noise.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "gradients.hpp"
#include "mno/expression/product.hpp"
#include "mno/expression/repeat.hpp"
#include "mno/expression/sum.hpp"
#include "mno/layer/pointwise.hpp"
#include "mno/layer/scale.hpp"
#include "mno/spectral/resample.hpp"

using namespace mno;
using namespace mno::test;

namespace {
struct Half {
  static constexpr double value = 0.5;
};
template <class L, int D> Field<double, D> noise_on(Grid<D> grid, Index batch) {
  return Probe<L, D, double, Device>(grid, batch, 1, 3).forward();
}
}  // namespace

TEST_CASE("every real wave has variance 1/n, so that a point has variance 1") {
  // 20000 samples: a variance of 1/7 is met to 1e-2 relatively with five standard deviations.
  constexpr Index batch = 20000, n = 16;
  const auto xi = noise_on<Noise<1, 1, 1, 4>, 1>({{n}}, batch);
  double point = 0;
  for (const double value : xi.span()) point += value * value;
  CHECK(point / double(batch * n) == doctest::Approx(1).epsilon(0.03));
  for (Index k = 0; k < 6; ++k) {
    double cosine = 0, sine = 0;
    for (Index b = 0; b < batch; ++b) {
      double c = 0, s = 0;
      for (Index j = 0; j < n; ++j) {
        c += xi(b, j, 0) * std::cos(2 * std::numbers::pi * double(k * j) / n) / n;
        s += xi(b, j, 0) * std::sin(2 * std::numbers::pi * double(k * j) / n) / n;
      }
      cosine += c * c / double(batch);
      sine += s * s / double(batch);
    }
    const double expected = k == 0 ? 1.0 / 7 : k < 4 ? 0.5 / 7 : 0.0;  // of half the wave's amplitude
    CHECK(cosine == doctest::Approx(expected).epsilon(0.06).scale(1e-12));
    if (k > 0) CHECK(sine == doctest::Approx(expected).epsilon(0.06).scale(1e-12));
  }
}

TEST_CASE("planes: a point has the amplitude's variance") {
  const auto xi = noise_on<Noise<2, 2, 2, 3, Half>, 2>({{8, 7}}, 4000);
  double point = 0;
  for (const double value : xi.span()) point += value * value;
  CHECK(point / double(xi.size()) == doctest::Approx(0.25).epsilon(0.03));
}

TEST_CASE("a finer grid sees the same noise") {
  const auto coarse = noise_on<Noise<1, 2, 1, 4>, 1>({{16}}, 3),
             fine = noise_on<Noise<1, 2, 1, 4>, 1>({{48}}, 3);
  for (Index b = 0; b < 3; ++b)
    for (Index j = 0; j < 16; ++j)
      for (Index c = 0; c < 2; ++c)
        CHECK(fine(b, 3 * j, c) == doctest::Approx(coarse(b, j, c)).epsilon(1e-12));
}

TEST_CASE("a coarser grid sees the waves that it carries") {
  const auto coarse = noise_on<Noise<1, 2, 2, 4>, 2>({{5, 3}}, 2),
             fine = noise_on<Noise<1, 2, 2, 4>, 2>({{9, 8}}, 2);
  const auto carried = resample<double, 2>(fine, {5, 3});
  double error = 0;
  for (std::size_t i = 0; i < coarse.size(); ++i)
    error = std::max(error, std::abs(coarse.data()[i] - carried.data()[i]));
  CHECK(error <= 1e-13);
}

TEST_CASE("a latent is one number per sample and channel; samples and visits differ") {
  const auto latent = noise_on<Noise<1, 2, 1, 1>, 1>({{8}}, 2);
  for (Index j = 1; j < 8; ++j) CHECK(latent(0, j, 1) == doctest::Approx(latent(0, 0, 1)).epsilon(1e-14));
  CHECK(latent(0, 0, 0) != latent(1, 0, 0));
  CHECK(latent(0, 0, 0) != latent(0, 0, 1));
  // Two visits: the sum of two independent draws, not twice one.
  const auto two = noise_on<Sum<Noise<1, 2, 1, 1>, Noise<1, 2, 1, 1>>, 1>({{8}}, 2);
  CHECK(std::abs(two(0, 0, 0) - 2 * latent(0, 0, 0)) > 1e-3);
}

TEST_CASE("gradients pass beside noise, in blocks as in one pass") {
  using Step = Sum<Identity<2>, Product<Pointwise<2, 2>, Noise<2, 2, 1, 3, Half>>>;
  for (const auto& grid : {lines[1], lines[3]}) {
    check_vjp<Step>(grid);
    check_vjp<Tied<3, Step>>(grid);
    check_vjp<Scale<3, Half>>(grid);
  }
  check_vjp<Tied<2, Sum<Identity<2>, Product<Pointwise<2, 2>, Noise<2, 2, 2, 2>>>>>(planes[1]);
}

// Transforms against the sums that define them, tables against FFTW, and each against its adjoint.
#include "mno/spectral/transform.hpp"

#include <doctest/doctest.h>

#include <complex>

#include "mno/core/random.hpp"
#include "mno/spectral/resample.hpp"

using namespace mno;

namespace {

template <class T, int D> Field<T, D> noise(Index batch, Grid<D> grid, Index channels, std::uint64_t seed) {
  Field<T, D> field(batch, grid, channels);
  Stream random(seed);
  for (T& value : field.span()) value = T(random.normal());
  return field;
}

/// 2π k·j/N for the p-th point.
template <int D> double phase(const std::array<Index, D>& k, Index p, const std::array<Index, D>& n) {
  double turns = 0;
  for (std::size_t d = std::size_t(D); d-- > 0;) {
    turns += double(k[d]) * double(p % n[d]) / double(n[d]);
    p /= n[d];
  }
  return 2 * std::numbers::pi * turns;
}

template <class T, int D> struct Setup {
  Setup(Grid<D> g, Index modes, TransformBackend backend = TransformBackend::tables)
      : grid(g), f([&] {
          TransformKey<D> key{g.points, {}, channels, backend};
          key.modes.fill(modes);
          return key;
        }()) {
    data = Buffer<T>(std::size_t(f.modes() * batch * 2 * channels));
  }
  Spectrum<T> spectrum() { return {data.data(), f.modes(), batch, channels}; }
  static constexpr Index channels = 3, batch = 2;
  Grid<D> grid;
  Transform<T, D> f;
  Buffer<T> data;
  Arena scratch;
};

template <int D> void against_definition(Grid<D> grid, Index modes, TransformBackend backend) {
  INFO(grid.str() << ", modes " << modes);
  Setup<double, D> s(grid, modes, backend);
  const auto x = noise<double, D>(s.batch, grid, s.channels, 1);
  s.f.project(x.view(), s.spectrum(), Weight::analysis, s.scratch);
  const auto& waves = s.f.waves();
  double worst = 0;
  for (Index i = 0; i < s.f.modes(); ++i)
    for (Index b = 0; b < s.batch; ++b)
      for (Index c = 0; c < s.channels; ++c) {
        std::complex<double> sum = 0;
        for (Index p = 0; p < grid.size(); ++p)
          sum += x(b, p, c) * std::polar(1.0, -phase<D>(waves.wave(i), p, grid.points));
        sum *= waves.analysis_weight(i);
        worst = std::max({worst, std::abs(sum.real() - s.spectrum().at(i, b)[c]),
                          std::abs(sum.imag() - s.spectrum().at(i, b)[s.channels + c])});
      }
  CHECK(worst < 1e-14);

  Stream random(2);
  for (double& value : s.data.span()) value = random.normal();
  Field<double, D> y = noise<double, D>(s.batch, grid, s.channels, 3);
  const Field<double, D> before = y;
  s.f.expand(s.spectrum(), y.view(), Weight::multiplicity, s.scratch);
  worst = 0;
  for (Index b = 0; b < s.batch; ++b)
    for (Index p = 0; p < grid.size(); ++p)
      for (Index c = 0; c < s.channels; ++c) {
        double sum = before(b, p, c);
        for (Index i = 0; i < s.f.modes(); ++i) {
          const std::complex<double> z(s.spectrum().at(i, b)[c], s.spectrum().at(i, b)[s.channels + c]);
          sum +=
              waves.multiplicity(i) * (z * std::polar(1.0, phase<D>(waves.wave(i), p, grid.points))).real();
        }
        worst = std::max(worst, std::abs(sum - y(b, p, c)));
      }
  CHECK(worst < 1e-12);
}

const TransformBackend backends[] = {TransformBackend::tables,
#ifdef MNO_HAS_FFTW
                                     TransformBackend::fftw
#endif
};

}  // namespace

TEST_CASE("transforms are the sums of wavenumbers.hpp, on every backend") {
  for (const auto backend : backends) {
    CAPTURE(int(backend));
    for (Index n : {4, 5, 6, 9, 16})
      for (Index modes : {1, 2, 3, 5, 12}) against_definition<1>({{n}}, modes, backend);
    against_definition<1>({{1200}}, 5, backend);  // more rows than a strip, folded twice and once
    against_definition<1>({{1030}}, 4, backend);
    for (Index modes : {1, 2, 3, 9}) {
      against_definition<2>({{4, 4}}, modes, backend);
      against_definition<2>({{5, 6}}, modes, backend);
      against_definition<2>({{8, 7}}, modes, backend);
    }
    against_definition<3>({{4, 5, 6}}, 3, backend);
    against_definition<3>({{4, 4, 4}}, 9, backend);
  }
}

TEST_CASE("project and expand are adjoint for either weight") {
  for (const auto backend : backends)
    for (const auto weight : {Weight::analysis, Weight::multiplicity}) {
      Setup<double, 2> s({{6, 8}}, 5, backend);
      const auto x = noise<double, 2>(s.batch, s.grid, s.channels, 1);
      s.f.project(x.view(), s.spectrum(), weight, s.scratch);
      Setup<double, 2> t({{6, 8}}, 5, backend);
      Stream random(4);
      for (double& value : t.data.span()) value = random.normal();
      Field<double, 2> y(s.batch, s.grid, s.channels);
      t.f.expand(t.spectrum(), y.view(), weight, t.scratch);
      double left = 0, right = 0;
      for (std::size_t i = 0; i < s.data.size(); ++i) left += s.data.data()[i] * t.data.data()[i];
      for (std::size_t i = 0; i < x.size(); ++i) right += x.data()[i] * y.data()[i];
      CHECK(std::abs(left - right) < 1e-13 * std::abs(left) + 1e-13);
    }
}

TEST_CASE("with all modes kept, inverse after forward gives the field back") {
  for (const auto backend : backends) {
    for (Index n : {4, 5, 8, 9}) {
      Setup<double, 1> s({{n}}, n, backend);
      const auto x = noise<double, 1>(s.batch, s.grid, s.channels, 1);
      Field<double, 1> y(s.batch, s.grid, s.channels);
      s.f.project(x.view(), s.spectrum(), Weight::analysis, s.scratch);
      s.f.expand(s.spectrum(), y.view(), Weight::multiplicity, s.scratch);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(y.data()[i] == doctest::Approx(x.data()[i]).epsilon(1e-12));
    }
    for (const Grid<2>& grid : {Grid<2>{{4, 6}}, Grid<2>{{5, 8}}, Grid<2>{{6, 7}}}) {
      Setup<double, 2> s(grid, 9, backend);
      const auto x = noise<double, 2>(s.batch, s.grid, s.channels, 1);
      Field<double, 2> y(s.batch, s.grid, s.channels);
      s.f.project(x.view(), s.spectrum(), Weight::analysis, s.scratch);
      s.f.expand(s.spectrum(), y.view(), Weight::multiplicity, s.scratch);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(y.data()[i] == doctest::Approx(x.data()[i]).epsilon(1e-12));
    }
  }
}

#ifdef MNO_HAS_FFTW
TEST_CASE("tables and FFTW agree in float and double, also on slices of channels") {
  const auto compare = []<class T>(T tolerance) {
    Setup<T, 2> a({{12, 10}}, 4, TransformBackend::tables), b({{12, 10}}, 4, TransformBackend::fftw);
    const auto wide = noise<T, 2>(2, a.grid, 7, 1);
    a.f.project(wide.view().slice(2, 3), a.spectrum(), Weight::multiplicity, a.scratch);
    b.f.project(wide.view().slice(2, 3), b.spectrum(), Weight::multiplicity, b.scratch);
    for (std::size_t i = 0; i < a.data.size(); ++i)
      CHECK(std::abs(a.data.data()[i] - b.data.data()[i]) < tolerance);
    Field<T, 2> ya(2, a.grid, 7), yb(2, a.grid, 7);
    a.f.expand(a.spectrum(), ya.view().slice(2, 3), Weight::analysis, a.scratch);
    b.f.expand(a.spectrum(), yb.view().slice(2, 3), Weight::analysis, b.scratch);
    for (std::size_t i = 0; i < ya.size(); ++i) CHECK(std::abs(ya.data()[i] - yb.data()[i]) < tolerance);
  };
  compare(1e-12);
  compare(2e-4f);
}
#endif

TEST_CASE("coefficients mean the same on every grid") {
  // 3 + 2 cos(2x) − sin(3x) has the coefficients 3, 1 at k = 2 and i/2 at k = 3, wherever it is sampled.
  for (Index n : {7, 8, 16, 31}) {
    Setup<double, 1> s({{n}, {{2.0}}}, 4);
    Field<double, 1> x(2, s.grid, 3);
    x.fill([](auto p, Index) {
      const double angle = std::numbers::pi * p[0];
      return 3 + 2 * std::cos(2 * angle) - std::sin(3 * angle);
    });
    s.f.project(x.view(), s.spectrum(), Weight::analysis, s.scratch);
    const double expected[4][2] = {{3, 0}, {0, 0}, {1, 0}, {0, 0.5}};
    for (Index k = 0; k < 4; ++k) {
      CHECK(s.spectrum().at(k, 1)[0] == doctest::Approx(expected[k][0]).epsilon(1e-13));
      CHECK(s.spectrum().at(k, 1)[3] == doctest::Approx(expected[k][1]).epsilon(1e-13));
    }
  }
}

TEST_CASE("a grid too small for the modes uses those that exist") {
  const Wavenumbers<2> waves({6, 5}, {9, 9});
  CHECK(waves.lowest == std::array<Index, 2>{-3, 0});
  CHECK(waves.count == std::array<Index, 2>{7, 3});
  CHECK(mode_count<2>(9) == 17 * 9);
  for (Index i = 0; i < waves.size(); ++i) {
    const auto k = waves.wave(i);
    CHECK(waves.weight_index(i) == (k[0] + 8) * 9 + k[1]);
    CHECK(waves.multiplicity(i) == (k[1] == 0 ? 1 : 2));
    CHECK(waves.analysis_weight(i) == doctest::Approx((std::abs(k[0]) == 3 ? 0.5 : 1.0) / 30).epsilon(1e-15));
  }
}

TEST_CASE("resampling a band-limited field is exact in both directions") {
  const auto f = [](std::array<double, 2> x, Index c) {
    return 1 + std::cos(2 * std::numbers::pi * (x[0] / 2 + 2 * x[1])) +
           double(c) * std::sin(2 * std::numbers::pi * x[0]);
  };
  const Domain<2> domain{{2.0, 1.0}};
  Field<double, 2> coarse(1, {{8, 7}, domain}, 2), fine(1, {{20, 18}, domain}, 2);
  coarse.fill(f);
  fine.fill(f);
  const auto up = resample(coarse, {20, 18}), down = resample(fine, {8, 7});
  for (std::size_t i = 0; i < fine.size(); ++i) CHECK(std::abs(up.data()[i] - fine.data()[i]) < 1e-13);
  for (std::size_t i = 0; i < coarse.size(); ++i) CHECK(std::abs(down.data()[i] - coarse.data()[i]) < 1e-13);
}

TEST_CASE("every point is announced once, before it is read and when it is there") {
  Workspace workspace;
  for (const Index n : {7, 10, 64, 66, 200, 256, 1000, 1001, 1002, 4096}) {
    const Transform<float, 1> f(transform_key<1>({{n}}, 48, 5));
    Field<float, 1> x(1, {{n}}, 48);
    Buffer<float> data(std::size_t(f.modes() * 2 * 48));
    const Spectrum<float> z{data.data(), f.modes(), 1, 48};
    std::vector<int> needed(std::size_t(n), 0), done(std::size_t(n), 0);
    const auto count = [](std::vector<int>& seen) {
      return [&seen](Index first, Index points) {
        for (Index i = first; i < first + points; ++i) ++seen.at(std::size_t(i));
      };
    };
    f.project(std::as_const(x).view(), z, 0, Weight::analysis, workspace.scratch, count(needed));
    f.expand(z, 0, x.view(), Weight::multiplicity, workspace.scratch, Write::set, count(done));
    INFO(n << " points");
    CHECK(std::all_of(needed.begin(), needed.end(), [](int times) { return times == 1; }));
    CHECK(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
  }
}

// Every kernel beside a reference that does the same without our code: FFTW, Eigen's own products, the
// standard library's erf, a plain loop.
#include <Eigen/Core>
#include <complex>
#include <unsupported/Eigen/SpecialFunctions>

#include "flops.hpp"
#include "mno/layer/conv.hpp"
#include "mno/layer/factorised_spectral.hpp"
#include "mno/layer/group_norm.hpp"
#include "mno/layer/pooling.hpp"
#include "mno/layer/spectral_resample.hpp"
#include "mno/model/heads.hpp"
#include "mno/train/adamw.hpp"
#include "peak.hpp"

namespace {

using namespace mno;

template <int D> struct Shape48 {
  static constexpr int dimension = D, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <int D> Grid<D> square(Index points) {
  Grid<D> grid;
  grid.points.fill(points);
  return grid;
}
template <int D> Field<float, D> random_field(Index batch, const Grid<D>& grid, Index channels) {
  Field<float, D> field(batch, grid, channels);
  Stream random(1);
  for (float& value : field.span()) value = float(random.normal());
  return field;
}
std::vector<float> random_values(std::size_t n) {
  std::vector<float> values(n);
  Stream random(2);
  for (float& value : values) value = float(random.normal()) / 8;
  return values;
}

/// The references run on one thread, as the kernels do.
const bool one_thread = (Eigen::setNbThreads(1), true);

/// A benchmark by its name, for functions with arguments and templates.
template <class Function, class... Arguments>
benchmark::internal::Benchmark* add(const std::string& name, Function function, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), function, arguments...);
}

/// One block of samples, as the library hands it to a layer.
constexpr Index block_points = 1024;
template <int D> Index block(const Grid<D>& grid) { return std::max<Index>(1, block_points / grid.size()); }

// ---- layers
// ----------------------------------------------------------------------------------------------------

/// A layer with input, output and memory of its own.
template <class L, int D> struct Layered {
  using P = Pass<float, D>;
  Workspace workspace;
  Field<float, D> x, y, ybar, xbar;
  std::vector<float> w = random_values(std::max<std::size_t>(L::parameters, 1)), wbar = w;
  TraceOf<L, P> trace;

  explicit Layered(const Grid<D>& grid)
      : x(random_field<D>(block(grid), grid, L::inputs)),
        y(block(grid), output_grid<L>(grid), L::outputs),
        ybar(random_field<D>(block(grid), output_grid<L>(grid), L::outputs)),
        xbar(block(grid), grid, L::inputs) {}

  void forward() {
    workspace.trace.release();
    workspace.scratch.release();
    P pass(workspace);
    forward_of<L, P>(weights(), x.view(), y.view(), trace, pass, Write::set);
  }
  void vjp() {
    P pass(workspace);
    vjp_of<L, P>(weights(), ybar.view(), trace, {wbar.data(), L::parameters}, xbar.view(), pass, Write::set);
  }
  std::span<const float> weights() const { return {w.data(), L::parameters}; }
};

template <class L, int D>
void forward(benchmark::State& state, double flops_per_point, double flops_per_sample = 0) {
  const Grid<D> grid = square<D>(state.range(0));
  Layered<L, D> layer(grid);
  const peak::Watch watch;
  for (auto _ : state) layer.forward();
  peak::report(state, watch,
               double(block(grid)) * (flops_per_point * double(grid.size()) + flops_per_sample));
}
template <class L, int D>
void vjp(benchmark::State& state, double flops_per_point, double flops_per_sample = 0) {
  const Grid<D> grid = square<D>(state.range(0));
  Layered<L, D> layer(grid);
  layer.forward();
  const peak::Watch watch;
  for (auto _ : state) layer.vjp();
  peak::report(state, watch,
               double(block(grid)) * (flops_per_point * double(grid.size()) + flops_per_sample));
}

// ---- transforms
// ------------------------------------------------------------------------------------------------

template <int D> void transform(benchmark::State& state, bool project, TransformBackend backend) {
  const Grid<D> grid = square<D>(state.range(0));
  const Index channels = 48, modes = state.range(1), batch = block(grid);
  auto key = transform_key<D>(grid, channels, modes);
  key.backend = backend;
  const Transform<float, D> f(key);
  Arena scratch;
  auto x = random_field<D>(batch, grid, channels);
  auto values = random_values(std::size_t(f.modes() * batch * 2 * channels));
  const Spectrum<float> spectrum{values.data(), f.modes(), batch, channels};
  const peak::Watch watch;
  for (auto _ : state) {
    if (project)
      f.project(x.view(), spectrum, Weight::analysis, scratch);
    else
      f.expand(spectrum, x.view(), Weight::multiplicity, scratch);
    benchmark::ClobberMemory();
  }
  floor_count::Flops<Shape48<D>> flops{grid.points};
  peak::report(state, watch, double(batch) * flops.transform(channels) * double(modes) / 16);
}
const bool transforms_added = [] {
  std::vector<std::pair<std::string, TransformBackend>> backends{{"", TransformBackend::automatic}};
#ifdef MNO_HAS_FFTW
  backends.emplace_back("_by_fftw", TransformBackend::fftw);
#endif
  for (const auto& [suffix, backend] : backends)
    for (const bool project : {true, false}) {
      const std::string name = (project ? "project" : "expand") + suffix;
      auto* const line = add(name + "/1d", transform<1>, project, backend)->ArgNames({"points", "modes"});
      for (const Index points : {64, 256, 1024}) line->Args({points, 16});
      line->Args({256, 64})->Args({1024, 128});
      add(name + "/2d", transform<2>, project, backend)->ArgNames({"points", "modes"})->Args({64, 16});
    }
  return true;
}();

#ifdef MNO_HAS_FFTW
/// FFTW alone, at its best: channel-first signals, a plan it has measured, nothing around it.
template <int D> void fftw_alone(benchmark::State& state, bool forward) {
  const Grid<D> grid = square<D>(state.range(0));
  const int points = int(state.range(0)), signals = int(48 * block(grid));
  const int size = int(grid.size()), half = size / points * (points / 2 + 1);
  std::vector<float> real(std::size_t(size) * std::size_t(signals)),
      complex(2 * std::size_t(half) * std::size_t(signals));
  int n[D];
  std::fill_n(n, D, points);
  auto* const spectrum = reinterpret_cast<fftwf_complex*>(complex.data());
  const fftwf_plan plan = forward ? fftwf_plan_many_dft_r2c(D, n, signals, real.data(), nullptr, 1, size,
                                                            spectrum, nullptr, 1, half, FFTW_MEASURE)
                                  : fftwf_plan_many_dft_c2r(D, n, signals, spectrum, nullptr, 1, half,
                                                            real.data(), nullptr, 1, size, FFTW_MEASURE);
  std::fill(real.begin(), real.end(), 1.f);
  for (auto _ : state) fftwf_execute(plan);
  fftwf_destroy_plan(plan);
}
const bool fftw_added = [] {
  for (const bool forward : {true, false}) {
    const std::string name = forward ? "fftw_alone/r2c/" : "fftw_alone/c2r/";
    add(name + "1d", fftw_alone<1>, forward)->ArgName("points")->Arg(64)->Arg(256)->Arg(1024);
    add(name + "2d", fftw_alone<2>, forward)->ArgName("points")->Arg(64);
  }
  return true;
}();
#endif

// ---- spectral convolution: transforms and mode mixing
// ------------------------------------------------------------

template <int D> void spectral(benchmark::State& state, bool backward) {
  const floor_count::Flops<Shape48<D>> flops{square<D>(state.range(0)).points};
  using L = SpectralConv<48, 48, D, 16>;
  const double transforms = 2 * flops.transform(48);
  if (backward)
    vjp<L, D>(state, 0, transforms + 2 * flops.mixing());
  else
    forward<L, D>(state, 0, transforms + flops.mixing());
}
const bool spectral_added = [] {
  for (const bool backward : {false, true}) {
    const std::string name = backward ? "spectral/vjp/" : "spectral/forward/";
    add(name + "1d", spectral<1>, backward)->ArgName("points")->Arg(64)->Arg(256);
    add(name + "2d", spectral<2>, backward)->ArgName("points")->Arg(64);
  }
  return true;
}();

/// Mode mixing by Eigen's complex product: 16 modes, (samples × 48)(48 × 48) each.
void mixing_by_eigen(benchmark::State& state) {
  using Complex = Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index samples = state.range(0);
  const std::vector<Complex> u(16, Complex::Random(samples, 48)), r(16, Complex::Random(48, 48));
  std::vector<Complex> y(16, Complex::Zero(samples, 48));
  const peak::Watch watch;
  for (auto _ : state)
    for (std::size_t k = 0; k < 16; ++k) y[k].noalias() = u[k] * r[k];
  benchmark::DoNotOptimize(y.data());
  const floor_count::Flops<Shape48<1>> flops{{64}};
  peak::report(state, watch, double(samples) * flops.mixing());
}
BENCHMARK(mixing_by_eigen)->ArgName("samples")->Arg(16)->Arg(256);

// ---- pointwise
// ---------------------------------------------------------------------------------------------------

template <int In, int Out> void pointwise(benchmark::State& state, bool backward) {
  if (backward)
    vjp<Pointwise<In, Out>, 1>(state, 4.0 * In * Out);
  else
    forward<Pointwise<In, Out>, 1>(state, 2.0 * In * Out);
}
template <int In, int Out> void pointwise_by_eigen(benchmark::State& state, bool backward) {
  const Rows x = Rows::Random(block_points, In), w = Rows::Random(Out, In),
             ybar = Rows::Random(block_points, Out);
  const Eigen::RowVectorXf bias = Eigen::RowVectorXf::Random(Out);
  Rows y = Rows::Zero(block_points, Out), xbar = x, wbar = w;
  const peak::Watch watch;
  for (auto _ : state) {
    if (backward) {
      xbar.noalias() = ybar * w;
      wbar.noalias() = ybar.transpose() * x;
    } else {
      y.noalias() = x * w.transpose();
      y.rowwise() += bias;
    }
    benchmark::ClobberMemory();
  }
  peak::report(state, watch, (backward ? 4.0 : 2.0) * In * Out * block_points);
}
template <int In, int Out> void add_pointwise() {
  const std::string channels = std::to_string(In) + "→" + std::to_string(Out);
  for (const bool backward : {false, true}) {
    const std::string name = channels + (backward ? "/vjp" : "/forward");
    add("pointwise/" + name, pointwise<In, Out>, backward)->ArgName("points")->Arg(64);
    add("pointwise_by_eigen/" + name, pointwise_by_eigen<In, Out>, backward);
  }
}
const bool pointwise_added =
    (add_pointwise<48, 48>(), add_pointwise<48, 128>(), add_pointwise<128, 16>(), true);

// ---- convolution
// -------------------------------------------------------------------------------------------------

/// 3 × 3 taps, 48 → 48 channels: two products as large as forward's make vjp.
template <class Edge, int Stride> void convolution(benchmark::State& state, bool backward) {
  const double flops = 2.0 * 9 * 48 * 48 / (Stride * Stride);
  using L = Conv<48, 48, 2, 3, Edge, Stride>;
  if (backward)
    vjp<L, 2>(state, 2 * flops);
  else
    forward<L, 2>(state, flops);
}
/// Every point's patch copied into a row, and one product by Eigen; its adjoints likewise.
void convolution_by_eigen(benchmark::State& state, bool backward) {
  const Index n = state.range(0), samples = block(square<2>(n)), points = samples * n * n;
  const Rows x = Rows::Random(points, 48), w = Rows::Random(9 * 48, 48), ybar = Rows::Random(points, 48);
  Rows patches(points, 9 * 48), y(points, 48), wbar = w, xbar = x;
  const auto for_each_patch = [&](auto&& f) {
    for (Index p = 0; p < points; ++p)
      for (Index a = 0; a < 9; ++a) {
        const Index i = p / n % n, j = p % n;
        f(p, a, p - i * n - j + (i + a / 3 - 1 + n) % n * n + (j + a % 3 - 1 + n) % n);
      }
  };
  const auto copy = [&] {
    for_each_patch([&](Index p, Index a, Index from) { patches.row(p).segment(a * 48, 48) = x.row(from); });
  };
  const peak::Watch watch;
  for (auto _ : state) {
    copy();
    if (backward) {
      wbar.noalias() = patches.transpose() * ybar;
      patches.noalias() = ybar * w.transpose();
      xbar.setZero();
      for_each_patch([&](Index p, Index a, Index to) { xbar.row(to) += patches.row(p).segment(a * 48, 48); });
    } else {
      y.noalias() = patches * w;
    }
    benchmark::ClobberMemory();
  }
  peak::report(state, watch, (backward ? 4.0 : 2.0) * 9 * 48 * 48 * double(points));
}
const bool convolution_added = [] {
  for (const bool backward : {false, true}) {
    const std::string name = backward ? "vjp" : "forward";
    for (const Index points : {8, 64}) {
      add("conv/" + name, convolution<Circular, 1>, backward)->ArgName("points")->Arg(points);
      add("conv_by_eigen/" + name, convolution_by_eigen, backward)->ArgName("points")->Arg(points);
    }
    add("conv_reflecting/" + name, convolution<Reflecting, 1>, backward)->ArgName("points")->Arg(64);
    add("conv_stride_2/" + name, convolution<Circular, 2>, backward)->ArgName("points")->Arg(64);
  }
  return true;
}();

// ---- layers that are all memory: a field is read, and one is written
// --------------------------------------------------------------------

template <class L> void memory_bound(benchmark::State& state, bool backward) {
  Layered<L, 2> layer(square<2>(state.range(0)));
  layer.forward();
  const peak::Watch watch;
  for (auto _ : state) backward ? layer.vjp() : layer.forward();
  state.counters["ns/value"] = 1e9 * watch.seconds() / double(state.iterations()) / double(layer.x.size());
}
template <class L> void add_memory_bound(const std::string& name) {
  for (const bool backward : {false, true})
    add(name + (backward ? "/vjp" : "/forward"), memory_bound<L>, backward)->ArgName("points")->Arg(64);
}
const bool memory_bound_added =
    (add_memory_bound<GroupNorm<48, 8>>("group_norm"), add_memory_bound<AveragePool<48, 2>>("average_pool"),
     add_memory_bound<MaxPool<48, 2>>("max_pool"), add_memory_bound<SpectralUp<48, 2>>("spectral_up"),
     add_memory_bound<SpectralDown<48, 2>>("spectral_down"), true);

// ---- factorised spectral convolution
// ------------------------------------------------------------------------------------------

/// Along every axis, transforms and mixing of as many lines as there are.
void factorised(benchmark::State& state, bool backward) {
  const floor_count::Flops<Shape48<1>> flops{{state.range(0)}};
  const double lines = 2 * double(state.range(0)), transforms = 2 * flops.transform(48);
  using L = FactorisedSpectralConv<48, 48, 2, 16>;
  if (backward)
    vjp<L, 2>(state, 0, lines * (transforms + 2 * flops.mixing()));
  else
    forward<L, 2>(state, 0, lines * (transforms + flops.mixing()));
}
const bool factorised_added = [] {
  for (const bool backward : {false, true})
    add(backward ? "factorised_spectral/vjp" : "factorised_spectral/forward", factorised, backward)
        ->ArgName("points")
        ->Arg(64);
  return true;
}();

// ---- activation
// --------------------------------------------------------------------------------------------------

void ns_per_value(benchmark::State& state, const peak::Watch& watch, double values) {
  state.counters["ns/value"] = 1e9 * watch.seconds() / double(state.iterations()) / values;
}
void gelu_forward(benchmark::State& state) {
  Layered<Gelu<48>, 1> layer(square<1>(64));
  const peak::Watch watch;
  for (auto _ : state) layer.forward();
  ns_per_value(state, watch, double(layer.x.size()));
}
BENCHMARK(gelu_forward);

/// gelu and gelu′ by the standard library, value by value.
void gelu_by_std(benchmark::State& state) {
  const std::vector<float> x = random_values(48 * block_points);
  std::vector<float> y(x.size()), slope(x.size());
  const peak::Watch watch;
  for (auto _ : state) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float phi = 0.5f * (1 + std::erf(x[i] * 0.70710678f));
      y[i] = x[i] * phi;
      slope[i] = phi + x[i] * 0.39894228f * std::exp(-0.5f * x[i] * x[i]);
    }
    benchmark::ClobberMemory();
  }
  ns_per_value(state, watch, double(x.size()));
}
BENCHMARK(gelu_by_std);

/// The same by Eigen's vectorised erf and exp.
void gelu_by_eigen(benchmark::State& state) {
  const Eigen::ArrayXf x = Eigen::ArrayXf::Random(48 * block_points) * 3;
  Eigen::ArrayXf phi(x.size()), y(x.size()), slope(x.size());
  const peak::Watch watch;
  for (auto _ : state) {
    phi = 0.5f * (1 + (x * 0.70710678f).erf());
    y = x * phi;
    slope = phi + x * 0.39894228f * (-0.5f * x.square()).exp();
    benchmark::ClobberMemory();
  }
  ns_per_value(state, watch, double(x.size()));
}
BENCHMARK(gelu_by_eigen);

// ---- a whole Fourier layer
// ---------------------------------------------------------------------------------------

template <int D> void fourier_layer(benchmark::State& state, bool backward) {
  const floor_count::Flops<Shape48<D>> flops{square<D>(state.range(0)).points};
  using L = FourierLayer<Shape48<D>>;
  if (backward)
    vjp<L, D>(state, 0, flops.layer() + flops.mixing() + flops.skip());
  else
    forward<L, D>(state, 0, flops.layer());
}
const bool fourier_layer_added = [] {
  for (const bool backward : {false, true}) {
    const std::string name = backward ? "fourier_layer/vjp/" : "fourier_layer/forward/";
    add(name + "1d", fourier_layer<1>, backward)->ArgName("points")->Arg(64)->Arg(256);
    add(name + "2d", fourier_layer<2>, backward)->ArgName("points")->Arg(64);
  }
  return true;
}();

// ---- optimiser
// ---------------------------------------------------------------------------------------------------

/// Four numbers are read and three written per parameter.
void adamw(benchmark::State& state) {
  const std::size_t n = std::size_t(state.range(0));
  Cpu device(1);
  AdamW<float> optimiser(n);
  std::vector<float> w = random_values(n);
  const std::vector<float> g = w;
  const peak::Watch watch;
  for (auto _ : state) optimiser.step(w, g, device);
  peak::report(state, watch, 12 * double(n), 7 * 4 * double(n));
}
BENCHMARK(adamw)->ArgName("parameters")->Arg(330000)->Arg(9200000);

void adamw_by_eigen(benchmark::State& state) {
  const Index n = state.range(0);
  Eigen::ArrayXf w = Eigen::ArrayXf::Random(n), m = Eigen::ArrayXf::Zero(n), v = m;
  const Eigen::ArrayXf g = w;
  const peak::Watch watch;
  for (auto _ : state) {
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g.square();
    w = w * (1 - 1e-5f) - 1e-3f * (m / (v.sqrt() + 1e-8f));
    benchmark::ClobberMemory();
  }
  peak::report(state, watch, 12 * double(n), 7 * 4 * double(n));
}
BENCHMARK(adamw_by_eigen)->ArgName("parameters")->Arg(330000)->Arg(9200000);

}  // namespace

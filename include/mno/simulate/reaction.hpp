#pragma once
// A reaction on [0,1) that grows, saturates, and is driven by its own size:
//
//     du = (D u_xx + a u − b u³) dt + s u dW   (Itô),   Var W_1(x) = v at every x.
//
// Each part has an exact solution, and a step takes them in turn (Lie splitting, first order in dt):
//
//     diffusion   û_k ← e^{−D(2πk)² dt} û_k
//     noise       u ← u exp(s ΔW − s² v dt/2),              so that E u stays
//     reaction    u ← u e^{a dt} / √(1 + b u² (e^{2a dt} − 1)/a)
//
// u keeps its sign where noise and reaction act, and no step blows up. The initial field has one shape and
// one size:
//     u_0 = A e^{S ζ} f / max|f|,   f = Σ_{k≤4} (a_k cos 2πkx + b_k sin 2πkx)/k,   ζ, a_k, b_k ~ N(0,1).
#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "mno/simulate/modal.hpp"
#include "mno/simulate/pairs.hpp"
#include "mno/simulate/spectral_scheme.hpp"

namespace mno::spde {

struct Reaction {
  static constexpr int dimension = 1;
  static constexpr Index channels = 1;
  template <class T> class Solver;

  double diffusion = 0.002;     // D
  double growth = 1.5;          // a
  double saturation = 0.00375;  // b
  double sigma = 0.3;           // s
  double size = 3.6;            // A
  double spread = 0.5;          // S
  double time = 1;
  Index steps = 100;
  Index simulated = 128;  // points
  Index kept = 64;        // points, every (simulated/kept)-th
  InitialField initial{.modes = 4, .decay = 1};
  ModalNoise noise = ModalNoise::of_unit_variance(8);

  /// Less noise, and sizes that differ more: more conditions are decided from the start.
  static Reaction nearly_decided() { return {.sigma = 0.1, .size = 5, .spread = 0.8}; }

  SpectralScheme scheme() const {
    return {"Reaction",          "take more steps", {sigma}, time / double(steps), simulated, kept,
            (simulated - 1) / 2, initial,           noise};
  }
  FourierSeries draw(std::uint64_t seed, Index sample) const {
    FourierSeries series = initial.draw(seed, sample);
    constexpr Index fine = 512;  // where max|f| is looked for, whatever the grid
    double largest = 0;
    for (Index p = 0; p < fine; ++p) largest = std::max(largest, std::abs(series(double(p) / fine)));
    const double zeta = Stream(seed, stream_of(Draw::size, sample)).normal();
    const double scale = largest > 0 ? size * std::exp(spread * zeta) / largest : 0;
    for (auto* half : {&series.cosine, &series.sine})
      for (double& value : *half) value *= scale;
    return series;
  }

  void check() const {
    for (const auto& [value, name] :
         {std::pair(diffusion, "diffusion"), {saturation, "saturation"}, {size, "size"}, {spread, "spread"}})
      require(std::isfinite(value) && value >= 0, "Reaction", name, Text("a number that is not negative"),
              Text(value));
    require(std::isfinite(growth), "Reaction", "growth", Text("a finite number"), Text(growth));
    require(steps >= 1, "Reaction", "steps", Text("at least one"), Text(steps));
    scheme().check();
  }
  void check_time(double t) const { detail::steps_to(t, time / double(steps), "Reaction"); }
  double final_time() const { return time; }
  Grid<1> grid() const { return {{kept}}; }
};

template <class T> class Reaction::Solver {
 public:
  static constexpr Index lanes = Index(alignment / sizeof(T));
  static constexpr Index block = 2 * lanes;  // members that travel together: (re|im, lane) of a transform

  explicit Solver(const Reaction& equation)
      : equation_(equation),
        scheme_(equation.scheme()),
        fft_(scheme_.points),
        basis_(detail::flat<T>(scheme_.noise.basis(scheme_.points))) {
    const double dt = scheme_.dt, a = equation.growth;
    for (Index j = 0; j < scheme_.points; ++j) {
      const double k = double(std::min(j, scheme_.points - j));
      const double rate = -equation.diffusion * std::pow(2 * std::numbers::pi * k, 2);
      decay_.push_back(T(std::exp(rate * dt) / double(scheme_.points)));
    }
    grow_ = T(std::exp(a * dt));
    saturate_ = T(equation.saturation * (a == 0 ? 2 * dt : std::expm1(2 * a * dt) / a));
    shock_ = T(equation.sigma * std::sqrt(dt));
    correction_ = T(0.5 * std::pow(equation.sigma, 2) * scheme_.noise.pointwise_variance() * dt);
  }

  void run(const detail::Task<T, 1>& task, Arena& scratch) const {
    const FourierSeries series = equation_.draw(task.seed, task.sample);
    series.evaluate(task.initial);
    const ArenaScope scope(scratch);
    const auto rows = std::size_t(scheme_.points * block);
    T* const values = scratch.take<T>(rows);
    T* const other = scratch.take<T>(rows);
    T* const xi = scratch.take<T>(std::size_t((scheme_.noise.rank() + 3) / 4 * 4 * block));
    for (Index first = 0; first < task.count; first += block)
      run_block(task, series, first, values, other, xi);
  }

 private:
  using Transform = Fft<T, lanes>;
  using Row = Eigen::Map<Eigen::Array<T, block, 1>, Eigen::AlignedMax>;

  void run_block(const detail::Task<T, 1>& task, const FourierSeries& series, Index first, T* values,
                 T* other, T* xi) const {
    for (Index p = 0; p < scheme_.points; ++p)
      std::fill_n(values + p * block, block, T(series(double(p) / double(scheme_.points))));
    Normals<block> normals(task.seed, stream_of(Draw::noise, task.sample), first);
    std::size_t query = 0;
    for (Index step = 0;; ++step) {
      while (detail::steps_to(task.times[query], scheme_.dt, scheme_.name) == step) {
        write(task, Index(query), first, values);
        if (++query == task.times.size()) return;
      }
      diffuse(values, other);
      if (shock_ > 0) shock(values, normals, step, xi);
      react(values);
    }
  }

  void diffuse(T*& values, T*& other) const {
    T* spectrum = fft_.forward(values, other);
    if (spectrum == other) std::swap(values, other);
    for (Index j = 0; j < scheme_.points; ++j) Row(values + j * block) *= decay_[std::size_t(j)];
    T* back = fft_.inverse(values, other);
    if (back == other) std::swap(values, other);
  }
  void shock(T* values, Normals<block>& normals, Index step, T* xi) const {
    const Index rank = scheme_.noise.rank(), draws = (rank + 3) / 4;
    alignas(alignment) float drawn[4 * block];
    for (Index i = 0; i < draws; ++i) {
      normals.draw(std::uint32_t(step * draws + i), drawn);
      for (Index m = 0; m < 4 * block; ++m) xi[i * 4 * block + m] = shock_ * T(drawn[m]);
    }
    Eigen::Array<T, block, 1> exponent;
    for (Index p = 0; p < scheme_.points; ++p) {
      exponent.setConstant(-correction_);
      for (Index i = 0; i < rank; ++i)
        exponent += basis_[std::size_t(i * scheme_.points + p)] * Row(xi + i * block);
      Row(values + p * block) *= exponent.exp();
    }
  }
  void react(T* values) const {
    for (Index p = 0; p < scheme_.points; ++p) {
      Row u(values + p * block);
      u *= grow_ / (T(1) + saturate_ * u.square()).sqrt();
    }
  }
  void write(const detail::Task<T, 1>& task, Index query, Index first, const T* values) const {
    const Index stride = scheme_.points / scheme_.kept;
    for (Index m = 0; m < std::min(block, task.count - first); ++m) {
      T* const to = task.members + (query * task.count + first + m) * scheme_.kept;
      for (Index p = 0; p < scheme_.kept; ++p) to[p] = values[p * stride * block + m];
    }
  }

  Reaction equation_;
  SpectralScheme scheme_;
  Transform fft_;
  std::vector<T> basis_;  // (rank, points)
  std::vector<T> decay_;  // e^{−D(2πk)² dt} and the transform's 1/N, in its order
  T grow_, saturate_, shock_, correction_;
};

}  // namespace mno::spde

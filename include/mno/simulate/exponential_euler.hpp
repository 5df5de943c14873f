#pragma once
// The time stepper of the spectral equations u_t = Λu + N(u) + σẆ on [0,1), Λ diagonal in Fourier modes:
//
//     û_k ← e^{λ dt} û_k + ((e^{λ dt} − 1)/λ) N̂_k(u) + exact Ornstein–Uhlenbeck noise,
//     N̂_k(u) = n_k f(u)^_k.
//
// Two members travel as one complex field, pairs.hpp.
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "mno/simulate/normal.hpp"
#include "mno/simulate/pairs.hpp"
#include "mno/simulate/simulate.hpp"
#include "mno/simulate/spectral_scheme.hpp"
#include "mno/spectral/fft.hpp"

namespace mno {

/// Equation has scheme(), rate(k) = λ_k, nonlinear_symbol(k) = n_k and a static nonlinearity(u) = f(u).
template <class T, class Equation> class ExponentialEuler {
 public:
  static constexpr Index lanes = Index(alignment / sizeof(T));  // pairs of members: a row is two cache lines
  static constexpr Index block = 2 * lanes;                     // members that travel together

  explicit ExponentialEuler(const Equation& equation)
      : scheme_(equation.scheme()), fft_(scheme_.points), draws_((scheme_.noise.rank() + 3) / 4) {
    const double dt = scheme_.dt;
    for (Index k = -scheme_.highest; k <= scheme_.highest; ++k) {
      const double lambda = equation.rate(k), x = lambda * dt;
      const double phi = x == 0 ? dt : dt * std::expm1(x) / x;
      const std::complex<double> gain = equation.nonlinear_symbol(k) * phi / double(scheme_.points);
      modes_.push_back({T(std::exp(x)), T(gain.real()), T(gain.imag())});
    }
    for (Index k = 0; k <= scheme_.noise.modes(); ++k) {
      const double deviation =
          scheme_.sigma[0] * scheme_.noise[k] * ornstein_uhlenbeck_deviation(equation.rate(k), dt);
      noise_.push_back(T(k == 0 ? deviation : deviation / std::numbers::sqrt2));
    }
  }

  void run(const detail::Task<T, 1>& task, Arena& scratch) const {
    const FourierSeries series = scheme_.initial.draw(task.seed, task.sample);
    series.evaluate(task.initial);
    const ArenaScope scope(scratch);
    const auto rows = std::size_t(Transform::row);
    Memory memory{scratch.take<T>(std::size_t(modes()) * rows),
                  scratch.take<T>(std::size_t(scheme_.points) * rows),
                  scratch.take<T>(std::size_t(scheme_.points) * rows)};
    for (Index first = 0; first < task.count; first += block) run_block(task, series, first, memory);
  }

 private:
  using Transform = Fft<T, lanes>;
  struct Mode {
    T decay, gain_re, gain_im;  // e^{λ dt}, and n_k (e^{λ dt} − 1)/λ with the transform's 1/N
  };
  struct Memory {
    T* state;           // ẑ: (mode from −highest, re|im, lane)
    T *values, *other;  // (point, re|im, lane)
  };

  Index modes() const { return 2 * scheme_.highest + 1; }
  Index row_of(Index i) const {  // where mode i of the state stands in a transform
    return (i - scheme_.highest + scheme_.points) % scheme_.points * Transform::row;
  }

  void run_block(const detail::Task<T, 1>& task, const FourierSeries& series, Index first,
                 Memory memory) const {
    for (Index i = 0; i < modes(); ++i)
      detail::set_pairs<lanes>(memory.state + i * Transform::row, series.coefficient(i - scheme_.highest));
    Normals<block> normals(task.seed, stream_of(Draw::noise, task.sample), first);
    std::size_t query = 0;
    for (Index step = 0;; ++step) {
      to_values(memory);
      while (steps(task, query) == step) {
        write(task, Index(query), first, memory.values);
        if (++query == task.times.size()) return;
      }
      for (Index j = 0; j < scheme_.points * Transform::row; j += lanes) {
        T* const value = memory.values + j;
        for (Index m = 0; m < lanes; ++m) value[m] = Equation::nonlinearity(value[m]);
      }
      advance(memory);
      if (scheme_.sigma[0] > 0) add_noise(memory, normals, step);
      detail::check_finite<lanes>(task, scheme_, memory.state + scheme_.highest * Transform::row, first,
                                  step + 1);
    }
  }

  Index steps(const detail::Task<T, 1>& task, std::size_t query) const {
    return detail::steps_to(task.times[query], scheme_.dt, scheme_.name);
  }

  /// values_j = Σ_k ẑ_k e^{2πi jk/N}
  void to_values(Memory& memory) const {
    T* const x = memory.values;
    for (Index i = 0; i < modes(); ++i) {
      const T* const from = memory.state + i * Transform::row;
      T* const to = x + row_of(i);
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < Transform::row; ++m) to[m] = from[m];
    }
    std::fill(x + (scheme_.highest + 1) * Transform::row,
              x + (scheme_.points - scheme_.highest) * Transform::row, T(0));
    memory.values = fft_.inverse(x, memory.other);
    if (memory.values == memory.other) memory.other = x;
  }

  void advance(Memory& memory) const {
    T* const x = memory.values;
    const T* const spectrum = fft_.forward(x, memory.other);
    for (Index i = 0; i < modes(); ++i) {
      T* const z = memory.state + i * Transform::row;
      const T* const n = spectrum + row_of(i);
      const Mode mode = modes_[std::size_t(i)];
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < lanes; ++m) {
        z[m] = mode.decay * z[m] + (mode.gain_re * n[m] - mode.gain_im * n[lanes + m]);
        z[lanes + m] = mode.decay * z[lanes + m] + (mode.gain_re * n[lanes + m] + mode.gain_im * n[m]);
      }
    }
  }

  void add_noise(Memory& memory, Normals<block>& normals, Index step) const {
    alignas(alignment) float drawn[4 * block];
    for (Index i = 0; i < scheme_.noise.rank(); i += 2) {
      if (i % 4 == 0) normals.draw(std::uint32_t(step * draws_ + i / 4), drawn);
      const Index k = scheme_.noise.wavenumber(i);
      const float *const beta = drawn + i % 4 * block, *const gamma = beta + block;
      detail::add_wave_noise<lanes>(memory.state + (scheme_.highest + k) * Transform::row,
                                    memory.state + (scheme_.highest - k) * Transform::row,
                                    noise_[std::size_t(k)], beta, gamma);
    }
  }

  void write(const detail::Task<T, 1>& task, Index query, Index first, const T* values) const {
    const Index stride = scheme_.points / scheme_.kept;
    for (Index m = 0; m < std::min(block, task.count - first); ++m) {
      T* const to = task.members + (query * task.count + first + m) * scheme_.kept;
      for (Index p = 0; p < scheme_.kept; ++p) to[p] = values[p * stride * Transform::row + m];
    }
  }

  SpectralScheme scheme_;
  Transform fft_;
  Index draws_;  // positions of the normal numbers in a step
  std::vector<Mode> modes_;
  std::vector<T> noise_;
};

}  // namespace mno

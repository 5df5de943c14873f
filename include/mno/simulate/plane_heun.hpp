#pragma once
// The time stepper of spectral equations u_t = Λu + F + N(u) + σẆ on a periodic square, Λ diagonal in waves:
// Heun's method with the linear part, the constant force F and the noise solved exactly,
//
//     a = E (u + dt N(u)) + f + η,      u ← E (u + ½dt N(u)) + f + η + ½dt N(a),
//     E = e^{Λ dt},   f = ((e^{Λ dt} − 1)/Λ) F,   η the exact Ornstein–Uhlenbeck noise of the step.
//
// It is of second order in dt without noise. The nonlinear term is made of products at points: fields that
// are linear in u are brought to points, multiplied there, and brought back,
//
//     v_i = Σ_k s_i(k) û_k e^{ik·x},    w = f(v) at every point,    N̂_c(k) = Σ_o n_co(k) ŵ_o(k).
//
// Two members travel as one complex field, as in exponential_euler.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "mno/simulate/plane_waves.hpp"
#include "mno/simulate/simulate.hpp"
#include "mno/simulate/spectral_scheme.hpp"
#include "mno/spectral/plane_fft.hpp"

namespace mno {

template <Index Channels = 1> using PlaneScheme = SpectralSchemeOf<PlaneInitialField, PlaneNoise, Channels>;

/// Equation has scheme(), draw(seed, sample) = the series of u_0 of every channel c, rate(c, k) = λ, force(c,
/// k) = F̂, and the numbers `inputs` of v and `outputs` of w; input i is made of channel i mod channels by
/// input_symbol(i, k) = s_i, output_symbol(c, o, k) is n_co, and nonlinearity(v) = w.
template <class T, class Equation> class PlaneHeun {
 public:
  static constexpr Index lanes = Index(alignment / sizeof(T) / 2);  // pairs of members: a row is a cache line
  static constexpr Index block = 2 * lanes;                         // members that travel together

  explicit PlaneHeun(const Equation& equation)
      : equation_(equation),
        scheme_(equation.scheme()),
        fft_(scheme_.points, scheme_.highest),
        draws_((scheme_.noise.rank() + 3) / 4) {
    const double dt = scheme_.dt, average = 1 / double(scheme_.points * scheme_.points);
    for (Index c = 0; c < channels; ++c) {
      for (Index mode = 0; mode < modes(); ++mode) {
        const PlaneWave k = wave(mode);
        const double x = equation.rate(c, k) * dt, force = equation.force(c, k);
        decay_.push_back(T(std::exp(x)));
        for (Index o = 0; o < outputs; ++o)
          gain_.push_back(number(equation.output_symbol(c, o, k) * (dt / 2 * average)));
        if (force != 0)
          force_.push_back({c * modes() + mode, T(force * (x == 0 ? dt : dt * std::expm1(x) / x))});
      }
      for (Index i = 0; i < scheme_.noise.rank(); ++i) {
        const PlaneWave k = scheme_.noise.wavenumber(i);
        const double deviation = scheme_.sigma[std::size_t(c)] * scheme_.noise.amplitude(i) *
                                 ornstein_uhlenbeck_deviation(equation.rate(c, k), dt);
        noise_.push_back(T(k == PlaneWave{} ? deviation : deviation / std::numbers::sqrt2));
      }
    }
    for (Index i = 0; i < inputs; ++i)
      for (Index mode = 0; mode < modes(); ++mode)
        symbol_.push_back(number(equation.input_symbol(i, wave(mode))));
  }

  void run(const detail::Task<T, 2>& task, Arena& scratch) const {
    const auto series = equation_.draw(task.seed, task.sample);
    for (Index c = 0; c < channels; ++c) series[std::size_t(c)].evaluate(task.initial, 0, c);
    const ArenaScope scope(scratch);
    Memory memory;
    memory.state = scratch.take<T>(std::size_t(channels * modes() * row));
    memory.slope = scratch.take<T>(std::size_t(channels * modes() * row));
    for (std::size_t i = 0; i < std::size_t(fields); ++i) {
      memory.half[i] = scratch.take<T>(fft_.half());
      memory.line[i] = scratch.take<T>(fft_.line());
      memory.spare[i] = scratch.take<T>(fft_.line());
    }
    for (Index first = 0; first < task.count; first += block) run_block(task, series, first, memory);
  }

 private:
  static constexpr Index channels = Equation::channels, inputs = Equation::inputs,
                         outputs = Equation::outputs, fields = std::max(inputs, outputs);
  using Transform = PlaneFft<T, lanes>;
  static constexpr Index row = Transform::row;
  struct Number {
    T re, im;
  };
  struct Force {
    Index mode;  // of the state
    T value;
  };
  struct Memory {
    T *state, *slope;                          // û and −½dt E N̂(u): (channel, k_y, k_x, re|im, lane)
    std::array<T*, fields> half, line, spare;  // as in plane_fft.hpp
  };

  static Number number(std::complex<double> z) { return {T(z.real()), T(z.imag())}; }
  Index modes() const { return fft_.modes() * fft_.modes(); }
  Index mode_of(PlaneWave k) const { return (k.y + scheme_.highest) * fft_.modes() + k.x + scheme_.highest; }
  PlaneWave wave(Index mode) const {
    return {mode % fft_.modes() - scheme_.highest, mode / fft_.modes() - scheme_.highest};
  }
  T* at(T* spectrum, Index channel, PlaneWave k) const {
    return spectrum + (channel * modes() + mode_of(k)) * row;
  }

  void run_block(const detail::Task<T, 2>& task, const std::array<PlaneSeries, channels>& series, Index first,
                 Memory memory) const {
    start(series, memory);
    Normals<block> normals(task.seed, stream_of(Draw::noise, task.sample), first);
    std::size_t query = 0;
    for (Index step = 0;; ++step) {
      while (detail::steps_to(task.times[query], scheme_.dt, scheme_.name) == step) {
        write(task, Index(query), first, memory);
        if (++query == task.times.size()) return;
      }
      nonlinear(memory, [&](Index mode, const T* half_step) {  // ½dt N̂(u)
        T *const z = memory.state + mode * row, *const slope = memory.slope + mode * row;
        const T decay = decay_[std::size_t(mode)];
        MNO_INDEPENDENT_ITERATIONS
        for (Index m = 0; m < row; ++m) {
          z[m] = decay * (z[m] + 2 * half_step[m]);
          slope[m] = -decay * half_step[m];
        }
      });
      for (const Force& force : force_)  // a real number: (1 + i) times it for both members
        for (Index m = 0; m < row; ++m) memory.state[force.mode * row + m] += force.value;
      for (Index c = 0; c < channels; ++c)
        if (scheme_.sigma[std::size_t(c)] > 0) add_noise(memory, normals, step, c);
      nonlinear(memory, [&](Index mode, const T* half_step) {  // ½dt N̂(a)
        T *const z = memory.state + mode * row, *const slope = memory.slope + mode * row;
        MNO_INDEPENDENT_ITERATIONS
        for (Index m = 0; m < row; ++m) z[m] += half_step[m] + slope[m];
      });
      for (Index c = 0; c < channels; ++c) check_finite(task, at(memory.state, c, {}), first, step + 1);
    }
  }

  /// (1 + i) û_k: both members of a pair start from u_0.
  void start(const std::array<PlaneSeries, channels>& series, Memory& memory) const {
    std::fill_n(memory.state, channels * modes() * row, T(0));
    const auto set = [&](Index channel, PlaneWave k, std::complex<double> c) {
      c *= std::complex<double>(1, 1);
      std::fill_n(at(memory.state, channel, k), lanes, T(c.real()));
      std::fill_n(at(memory.state, channel, k) + lanes, lanes, T(c.imag()));
    };
    for (Index c = 0; c < channels; ++c) {
      const PlaneSeries& own = series[std::size_t(c)];
      set(c, {}, own.mean);
      for (std::size_t i = 0; i < own.waves.size(); ++i) {
        const PlaneWave k = own.waves[i];
        set(c, k, own.coefficient(i));
        set(c, {-k.x, -k.y}, std::conj(own.coefficient(i)));
      }
    }
  }

  /// done(mode, ½dt N̂_k) for every mode of the state, which may be changed then.
  template <class Done> void nonlinear(Memory& memory, Done&& done) const {
    const Index columns = fft_.modes();
    for (Index i = 0; i < inputs; ++i)
      for (Index ky = 0; ky < columns; ++ky) {
        const T* const from = memory.state + (i % channels * modes() + ky * columns) * row;
        const Number* const symbol = symbol_.data() + i * modes() + ky * columns;
        const auto fill = [&](Index kx, T* to) { multiply(symbol[kx], from + kx * row, to); };
        const auto f = std::size_t(i);
        fft_.column_to_points(fill, ky, memory.half[f], memory.line[f], memory.spare[f]);
      }
    for (Index x = 0; x < scheme_.points; ++x) products(memory, x);
    for (Index ky = 0; ky < columns; ++ky) {
      std::array<const T*, outputs> spectrum;
      for (std::size_t o = 0; o < std::size_t(outputs); ++o)
        spectrum[o] = fft_.column_to_modes(memory.half[o], ky, memory.line[o], memory.spare[o]);
      for (Index c = 0; c < channels; ++c)
        for (Index kx = 0; kx < columns; ++kx) {
          const Index mode = c * modes() + ky * columns + kx;
          alignas(alignment) T sum[row], term[row];
          multiply(gain_[std::size_t(mode * outputs)], spectrum[0] + fft_.place(kx), sum);
          for (Index o = 1; o < outputs; ++o) {
            multiply(gain_[std::size_t(mode * outputs + o)], spectrum[std::size_t(o)] + fft_.place(kx), term);
            for (Index m = 0; m < row; ++m) sum[m] += term[m];
          }
          done(mode, sum);
        }
    }
  }

  /// One row of points: half(x, ·) of the inputs becomes that of the outputs.
  void products(Memory& memory, Index x) const {
    std::array<T*, fields> value{}, other{};
    for (std::size_t i = 0; i < std::size_t(fields); ++i) {
      T *const line = memory.line[i], *const spare = memory.spare[i];
      value[i] = Index(i) < inputs ? fft_.row_to_points(memory.half[i], x, line, spare) : line;
      other[i] = value[i] == line ? spare : line;
    }
    MNO_INDEPENDENT_ITERATIONS
    for (Index j = 0; j < scheme_.points * row; ++j) {
      std::array<T, inputs> v;
      for (std::size_t i = 0; i < std::size_t(inputs); ++i) v[i] = value[i][j];
      const std::array<T, outputs> w = Equation::nonlinearity(v);
      for (std::size_t o = 0; o < std::size_t(outputs); ++o) value[o][j] = w[o];
    }
    for (std::size_t o = 0; o < std::size_t(outputs); ++o)
      fft_.row_to_modes(value[o], other[o], x, memory.half[o]);
  }

  static void multiply(Number a, const T* z, T* to) {
    MNO_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < lanes; ++m) {
      to[m] = a.re * z[m] - a.im * z[lanes + m];
      to[lanes + m] = a.re * z[lanes + m] + a.im * z[m];
    }
  }

  /// A wave's noise q_k√2(β cos + γ sin) is q_k(β ∓ iγ)/√2 at ±k; the second member's is multiplied by i.
  void add_noise(Memory& memory, Normals<block>& normals, Index step, Index channel) const {
    alignas(alignment) float drawn[4 * block];
    const Index rank = scheme_.noise.rank();
    for (Index i = 0; i < rank; i += 2) {
      if (i % 4 == 0) normals.draw(std::uint32_t((step * channels + channel) * draws_ + i / 4), drawn);
      const float *const beta = drawn + i % 4 * block, *const gamma = beta + block;
      const PlaneWave k = scheme_.noise.wavenumber(i);
      const T c = noise_[std::size_t(channel * rank + i)];
      T *const plus = at(memory.state, channel, k), *const minus = at(memory.state, channel, {-k.x, -k.y});
      if (k == PlaneWave{}) {
        for (Index m = 0; m < block; ++m) plus[m] += c * T(beta[m]);
        continue;
      }
      MNO_INDEPENDENT_ITERATIONS
      for (Index m = 0; m < lanes; ++m) {
        const T b = T(beta[m]), g = T(gamma[m]), b2 = T(beta[lanes + m]), g2 = T(gamma[lanes + m]);
        plus[m] += c * (b + g2);
        plus[lanes + m] += c * (b2 - g);
        minus[m] += c * (b - g2);
        minus[lanes + m] += c * (b2 + g);
      }
    }
  }

  void check_finite(const detail::Task<T, 2>& task, const T* mean, Index first, Index step) const {
    T sum = 0;
    for (Index m = 0; m < block; ++m) sum += mean[m] - mean[m];
    if (sum == 0) return;
    for (Index m = 0; m < std::min(lanes, task.count - first); ++m)
      if (!std::isfinite(mean[m]) || !std::isfinite(mean[lanes + m]))
        detail::blow_up(scheme_.name, task.sample, first + m, step, double(step) * scheme_.dt,
                        scheme_.remedy);
  }

  void write(const detail::Task<T, 2>& task, Index query, Index first, Memory& memory) const {
    const Index stride = scheme_.points / scheme_.kept, kept = scheme_.kept, columns = fft_.modes();
    for (Index c = 0; c < channels; ++c) {
      for (Index ky = 0; ky < columns; ++ky) {
        const T* const from = memory.state + (c * modes() + ky * columns) * row;
        const auto fill = [&](Index kx, T* to) { std::copy_n(from + kx * row, row, to); };
        fft_.column_to_points(fill, ky, memory.half[0], memory.line[0], memory.spare[0]);
      }
      for (Index x = 0; x < kept; ++x) {
        const T* const values =
            fft_.row_to_points(memory.half[0], x * stride, memory.line[0], memory.spare[0]);
        for (Index m = 0; m < std::min(block, task.count - first); ++m) {
          T* const to = task.members + ((query * task.count + first + m) * kept + x) * kept * channels;
          for (Index y = 0; y < kept; ++y) to[y * channels + c] = values[y * stride * row + m];
        }
      }
    }
  }

  Equation equation_;
  PlaneScheme<channels> scheme_;
  Transform fft_;
  Index draws_;                 // positions of the normal numbers of one channel in a step
  std::vector<T> decay_;        // (channel, mode)
  std::vector<Number> gain_;    // ½dt n_co(k) with the transform's 1/N²: (channel, mode, output)
  std::vector<Number> symbol_;  // s_i(k): (input, mode)
  std::vector<Force> force_;
  std::vector<T> noise_;  // (channel, basis function)
};

}  // namespace mno

#pragma once
// The time stepper of spectral equations u_t = Λu + F + N(u) + σẆ on a periodic square, Λ diagonal in waves:
// Heun's method with the linear part, the constant force F and the noise solved exactly,
//
//     a = E (u + dt N(u)) + f + η,      u ← E (u + ½dt N(u)) + f + η + ½dt N(a),
//     E = e^{Λ dt},   f = ((e^{Λ dt} − 1)/Λ) F,   η the exact Ornstein–Uhlenbeck noise of the step.
//
// Without noise it is of second order in dt.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mno/simulate/pairs.hpp"
#include "mno/simulate/plane_products.hpp"
#include "mno/simulate/plane_waves.hpp"
#include "mno/simulate/simulate.hpp"
#include "mno/simulate/spectral_scheme.hpp"

namespace mno {

template <Index Channels = 1> using PlaneScheme = SpectralSchemeOf<PlaneInitialField, PlaneNoise, Channels>;

/// Equation has what PlaneProducts needs, scheme(), draw(seed, sample) = the series of u_0 of every channel,
/// and for channel c rate(c, k) = λ and force(c, k) = F̂, a real number.
template <class T, class Equation> class PlaneHeun {
 public:
  static constexpr Index lanes = Index(alignment / sizeof(T) / 2);  // pairs of members: a row is a cache line
  static constexpr Index block = 2 * lanes;                         // members that travel together

  explicit PlaneHeun(const Equation& equation)
      : equation_(equation),
        scheme_(equation.scheme()),
        half_step_(equation, scheme_.points, scheme_.highest, scheme_.dt / 2),
        draws_((scheme_.noise.rank() + 3) / 4) {
    const double dt = scheme_.dt;
    for (Index c = 0; c < channels; ++c) {
      for (Index mode = 0; mode < modes(); ++mode) {
        const PlaneWave k = half_step_.wave(mode);
        const double x = equation.rate(c, k) * dt, force = equation.force(c, k);
        decay_.push_back(T(std::exp(x)));
        if (force != 0)
          forces_.push_back({c * modes() + mode, T(force * (x == 0 ? dt : dt * std::expm1(x) / x))});
      }
      for (Index i = 0; i < scheme_.noise.rank(); ++i) {
        const PlaneWave k = scheme_.noise.wavenumber(i);
        const double deviation = scheme_.sigma[std::size_t(c)] * scheme_.noise.amplitude(i) *
                                 ornstein_uhlenbeck_deviation(equation.rate(c, k), dt);
        noise_.push_back(T(k == PlaneWave{} ? deviation : deviation / std::numbers::sqrt2));
      }
    }
  }

  void run(const detail::Task<T, 2>& task, Arena& scratch) const {
    const Series series = equation_.draw(task.seed, task.sample);
    for (Index c = 0; c < channels; ++c) series[std::size_t(c)].evaluate(task.initial, 0, c);
    const ArenaScope scope(scratch);
    const auto size = std::size_t(channels * modes() * row);
    Memory memory{scratch.take<T>(size), scratch.take<T>(size), {half_step_.fft(), scratch}};
    for (Index first = 0; first < task.count; first += block) run_block(task, series, first, memory);
  }

 private:
  static constexpr Index channels = Equation::channels;
  using Series = std::array<PlaneSeries, channels>;
  using Products = PlaneProducts<T, Equation, lanes>;
  static constexpr Index row = Products::row;
  struct Force {
    Index mode;  // of the state
    T step;      // what it adds in a step
  };
  struct Memory {
    T* state;  // û: (channel, k_y, k_x, re|im, lane)
    T* slope;  // −½dt E N̂(u), likewise
    typename Products::Memory products;
  };

  Index modes() const { return half_step_.modes(); }
  T* at(T* state, Index channel, PlaneWave k) const {
    return state + (channel * modes() + half_step_.mode_of(k)) * row;
  }

  void run_block(const detail::Task<T, 2>& task, const Series& series, Index first, Memory& memory) const {
    start(series, memory.state);
    Normals<block> normals(task.seed, stream_of(Draw::noise, task.sample), first);
    std::size_t query = 0;
    for (Index step = 0;; ++step) {
      while (detail::steps_to(task.times[query], scheme_.dt, scheme_.name) == step) {
        write(task, Index(query), first, memory);
        if (++query == task.times.size()) return;
      }
      predict(memory);
      for (Index c = 0; c < channels; ++c)
        if (scheme_.sigma[std::size_t(c)] > 0) add_noise(memory.state, normals, step, c);
      correct(memory);
      for (Index c = 0; c < channels; ++c)
        detail::check_finite<lanes>(task, scheme_, at(memory.state, c, {}), first, step + 1);
    }
  }

  void start(const Series& series, T* state) const {
    std::fill_n(state, channels * modes() * row, T(0));
    for (Index c = 0; c < channels; ++c) {
      const PlaneSeries& own = series[std::size_t(c)];
      detail::set_pairs<lanes>(at(state, c, {}), own.mean);
      for (std::size_t i = 0; i < own.waves.size(); ++i) {
        detail::set_pairs<lanes>(at(state, c, own.waves[i]), own.coefficient(i));
        detail::set_pairs<lanes>(at(state, c, -own.waves[i]), std::conj(own.coefficient(i)));
      }
    }
  }

  /// E (u + dt N(u)) + f
  void predict(Memory& memory) const {
    half_step_(memory.state, memory.products, [&](Index mode, const T* half_step) {
      T *const z = memory.state + mode * row, *const slope = memory.slope + mode * row;
      const T decay = decay_[std::size_t(mode)];
      MNO_LANES
      for (Index m = 0; m < row; ++m) {
        z[m] = decay * (z[m] + 2 * half_step[m]);
        slope[m] = -decay * half_step[m];
      }
    });
    for (const Force& force : forces_)  // real, and the same for both members: (1 + i) times it
      for (Index m = 0; m < row; ++m) memory.state[force.mode * row + m] += force.step;
  }
  /// … + ½dt (N(a) − E N(u))
  void correct(Memory& memory) const {
    half_step_(memory.state, memory.products, [&](Index mode, const T* half_step) {
      T *const z = memory.state + mode * row, *const slope = memory.slope + mode * row;
      MNO_LANES
      for (Index m = 0; m < row; ++m) z[m] += half_step[m] + slope[m];
    });
  }

  void add_noise(T* state, Normals<block>& normals, Index step, Index channel) const {
    alignas(alignment) float drawn[4 * block];
    const Index rank = scheme_.noise.rank();
    for (Index i = 0; i < rank; i += 2) {
      if (i % 4 == 0) normals.draw(std::uint32_t((step * channels + channel) * draws_ + i / 4), drawn);
      const PlaneWave k = scheme_.noise.wavenumber(i);
      const float *const beta = drawn + i % 4 * block, *const gamma = beta + block;
      detail::add_wave_noise<lanes>(at(state, channel, k), at(state, channel, -k),
                                    noise_[std::size_t(channel * rank + i)], beta, gamma);
    }
  }

  void write(const detail::Task<T, 2>& task, Index query, Index first, Memory& memory) const {
    const auto& fft = half_step_.fft();
    const Index kept = scheme_.kept, stride = scheme_.points / kept, columns = fft.modes();
    T *const half = memory.products.half[0], *const line = memory.products.line[0],
             *const spare = memory.products.spare[0];
    for (Index c = 0; c < channels; ++c) {
      for (Index ky = 0; ky < columns; ++ky) {
        const T* const from = memory.state + (c * modes() + ky * columns) * row;
        fft.column_to_points([&](Index kx, T* to) { std::copy_n(from + kx * row, row, to); }, ky, half, line,
                             spare);
      }
      for (Index x = 0; x < kept; ++x) {
        const T* const values = fft.row_to_points(half, x * stride, line, spare);
        for (Index m = 0; m < std::min(block, task.count - first); ++m) {
          T* const to = task.members + ((query * task.count + first + m) * kept + x) * kept * channels;
          for (Index y = 0; y < kept; ++y) to[y * channels + c] = values[y * stride * row + m];
        }
      }
    }
  }

  Equation equation_;
  PlaneScheme<channels> scheme_;
  Products half_step_;    // ½dt N̂(u)
  Index draws_;           // positions of the normal numbers of one channel in a step
  std::vector<T> decay_;  // e^{λ dt}: (channel, mode)
  std::vector<Force> forces_;
  std::vector<T> noise_;  // (channel, basis function)
};

}  // namespace mno

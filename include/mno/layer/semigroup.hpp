#pragma once
// A semigroup of learned rates, for one of n steps to the time t of the condition:
//
//     y = S_h x,   ŷ_kc = e^{−(λ_kc + iω_kc) h} x̂_kc,   λ_kc = log(1 + e^{θ_kc}) > 0,   h = t/n,   |k_d| < M
//
// Every wave of every channel decays and turns at a rate of its own; waves beyond are left out. In a real
// field k and −k are one wave: where both are kept, they share a rate and turn in opposite directions. The
// mean does not turn. So S_h S_h = S_2h on every grid that tells the waves apart: the result of n steps
// depends on t alone, and no step sees what comes after it.
#include <cmath>

#include "mno/layer/pass.hpp"
#include "mno/spectral/transform.hpp"

namespace mno {

template <int Channels, int D, int Modes, int Steps> struct Semigroup {
  static constexpr int inputs = Channels, outputs = Channels, kept = Modes, steps = Steps;
  static constexpr const char* name = "semigroup";
  static constexpr Index modes = mode_count<D>(Modes);
  static constexpr std::array leaves{parameter("rate", modes, Channels),        // θ
                                     parameter("frequency", modes, Channels)};  // ω
  static constexpr std::size_t parameters = total(leaves);
  static constexpr std::array settings{setting("dimension", D), setting("modes", Modes),
                                       setting("steps", Steps)};

  template <class Pass> struct Trace {
    Spectrum<typename Pass::Scalar> coefficients;  // F x
  };

  /// Rates from 1/50 to 50, uniform in their logarithm, since it is not known how fast a wave will have to
  /// decay; no turning.
  template <class T> static void initialise(std::span<T> w, Stream& random) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double rate = std::pow(50.0, 2 * random.uniform() - 1);
      w[i] = i < w.size() / 2 ? T(std::log(std::expm1(rate))) : T(0);
    }
  }

  template <class Pass>
  static void forward(Weights<Pass> w, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto& f = transform<T>(x.grid, pass);
    trace.coefficients = {pass.keep_values(f.modes() * x.batch * 2 * Channels), f.modes(), x.batch, Channels};
    f.project(x, trace.coefficients, Weight::analysis, pass.scratch_arena());
    const auto scope = pass.scope();
    const Spectrum<T> z{pass.scratch_values(f.modes() * x.batch * 2 * Channels), f.modes(), x.batch,
                        Channels};
    for_each_wave<T>(f, w, pass, x.batch, [&](const Wave<T>& e, Index k, Index b, Index c) {
      const T *const from = trace.coefficients.at(k, b) + c, re = from[0], im = from[Channels];
      T* const to = z.at(k, b) + c;
      to[0] = e.real * re - e.imaginary * im;
      to[Channels] = e.real * im + e.imaginary * re;
    });
    f.expand(z, y, Weight::multiplicity, pass.scratch_arena(), write);
  }

  /// With Ȳ = (F⁻¹)* ȳ and E = e^{−(λ+iω)h}:  x̄ = F* (E* Ȳ), and with Ē = Ȳ x̂*, ⟨Ē, dE⟩ = Re(Ē* dE):
  ///   λ̄ = −h Re(Ē* E),   ω̄ = h Im(Ē* E),   h̄ = −λ Re(Ē* E) + ω Im(Ē* E),   θ̄ = λ̄ / (1 + e^{−θ})
  template <class Pass>
  static void vjp(Weights<Pass> w, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass> wbar,
                  Out<Pass> xbar, Pass& pass, Write write) {
    using T = typename Pass::Scalar;
    const auto& f = transform<T>(ybar.grid, pass);
    const auto scope = pass.scope();
    const Spectrum<T> z{pass.scratch_values(f.modes() * ybar.batch * 2 * Channels), f.modes(), ybar.batch,
                        Channels};
    f.project(ybar, z, Weight::multiplicity, pass.scratch_arena());
    for_each_wave<T>(f, w, pass, ybar.batch, [&](const Wave<T>& e, Index k, Index b, Index c) {
      const T *const from = trace.coefficients.at(k, b) + c, re = from[0], im = from[Channels];
      T* const bar = z.at(k, b) + c;
      const T bar_re = bar[0], bar_im = bar[Channels];
      const Bars<T> all = bars(e, re, im, bar_re, bar_im);
      wbar[std::size_t(e.at)] += all.rate;
      wbar[std::size_t(modes * Channels + e.at)] += all.frequency;
      if (!pass.times_bar.empty()) pass.times_bar[std::size_t(b)] += all.time;
      bar[0] = e.real * bar_re + e.imaginary * bar_im;
      bar[Channels] = e.real * bar_im - e.imaginary * bar_re;
    });
    if (xbar) f.expand(z, xbar, Weight::analysis, pass.scratch_arena(), write);
  }

  // What every device does with one wave of one channel.

  /// The index of the wave whose rate this one has. k_D is fastest: of the waves with k_D = 0, those before
  /// the mean take the rates of those after it.
  static constexpr Index planes = modes / Modes;
  MNO_HOST_DEVICE static Index owner(Index index) {
    const Index plane = index / Modes;
    return index % Modes == 0 && plane < planes / 2 ? (planes - 1 - plane) * Modes : index;
  }

  /// The multiplier E of a wave, and what it is made of.
  template <class T> struct Wave {
    T real, imaginary;                     // of E
    T step, rate, frequency, slope, turn;  // h, λ, ω, dλ/dθ, and 1, −1 or 0: which way it turns
    Index at;                              // of θ among the parameters
  };
  template <class T>
  MNO_HOST_DEVICE static Wave<T> wave(const Wavenumbers<D>& waves, const T* w, Index k, Index c, T h) {
    const Index index = waves.weight_index(k), own = owner(index);
    const T turn = own != index ? T(-1) : T(index == planes / 2 * Modes ? 0 : 1);  // the mean stays
    const Index at = own * Channels + c;
    const T theta = w[at], frequency = turn * w[modes * Channels + at];
    const T rate = theta > 0 ? theta + std::log1p(std::exp(-theta)) : std::log1p(std::exp(theta));
    const T decay = std::exp(-rate * h), slope = 1 / (1 + std::exp(-theta));
    return {decay * std::cos(frequency * h),
            -decay * std::sin(frequency * h),
            h,
            rate,
            frequency,
            slope,
            turn,
            at};
  }

  /// The shares of θ̄, ω̄ and t̄, from x̂ and Ȳ.
  template <class T> struct Bars { T rate, frequency, time; };
  template <class T> MNO_HOST_DEVICE static Bars<T> bars(const Wave<T>& e, T re, T im, T bar_re, T bar_im) {
    const T e_bar_re = bar_re * re + bar_im * im, e_bar_im = bar_im * re - bar_re * im;
    const T real = e_bar_re * e.real + e_bar_im * e.imaginary;       // of Ē* E
    const T imaginary = e_bar_re * e.imaginary - e_bar_im * e.real;  // likewise
    return {-e.step * real * e.slope, e.turn * e.step * imaginary,
            (e.frequency * imaginary - e.rate * real) / T(Steps)};
  }

 private:
  template <class T, class Pass> static const Transform<T, D>& transform(const Grid<D>& grid, Pass& pass) {
    return pass.template cached<Transform<T, D>>(transform_key<D>(grid, Channels, Modes));
  }

  template <class T, class F, class W, class Pass, class Visit>
  static void for_each_wave(const F& f, W w, const Pass& pass, Index batch, Visit&& visit) {
    for (Index k = 0; k < f.modes(); ++k)
      for (Index c = 0; c < Channels; ++c) {
        Wave<T> e{};
        for (Index b = 0; b < batch; ++b) {
          const T h = pass.times[std::size_t(b)] / T(Steps);
          if (b == 0 || h != e.step) e = wave(f.waves(), w.data(), k, c, h);  // most batches have one time
          visit(e, k, b, c);
        }
      }
  }
};

}  // namespace mno

#pragma once
// Two members as one complex field z = u + iv. Every operation of a spectral stepper is linear and real, or
// acts on values, so real and imaginary part never mix, and a complex transform serves two members without
// waste. Lanes of pairs stand side by side, (re|im, lane): member m is the real part of lane m, member
// lanes + m its imaginary part.
#include <algorithm>
#include <cmath>
#include <complex>

#include "mno/simulate/simulate.hpp"
#include "mno/spectral/fft.hpp"

namespace mno::detail {

/// (1 + i) û_k: both members of every pair have the coefficient û_k.
template <Index Lanes, class T> void set_pairs(T* z, std::complex<double> coefficient) {
  const std::complex<double> both = coefficient * std::complex<double>(1, 1);
  std::fill_n(z, Lanes, T(both.real()));
  std::fill_n(z + Lanes, Lanes, T(both.imag()));
}

/// A wave's noise 2c(β cos + γ sin) is c(β ∓ iγ) at ±k; the second member's is multiplied by i. β and γ are
/// (member). The mean's noise is cβ: then plus and minus are the same place.
template <Index Lanes, class T>
void add_wave_noise(T* plus, T* minus, T c, const float* beta, const float* gamma) {
  if (plus == minus) {
    for (Index m = 0; m < 2 * Lanes; ++m) plus[m] += c * T(beta[m]);
    return;
  }
  MNO_LANES
  for (Index m = 0; m < Lanes; ++m) {
    const T b = T(beta[m]), g = T(gamma[m]), b2 = T(beta[Lanes + m]), g2 = T(gamma[Lanes + m]);
    plus[m] += c * (b + g2);
    plus[Lanes + m] += c * (b2 - g);
    minus[m] += c * (b - g2);
    minus[Lanes + m] += c * (b2 + g);
  }
}

/// One value that is not finite makes every mode of its pair so within a step, so it is enough to test the
/// mean. Members beyond the last one that was asked for only fill the block.
template <Index Lanes, class T, int D, class Scheme>
void check_finite(const Task<T, D>& task, const Scheme& scheme, const T* mean, Index first, Index step) {
  T sum = 0;
  for (Index m = 0; m < 2 * Lanes; ++m) sum += mean[m] - mean[m];
  if (sum == 0) return;
  for (Index m = 0; m < std::min(Lanes, task.count - first); ++m)
    if (!std::isfinite(mean[m]) || !std::isfinite(mean[Lanes + m]))
      blow_up(scheme.name, task.sample, first + m, step, double(step) * scheme.dt, scheme.remedy);
}

}  // namespace mno::detail

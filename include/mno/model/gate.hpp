#pragma once
// Temporal gates: they bring drift and factor to exactly zero at t = 0.
#include <array>
#include <cmath>
#include <span>

#include "mno/core/host_device.hpp"
#include "mno/core/parameter.hpp"
#include "mno/core/random.hpp"

namespace mno {

/// The paper's gate, g(t) = 1 − exp(−|α| t).
struct Gate {
  static constexpr const char* name = "gate";
  static constexpr std::array leaves{parameter("alpha", 1)};
  static constexpr std::size_t parameters = total(leaves);

  template <class T> static void initialise(std::span<T> w, Stream&) { w[0] = T(1); }

  template <class T> MNO_HOST_DEVICE static T value(std::span<const T> w, T t) {
    return -std::expm1(-std::abs(w[0]) * t);
  }

  /// ∂g/∂α = sign(α) t e^{−|α|t},  ∂g/∂t = |α| e^{−|α|t}
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T> w, T t, T gbar, std::span<T> wbar) {
    const T alpha = std::abs(w[0]), decay = std::exp(-alpha * t);
    const T sign = T(w[0] > 0) - T(w[0] < 0);
    wbar[0] += gbar * sign * t * decay;
    return gbar * alpha * decay;
  }
};

/// A gate with a learned exponent, g(t) = (1 − exp(−|α| t))^h with h = log(1 + e^η) > 0. Near t = 0 it grows
/// like t^h, so the variance of a gated factor grows like t^{2h}: h = 1/2 is Brownian motion, h = H
/// fractional Brownian motion.
struct PowerGate {
  static constexpr const char* name = "gate";
  static constexpr std::array leaves{parameter("alpha", 1), parameter("eta", 1)};
  static constexpr std::size_t parameters = total(leaves);

  /// α = 1 and h = 1/2.
  template <class T> static void initialise(std::span<T> w, Stream&) {
    w[0] = T(1);
    w[1] = T(std::log(std::expm1(0.5)));
  }

  template <class T> MNO_HOST_DEVICE static T exponent(std::span<const T> w) {
    return w[1] > 0 ? w[1] + std::log1p(std::exp(-w[1])) : std::log1p(std::exp(w[1]));
  }

  template <class T> MNO_HOST_DEVICE static T value(std::span<const T> w, T t) {
    const T base = Gate::value(w, t);
    return base > 0 ? std::pow(base, exponent(w)) : T(0);
  }

  /// With s = 1 − e^{−|α|t}: ∂g/∂h = g ln s, ∂h/∂η = 1/(1 + e^{−η}), ∂g/∂s = h s^{h−1}. At t = 0 the
  /// derivative in t is infinite for h < 1; all derivatives are taken as 0 there, where the gate is closed.
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T> w, T t, T gbar, std::span<T> wbar) {
    const T base = Gate::value(w, t);
    if (!(base > 0)) return T(0);
    const T h = exponent(w), g = std::pow(base, h);
    wbar[1] += gbar * g * std::log(base) / (1 + std::exp(-w[1]));
    return Gate::vjp(w, t, gbar * h * g / base, wbar);
  }
};

}  // namespace mno

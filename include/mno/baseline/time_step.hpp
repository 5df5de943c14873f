#pragma once
// The step of a solver that reaches the time t of the condition in n steps: h = t/n for a drift, √h for a
// Brownian increment. At t = 0 both are zero, and a state stays what it was, bit for bit.
#include <array>
#include <cmath>
#include <span>
#include <type_traits>

#include "mno/core/host_device.hpp"
#include "mno/core/layer.hpp"
#include "mno/expression/recomputed.hpp"
#include "mno/expression/repeat.hpp"

namespace mno::baseline {

/// a * TimeStep<n>{} is (t/n) a.
template <int Steps> struct TimeStep : WithoutParameters {
  static constexpr const char* name = "step";
  static constexpr std::array settings{setting("steps", Steps)};

  template <class T> MNO_HOST_DEVICE static T value(std::span<const T>, T t) { return t / T(Steps); }
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T>, T, T gbar, std::span<T>) {
    return gbar / T(Steps);
  }
};

/// a * RootTimeStep<n>{} is √(t/n) a.
template <int Steps> struct RootTimeStep : WithoutParameters {
  static constexpr const char* name = "root_step";
  static constexpr std::array settings{setting("steps", Steps)};

  template <class T> MNO_HOST_DEVICE static T value(std::span<const T>, T t) {
    return std::sqrt(t / T(Steps));
  }
  /// ½ / √(n t); at t = 0, where it is infinite, it is taken as 0.
  template <class T> MNO_HOST_DEVICE static T vjp(std::span<const T>, T t, T gbar, std::span<T>) {
    return t > T(0) ? gbar / (2 * std::sqrt(T(Steps) * t)) : T(0);
  }
};

/// Does the shape say `recompute = true`? Then a solver keeps only its states, and the adjoint runs every
/// step again.
template <class S> constexpr bool recomputes() {
  if constexpr (requires { S::recompute; })
    return S::recompute;
  else
    return false;
}
template <class S, int Steps, Layer Step>
using SolverSteps = Tied<Steps, std::conditional_t<recomputes<S>(), Recomputed<Step>, Step>>;

}  // namespace mno::baseline

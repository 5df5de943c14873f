#pragma once
// Activations: y = f(x) at every point and channel, x̄ = f′(x) ȳ.
#include <cmath>
#include <numbers>

#include "mno/core/random.hpp"
#include "mno/layer/pass.hpp"

namespace mno {

/// Value and derivative of a function, computed together because they share their costly part.
template <class T> struct Slope { T value, derivative; };

/// gelu(x) = x Φ(x),  gelu′(x) = Φ(x) + x φ(x), with the exact normal distribution Φ and its density φ.
struct GeluFunction {
  static constexpr const char* name = "gelu";
  template <class T> static Slope<T> at(T x) {
    const T distribution = std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
    const T density = std::exp(-x * x / 2) * (std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>);
    return {x * distribution, distribution + x * density};
  }
};

/// silu(x) = x s(x),  silu′ = s (1 + x (1 − s)), with the logistic s(x) = 1/(1 + e^{−x}).
struct SiluFunction {
  static constexpr const char* name = "silu";
  template <class T> static Slope<T> at(T x) {
    const T s = 1 / (1 + std::exp(-x));
    return {x * s, s * (1 + x * (1 - s))};
  }
};

/// tanh′ = 1 − tanh²
struct TanhFunction {
  static constexpr const char* name = "tanh";
  template <class T> static Slope<T> at(T x) {
    const T y = std::tanh(x);
    return {y, 1 - y * y};
  }
};

/// relu(x) = max(x, 0); at 0 the derivative is taken as 0.
struct ReluFunction {
  static constexpr const char* name = "relu";
  template <class T> static Slope<T> at(T x) { return x > 0 ? Slope<T>{x, 1} : Slope<T>{0, 0}; }
};

template <class Function, int Channels> struct Activation {
  static constexpr int inputs = Channels, outputs = Channels;
  static constexpr const char* name = Function::name;
  static constexpr std::array<Parameter, 0> leaves{};
  static constexpr std::size_t parameters = 0;

  template <class Pass> struct Trace {
    In<Pass> derivative;  // f′(x)
  };

  template <class T> static void initialise(std::span<T>, Stream&) {}

  template <class Pass>
  static void forward(Weights<Pass>, In<Pass> x, Out<Pass> y, Trace<Pass>& trace, Pass& pass) {
    const Out<Pass> derivative = pass.keep(x, Channels);
    trace.derivative = derivative;
    for (Index r = 0; r < x.rows(); ++r)
      for (Index c = 0; c < Channels; ++c) {
        const auto f = Function::at(x.row(r)[c]);
        y.row(r)[c] += f.value;
        derivative.row(r)[c] = f.derivative;
      }
  }

  template <class Pass>
  static void vjp(Weights<Pass>, In<Pass> ybar, const Trace<Pass>& trace, WeightsBar<Pass>, Out<Pass> xbar,
                  Pass&) {
    if (!xbar) return;
    for (Index r = 0; r < ybar.rows(); ++r)
      for (Index c = 0; c < Channels; ++c) xbar.row(r)[c] += trace.derivative.row(r)[c] * ybar.row(r)[c];
  }
};

template <int Channels> using Gelu = Activation<GeluFunction, Channels>;
template <int Channels> using Silu = Activation<SiluFunction, Channels>;
template <int Channels> using Tanh = Activation<TanhFunction, Channels>;
template <int Channels> using Relu = Activation<ReluFunction, Channels>;

}  // namespace mno

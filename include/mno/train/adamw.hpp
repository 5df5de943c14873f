#pragma once
// AdamW: Adam with weight decay apart from the gradient.
//   I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR 2019.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "mno/core/buffer.hpp"
#include "mno/core/error.hpp"
#include "mno/core/host_device.hpp"
#include "mno/device/cpu.hpp"
#include "mno/device/packet.hpp"

namespace mno {

struct AdamWOptions {
  double learning_rate = 1e-3;  // η
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;  // λ
};

/// What the optimiser remembers, in the layout of the parameters: a checkpoint holds these three.
template <class T> struct AdamWState {
  Buffer<T> first, second;  // moments m and v of the gradient
  std::int64_t step = 0;    // steps taken
};

/// The constants of one step, in the type of the parameters.
template <class T> struct AdamWStep {
  T keep, beta2, rest1, rest2, rate, root, epsilon;

  AdamWStep(const AdamWOptions& options, double learning_rate, std::int64_t step)
      : keep(T(1 - learning_rate * options.weight_decay)),
        beta2(T(options.beta2)),
        rest1(T(1 - options.beta1)),
        rest2(T(1 - options.beta2)),
        rate(T(learning_rate / (1 - std::pow(options.beta1, double(step))))),
        root(T(std::sqrt(1 - std::pow(options.beta2, double(step))))),
        epsilon(T(options.epsilon)) {}

  /// One parameter by itself: the definition.
  MNO_HOST_DEVICE void operator()(T& w, T& m, T& v, T g) const {
    m += rest1 * (g - m);
    v = rest2 * g * g + beta2 * v;
    w = keep * w - rate * (m / (std::sqrt(v) / root + epsilon));
  }
};

/// In step n = 1, 2, …, for every parameter w with gradient g:
///   w ← (1 − ηλ) w
///   m ← β₁ m + (1−β₁) g,   v ← β₂ v + (1−β₂) g²
///   w ← w − η/(1−β₁ⁿ) · m / (√v/√(1−β₂ⁿ) + ε)
template <class T> class AdamW {
 public:
  explicit AdamW(std::size_t parameters, AdamWOptions options = {})
      : options_(options), state_{Buffer<T>(parameters), Buffer<T>(parameters), 0} {
    check(options);
  }
  /// Goes on where another run stopped.
  AdamW(AdamWState<T> state, AdamWOptions options) : options_(options), state_(std::move(state)) {
    check(options);
    require(state_.first.size() == state_.second.size(), "AdamW", "state", Text("two moments of one size"),
            Text(state_.first.size(), " and ", state_.second.size()));
    require(state_.step >= 0, "AdamW", "state", Text("a step that is not negative"), Text(state_.step));
  }

  const AdamWOptions& options() const { return options_; }
  const AdamWState<T>& state() const { return state_; }

  void step(std::span<T> weights, std::span<const T> gradient, Cpu& device = default_device()) {
    step(weights, gradient, options_.learning_rate, device);
  }
  /// With the learning rate that a schedule gives for this step.
  void step(std::span<T> weights, std::span<const T> gradient, double learning_rate,
            Cpu& device = default_device()) {
    const std::size_t n = state_.first.size();
    require(weights.size() == n, "AdamW::step", "weights", Text(n, " parameters"), Text(weights.size()));
    require(gradient.size() == n, "AdamW::step", "gradient", Text(n, " values"), Text(gradient.size()));
    ++state_.step;
    const AdamWStep<T> c(options_, learning_rate, state_.step);

    T *const first = state_.first.data(), *const second = state_.second.data();
    // Parameters do not depend on each other, so pieces change no result. Small pieces would not pay for the
    // threads.
    const std::size_t pieces = std::clamp<std::size_t>(n / 32768, 1, std::size_t(device.threads()));
    device.for_each(Index(pieces), [&](Index piece, Workspace&) {
      const std::size_t begin = n * std::size_t(piece) / pieces, end = n * std::size_t(piece + 1) / pieces;
      T *const w = weights.data() + begin, *const m = first + begin, *const v = second + begin;
      const T* const g = gradient.data() + begin;
      for_each_packet<T>(Index(end - begin), [&](auto load, auto store) {
        using namespace packet;
        using P = Packet<T>;
        const P slope = load(g), old = load(m);
        const P moment = pmadd(everywhere(c.rest1), P(psub(slope, old)), old);
        const P square =
            pmadd(everywhere(c.rest2), P(pmul(slope, slope)), P(pmul(everywhere(c.beta2), load(v))));
        const P spread = padd(P(pdiv(square_root<T>(square), everywhere(c.root))), everywhere(c.epsilon));
        store(m, moment);
        store(v, square);
        store(w, P(psub(P(pmul(everywhere(c.keep), load(w))),
                        P(pmul(everywhere(c.rate), P(pdiv(moment, spread)))))));
      });
    });
  }

 private:
  static void check(const AdamWOptions& o) {
    require(o.learning_rate >= 0 && std::isfinite(o.learning_rate), "AdamW", "learning_rate",
            Text("a finite rate that is not negative"), Text(o.learning_rate));
    require(o.beta1 >= 0 && o.beta1 < 1, "AdamW", "beta1", Text("a number in [0, 1)"), Text(o.beta1));
    require(o.beta2 >= 0 && o.beta2 < 1, "AdamW", "beta2", Text("a number in [0, 1)"), Text(o.beta2));
    require(o.epsilon >= 0, "AdamW", "epsilon", Text("a number that is not negative"), Text(o.epsilon));
    require(o.weight_decay >= 0, "AdamW", "weight_decay", Text("a number that is not negative"),
            Text(o.weight_decay));
  }

  AdamWOptions options_;
  AdamWState<T> state_;
};

}  // namespace mno

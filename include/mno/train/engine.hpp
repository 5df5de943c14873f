#pragma once
// A training step on a device: loss and gradient of a batch, then the weights moved. What a trainer decides
// does not depend on where this happens.
#include <limits>
#include <optional>
#include <span>

#include "mno/loss/loss.hpp"
#include "mno/model/gradient.hpp"
#include "mno/train/adamw.hpp"
#include "mno/train/average.hpp"
#include "mno/train/batch.hpp"
#include "mno/train/clip.hpp"

namespace mno::detail {

/// What a step depends on besides the model's weights.
template <class T> struct EngineState {
  AdamWState<T> adamw;
  Buffer<T> average;  // of the weights, if one is kept
  std::int64_t average_updates = 0;
};

/// Loss of a batch and the norm of its gradient, before clipping.
struct StepValues {
  double loss = 0, gradient_norm = 0;
};

/// Specialised for every device.
template <class M, class Device> class Engine;

template <class M> class Engine<M, Cpu> {
 public:
  using T = typename M::Scalar;
  using Data = Ensemble<T, M::dimension>;

  Engine(M& model, const Data& train, Index batch, const AdamWOptions& adamw, double average, std::size_t,
         Cpu& device)
      : model_(model),
        train_(train),
        device_(device),
        adamw_(adamw),
        gradient_(model.zeros()),
        optimiser_(M::parameters, adamw),
        batch_(train, batch) {
    if (average > 0) average_.emplace(M::parameters, average);
  }

  std::int64_t steps() const { return optimiser_.state().step; }

  /// The weights are the model's: before the first step of a run, and after the last.
  void begin() {}
  void end() {}

  /// Loss and gradient of these conditions, the gradient clipped; nothing moves yet. `next` will be asked for
  /// next, and `noise` names what layers with noise inside draw in this step.
  template <class L>
  StepValues gradient(std::span<const Index> conditions, std::span<const Index>, const L& loss,
                      double largest, TermValues& values, std::uint64_t noise) {
    batch_.gather(train_, conditions);
    Condition<T, M::dimension> condition = batch_.condition();
    condition.noise = noise;
    Target<T, M::dimension> target = batch_.target();
    target.step = std::uint64_t(steps());
    const double value = value_and_gradient(model_, condition, loss.on(target, values), gradient_, device_);
    return {value, clip_gradient(gradient_.values(), largest)};
  }
  void step(double learning_rate) {
    optimiser_.step(model_.values(), std::as_const(gradient_).values(), learning_rate, device_);
    if (average_) average_->update(std::as_const(model_).values());
  }

  EngineState<T> state() const {
    EngineState<T> s{optimiser_.state(), {}, 0};
    if (average_) {
      s.average = Buffer<T>(M::parameters);
      average_values(s.average.span());
      s.average_updates = average_->updates();
    }
    return s;
  }
  void resume(EngineState<T> s) {
    optimiser_ = AdamW<T>(std::move(s.adamw), adamw_);
    if (average_) average_.emplace(std::move(s.average), s.average_updates, average_->decay());
  }
  bool has_average() const { return average_.has_value(); }
  void average_values(std::span<T> to) const { std::copy_n(average_->values().data(), to.size(), to.data()); }

 private:
  M& model_;
  const Data& train_;
  Cpu& device_;
  AdamWOptions adamw_;
  M gradient_;
  AdamW<T> optimiser_;
  Batch<T, M::dimension> batch_;
  std::optional<WeightAverage<T>> average_;
};

}  // namespace mno::detail
